"""Which tools enter: exact names that host and profile allow, in the bytes a person approved.

A tool that nobody allowed stays out with a row; an allowed one that is not what was approved
stays out too, and since it is required its run is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from assembler.model.candidate import Absent, Candidate, Inline
from assembler.model.catalog import ToolDefinition, ToolOffer
from assembler.model.limits import bounded_name, bounded_place

BINDABLE_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
"""What all three providers accept as a function's name."""


def admit_resident(definitions: Iterable[ToolDefinition]) -> list[Candidate]:
    """Resident tools; the host granted them before this room was asked."""
    return [
        Candidate(
            id=f"tool:{tool.name}",
            kind="tool",
            section="tools",
            trust="authorized",
            content=Inline(tool.rendered()),
            version=tool.digest,
            discovered_by="resident tools of the profile",
        )
        for tool in definitions
    ]


def withhold_resident(names: Iterable[str]) -> list[Candidate]:
    """Resident tools that the host does not grant: they stay out, with a row."""
    return [
        Candidate(
            id=bounded_name(name, prefix="tool:"),
            kind="tool-offer",
            section="tools",
            trust="untrusted",
            content=Absent("turned-away", code="tool-new", where="host manifest: tools"),
            discovered_by="resident tools of the profile",
        )
        for name in names
    ]


def admit_offers(
    offers: Iterable[ToolOffer], allowed: frozenset[str]
) -> tuple[list[Candidate], list[str]]:
    """One candidate an offered tool, and the ids that are required."""
    candidates: list[Candidate] = []
    required: list[str] = []
    for offer in offers:
        identifier = tool_id(offer.server, offer.name)
        if offer.name not in allowed:
            candidates.append(_turn_away(offer, identifier, "tool-new"))
            continue
        required.append(identifier)
        problem = offer.problem
        if problem is None and not BINDABLE_NAME.match(offer.name):
            problem = "tool-name"
        if problem is not None or offer.approved is None:
            candidates.append(_turn_away(offer, identifier, problem or "tool-missing"))
        else:
            candidates.append(_admit(offer, identifier, offer.approved))
    return candidates, required


def tool_id(server: str, name: str) -> str:
    """`tool:SERVER/NAME`; a name too long for an id stands by its digest."""
    return bounded_name(name, prefix=f"tool:{server}/")


def _admit(offer: ToolOffer, identifier: str, approved: ToolDefinition) -> Candidate:
    return Candidate(
        id=identifier,
        kind="mcp-tool",
        section="tools",
        trust="authorized",
        content=Inline(approved.rendered()),
        version=approved.digest,
        discovered_by=f"catalog of {offer.server}",
    )


def _turn_away(offer: ToolOffer, identifier: str, code: str) -> Candidate:
    return Candidate(
        id=identifier,
        kind="tool-offer",
        section="tools",
        trust="untrusted",
        content=Absent("turned-away", code=code, where=bounded_place(offer.where)),
        version=offer.listed_digest,
        discovered_by=f"catalog of {offer.server}",
    )

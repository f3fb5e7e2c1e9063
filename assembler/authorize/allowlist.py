"""Which tools enter: exact names that host and profile allow, in the bytes a person approved.

A tool that nobody allowed stays out with a row; an allowed one that is not what was approved
stays out too, and since it is required its run is refused. One bad definition takes no other tool
with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from assembler.model.candidate import Absent, Candidate, Inline
from assembler.model.catalog import BINDABLE_NAME, ToolDefinition, ToolOffer
from assembler.model.limits import MAX_WORDS_BYTES, bounded_name, bounded_place

LEFT_OUT: Final = ("tool-new", "tool-definition-invalid")
"""Why a tool stays out and the run goes on: nobody asked for it, or nobody could call it."""


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
    servers: Iterable[tuple[Sequence[ToolOffer], frozenset[str]]], resident: Iterable[str]
) -> tuple[list[Candidate], list[str]]:
    """One candidate an offered tool of any server, and the ids that are required.

    Args:
        servers: the offers of each server, with the names that host and profile allow.
        resident: names of resident tools that enter.
    """
    judged = [
        (offer, _problem_of(offer, allowed)) for offers, allowed in servers for offer in offers
    ]
    owners: dict[str, list[str]] = {name: [f"tool:{name}"] for name in resident}
    for offer, problem in judged:
        if problem is None:
            owners.setdefault(offer.name, []).append(tool_id(offer.server, offer.name))
    candidates: list[Candidate] = []
    required: list[str] = []
    for offer, problem in judged:
        identifier = tool_id(offer.server, offer.name)
        if problem not in LEFT_OUT:
            required.append(identifier)
        if problem is not None or offer.approved is None:
            candidates.append(_turn_away(offer, identifier, problem or "tool-missing"))
        elif len(owners[offer.name]) > 1:
            # Which of them a call would reach is nobody's to guess, so none of them enters.
            others = ", ".join(owner for owner in owners[offer.name] if owner != identifier)
            collided = offer._replace(where=f"same name as {others}")
            candidates.append(_turn_away(collided, identifier, "tool-name-collision"))
        else:
            candidates.append(_admit(offer, identifier, offer.approved))
    return candidates, required


def _problem_of(offer: ToolOffer, allowed: frozenset[str]) -> str | None:
    if offer.name not in allowed:
        return "tool-new"
    if offer.problem is None and not BINDABLE_NAME.match(offer.name):
        return "tool-name"
    return offer.problem


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
        discovered_by=_found_by(offer),
    )


def _turn_away(offer: ToolOffer, identifier: str, code: str) -> Candidate:
    return Candidate(
        id=identifier,
        kind="tool-offer",
        section="tools",
        trust="untrusted",
        content=Absent("turned-away", code=code, where=bounded_place(offer.where)),
        version=offer.listed_digest,
        discovered_by=_found_by(offer),
    )


def _found_by(offer: ToolOffer) -> str:
    """The server, and what of its tools nobody is held to."""
    found_by = f"catalog of {offer.server}"
    if not offer.ignored:
        return found_by
    told = f"{found_by}; digests leave out {', '.join(offer.ignored)}"
    if len(told.encode("utf-8")) > MAX_WORDS_BYTES:
        told = f"{found_by}; digests leave out {len(offer.ignored)} members"
    return told

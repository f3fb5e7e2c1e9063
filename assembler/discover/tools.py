"""What tools are offered: resident ones, and every tool of a server's pin and listing.

A listing is discovered data. What differs from the pin is offered as different, whatever its
server says of it; admission is another room's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assembler.discover.tool_schemas import schema_problem
from assembler.model.canonical import (
    MAX_TOOL_DEPTH,
    Numbers,
    StrictJsonError,
    canonical_text,
    read_strict,
)
from assembler.model.catalog import ServerOffer, ToolDefinition, ToolOffer
from assembler.model.limits import MAX_ITEM_BYTES, MAX_WHITE_SPACE_RUN, is_countable


def discover_offers(offer: ServerOffer, wanted: frozenset[str]) -> list[ToolOffer]:
    """Every tool that the pin, the listing or an allowlist names, sorted by name.

    Definitions of wanted ones alone are looked into: the others stay out whatever they are.
    """
    pinned = offer.pin.tools if offer.pin is not None else {}
    listed = offer.listing or {}
    return [
        _look_into(judged) if judged.name in wanted else judged
        for judged in (_judge(name, offer) for name in sorted({*pinned, *listed, *wanted}))
    ]


def definition_problem(wire: Mapping[str, Any]) -> str | None:
    """What keeps a definition from standing in any request, in words; None: nothing.

    Rules: docs/formats/request.md, and those of an input schema.
    """
    if not isinstance(wire.get("description", ""), str):
        return "description is no text"
    problem = schema_problem(wire.get("inputSchema"))
    if problem is not None:
        return problem
    rendered = ToolDefinition(str(wire["name"]), wire, "").rendered()
    if len(rendered) > MAX_ITEM_BYTES:
        return f"what is rendered of it is over {MAX_ITEM_BYTES:,} bytes"
    if not is_countable(rendered):
        return f"a run of white space over {MAX_WHITE_SPACE_RUN:,} characters"
    try:
        read_strict(rendered, numbers=Numbers.FINITE, max_depth=MAX_TOOL_DEPTH)
    except StrictJsonError as error:
        return f"what is rendered of it is {error.problem}"
    return None


def _look_into(offer: ToolOffer) -> ToolOffer:
    if offer.approved is None:
        return offer
    problem = definition_problem(offer.approved.wire)
    if problem is None:
        return offer
    where = f"{offer.where}: {problem}"
    return offer._replace(approved=None, problem="tool-definition-invalid", where=where)


def _judge(name: str, offer: ServerOffer) -> ToolOffer:
    approved = None if offer.pin is None else offer.pin.tools.get(name)
    listed = None if offer.listing is None else offer.listing.get(name)
    problem, where = None, offer.pin_place
    if offer.pin_problem is not None:
        problem = offer.pin_problem
    elif offer.listing_problem is not None:
        problem, where = offer.listing_problem, offer.listing_place or offer.pin_place
    elif approved is None and listed is None:
        problem = "tool-missing"
    elif approved is None or (listed is not None and listed.digest != approved.digest):
        problem, where = "tool-pin-broken", _difference(approved, listed, offer)
    elif offer.listing is not None and listed is None:
        problem, where = "tool-missing", offer.listing_place or offer.pin_place
    best = listed or approved
    return ToolOffer(
        server=offer.server,
        name=name,
        approved=None if problem is not None else approved,
        listed_digest=None if best is None else best.digest,
        problem=problem,
        where=where,
        ignored=() if offer.pin is None else offer.pin.ignore,
    )


def _difference(
    approved: ToolDefinition | None, listed: ToolDefinition | None, offer: ServerOffer
) -> str:
    """What was pinned and what is listed now, by their digests, and which members differ."""
    pinned = "not in the pin" if approved is None else f"pinned {_short(approved)}"
    place = offer.listing_place or offer.pin_place
    told = f"{place}: {pinned}, listed {'-' if listed is None else _short(listed)}"
    if approved is None or listed is None:
        return told
    old, new = approved.wire, listed.wire
    differing = (key for key in sorted({*old, *new}) if not _is_same(old, new, key))
    return f"{told}: {', '.join(differing)}"


def _is_same(old: Mapping[str, Any], new: Mapping[str, Any], key: str) -> bool:
    if key not in old or key not in new:
        return False
    return canonical_text(old[key]) == canonical_text(new[key])


def _short(tool: ToolDefinition) -> str:
    return tool.digest[:19]

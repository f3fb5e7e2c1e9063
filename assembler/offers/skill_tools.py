"""What a skill's `allowed-tools` are compared with: resident tools, and pins of servers."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from assembler.assess.skill_tools import KnownTools, find_unknown_tools
from assembler.discover.pins import find_pins
from assembler.model.canonical import MAX_TOOL_DEPTH, Numbers, StrictJsonError, read_strict
from assembler.model.finding import Finding
from assembler.model.skill import Skill
from assembler.offers.reader import FileReader


def offer_tool_findings(
    skills: Sequence[Skill], resident: Collection[str], reader: FileReader
) -> tuple[Finding, ...]:
    """A finding for each tool that a skill asks for and nobody knows; pins are read if one asks.

    Args:
        skills: all that were found.
        resident: names of resident tools.
        reader: reads the pins.
    """
    if not any(skill.asks_for for skill in skills if skill.state == "listed"):
        return ()
    return find_unknown_tools(skills, read_known_tools(resident, reader))


def read_known_tools(resident: Collection[str], reader: FileReader) -> KnownTools:
    """Every tool that the repository says there is.

    A pin is read for its names alone: whether it can be relied on is for those who let its tools
    in. One that is no pin leaves its server's tools untold.
    """
    pins = find_pins(reader.tree)
    contents, _ = reader.read_policy(pins.values(), "configuration")
    servers: dict[str, frozenset[str] | None] = {}
    for server, pin in pins.items():
        data = contents.get(pin.path)
        servers[server] = tool_names(data) if isinstance(data, bytes) else None
    return KnownTools(frozenset(resident), servers)


def tool_names(pin: bytes) -> frozenset[str] | None:
    """The names of a pin's tools; None where the bytes are no pin."""
    try:
        value = read_strict(pin, numbers=Numbers.EXACT, max_depth=MAX_TOOL_DEPTH + 4)
    except StrictJsonError:
        return None
    tools = value.get("tools") if isinstance(value, dict) else None
    return frozenset(tools) if isinstance(tools, dict) else None

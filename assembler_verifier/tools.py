"""Read the content of tool items and map it to the tool of each adapter.

Rules: FORMATS 7.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from assembler_verifier.inventory import TOOL_KINDS, Candidate
from assembler_verifier.static_checks import RefusedError
from assembler_verifier.strict_json import (
    JsonObject,
    JsonValue,
    UnreadableError,
    canonical,
    read_numbers,
)
from assembler_verifier.values import text_of

MAX_TOOL_DEPTH = 60
"""Depth of tool content (FORMATS 1.8)."""

_MEMBERS = frozenset({"name", "description", "inputSchema"})
_NAME = re.compile("[A-Za-z0-9_-]{1,64}")


class UnfitToolError(ValueError):
    """A content that is no tool."""


def read_tool(content: bytes) -> JsonObject:
    """Read the content of a tool item.

    Raises:
        UnfitToolError: it is not canonical JSON of the three members.
    """
    try:
        value = read_numbers(content, max_depth=MAX_TOOL_DEPTH)
    except UnreadableError:
        raise UnfitToolError from None
    if not isinstance(value, dict) or canonical(value) != content or not value.keys() <= _MEMBERS:
        raise UnfitToolError
    if not isinstance(value.get("name"), str) or not isinstance(value.get("inputSchema"), dict):
        raise UnfitToolError
    if "description" in value and not isinstance(value["description"], str):
        raise UnfitToolError
    return value


def map_tool(adapter: str, tool: JsonObject) -> JsonValue:
    """The tool as the body of the adapter's request has it."""
    named: JsonObject = {"name": tool["name"]}
    if "description" in tool:
        named["description"] = tool["description"]
    schema = tool["inputSchema"]
    match adapter:
        case "openai-responses":
            return {"type": "function", **named, "parameters": schema, "strict": False}
        case "openai-chat":
            return {"type": "function", "function": {**named, "parameters": schema}}
        case _:
            return {**named, "input_schema": schema}


def check_tools(selected: Iterable[tuple[Candidate, bytes]]) -> None:
    """Check the selected tools, given in canonical order.

    Raises:
        RefusedError: a content or a name is unfit, or a name comes twice.
    """
    names: set[str] = set()
    for candidate, content in selected:
        if candidate.kind not in TOOL_KINDS:
            continue
        try:
            name = text_of(read_tool(content)["name"])
        except UnfitToolError:
            raise RefusedError("tool-content-unfit", {"id": candidate.id}) from None
        if _NAME.fullmatch(name) is None:
            raise RefusedError("tool-name-unfit", {"id": candidate.id})
        if name in names:
            raise RefusedError("tool-name-collision", {"id": candidate.id, "name": name})
        names.add(name)

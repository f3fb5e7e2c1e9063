"""Tool items as a request holds them: checked once, mapped exactly.

Rules: docs/formats/request.md. `parameters` is the content's `inputSchema`; nothing of a tool
is lost on the way, so the check of the body can be exact.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from assembler.errors import ToolUnfitError
from assembler.model.candidate import TOOL_KINDS, Candidate
from assembler.model.canonical import (
    MAX_TOOL_DEPTH,
    Numbers,
    StrictJsonError,
    canonical_bytes,
    read_strict,
)

TOOL_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
"""What all three providers accept as a function's name."""

_MEMBERS: Final = frozenset({"name", "description", "inputSchema"})


def is_tool(candidate: Candidate) -> bool:
    """Whether the item stands in a tool place of a request."""
    return candidate.kind in TOOL_KINDS


def check_tools(items: Sequence[Candidate], contents: Mapping[str, bytes]) -> None:
    """Refuse tools that no request could hold, whatever the adapter.

    Raises:
        ToolUnfitError: `tool-content-unfit`, `tool-name-unfit` or `tool-name-collision`.
    """
    names: set[str] = set()
    for item in items:
        if not is_tool(item):
            continue
        definition = read_definition(contents[item.sha256 or ""])
        if definition is None:
            raise _unfit("tool-content-unfit", item, "is no canonical {name, inputSchema}")
        name = definition["name"]
        if not TOOL_NAME.match(name):
            raise _unfit("tool-name-unfit", item, "has a name that requests refuse")
        if name in names:
            raise _collision(item, name)
        names.add(name)


def read_definition(content: bytes) -> dict[str, Any] | None:
    """The tool's definition, or None where the content is not one in canonical form."""
    try:
        value = read_strict(content, numbers=Numbers.FINITE, max_depth=MAX_TOOL_DEPTH)
    except StrictJsonError:
        return None
    if not isinstance(value, dict) or not set(value) <= _MEMBERS:
        return None
    if not isinstance(value.get("name"), str) or not isinstance(value.get("inputSchema"), dict):
        return None
    if not isinstance(value.get("description", ""), str):
        return None
    return value if canonical_bytes(value) == content else None


def map_tool(definition: Mapping[str, Any], adapter: str) -> dict[str, Any]:
    """The tool as the adapter's API wants it."""
    described = {name: definition[name] for name in ("name", "description") if name in definition}
    schema = definition["inputSchema"]
    match adapter:
        case "openai-responses":
            return {"type": "function", **described, "parameters": schema, "strict": False}
        case "openai-chat":
            return {"type": "function", "function": {**described, "parameters": schema}}
        case _:
            return {**described, "input_schema": schema}


def _unfit(code: str, item: Candidate, problem: str) -> ToolUnfitError:
    return ToolUnfitError(
        code,
        f"tool {item.id} {problem}",
        detail={"id": item.id},
        where=item.id,
        next_step="turn the tool away, or ask its author",
    )


def _collision(item: Candidate, name: str) -> ToolUnfitError:
    return ToolUnfitError(
        "tool-name-collision",
        f"tool {item.id} has the name of another tool",
        detail={"id": item.id, "name": name},
        where=item.id,
        next_step="allow one of the two",
    )

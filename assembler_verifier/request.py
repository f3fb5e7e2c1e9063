"""The request body: its places, its segments, and its shape without the texts.

Rules: the table of FORMATS 7 and the text under it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assembler_verifier.inventory import Inventory
from assembler_verifier.strict_json import JsonObject, JsonValue

ENVELOPE_LAYOUT = "assembler-input/1"
TOOLS_POINTER = "/tools/"

_LIMIT_MEMBERS = {
    "openai-responses": "max_output_tokens",
    "openai-chat": "max_completion_tokens",
    "anthropic-messages": "max_tokens",
}
_MAX_INDEX_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of the rendering and its place in the body; `at` is null for a tool."""

    start: int
    end: int
    pointer: str
    at: int | None


@dataclass(frozen=True, slots=True)
class Places:
    """Where the two texts stand; without a first place the whole text stands in the second."""

    policy: str | None
    rest: str


def places_of(adapter: str, layout: str) -> Places:
    """The places of the texts for an adapter and a layout."""
    one_place = layout != ENVELOPE_LAYOUT
    match adapter:
        case "openai-responses":
            return Places(None if one_place else "/instructions", "/input/0/content/0/text")
        case "openai-chat":
            if one_place:
                return Places(None, "/messages/0/content")
            return Places("/messages/0/content", "/messages/1/content")
        case "anthropic-messages":
            return Places(None if one_place else "/system/0/text", "/messages/0/content/0/text")
        case _:
            return Places(None, "/text")


def expected_segments(
    places: Places, size: int, policy_end: int, tools: Sequence[tuple[int, int]]
) -> list[Segment]:
    """Cut a rendering of `size` bytes into segments.

    Args:
        places: where the texts stand.
        size: bytes of the rendering.
        policy_end: end of section 1.
        tools: start and end of each tool item, in order.
    """
    if places.policy is None:
        return [Segment(0, size, places.rest, 0)]
    segments = [Segment(0, policy_end, places.policy, 0)]
    offset, written = policy_end, 0
    for index, (start, end) in enumerate(tools):
        if start > offset:
            segments.append(Segment(offset, start, places.rest, written))
            written += start - offset
        segments.append(Segment(start, end, f"{TOOLS_POINTER}{index}", None))
        offset = end
    segments.append(Segment(offset, size, places.rest, written))
    return segments


def expected_body(inventory: Inventory, body: JsonValue, tool_count: int) -> JsonObject:
    """The body that the table gives, with the texts and tools that stand in `body`."""
    places = places_of(inventory.adapter, inventory.layout)
    policy = None if places.policy is None else _text_at(body, places.policy)
    built = _frame(inventory.adapter, policy, _text_at(body, places.rest))
    if inventory.model is not None:
        built["model"] = inventory.model
    limit = _LIMIT_MEMBERS.get(inventory.adapter)
    if limit is not None and inventory.max_output is not None:
        built[limit] = inventory.max_output
    if tool_count:
        built["tools"] = [value_at(body, f"{TOOLS_POINTER}{i}") for i in range(tool_count)]
    return built


def value_at(body: JsonValue, pointer: str) -> JsonValue:
    """The value at a JSON pointer; null if there is none."""
    value = body
    for step in _steps(pointer):
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and _is_index(step) and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def _steps(pointer: str) -> Iterator[str]:
    for part in pointer.split("/")[1:]:
        yield part.replace("~1", "/").replace("~0", "~")


def _is_index(step: str) -> bool:
    digits = step.isascii() and step.isdigit() and len(step) <= _MAX_INDEX_DIGITS
    return digits and (step == "0" or not step.startswith("0"))


def _text_at(body: JsonValue, pointer: str) -> str:
    value = value_at(body, pointer)
    return value if isinstance(value, str) else ""


def _frame(adapter: str, policy: str | None, rest: str) -> JsonObject:
    part: JsonObject = {"type": "text", "text": rest}
    match adapter:
        case "openai-responses":
            part["type"] = "input_text"
            frame: JsonObject = {"input": [{"role": "user", "content": [part]}]}
            return frame if policy is None else {**frame, "instructions": policy}
        case "openai-chat":
            user: JsonObject = {"role": "user", "content": rest}
            first: JsonObject = {"role": "developer", "content": policy}
            return {"messages": [user] if policy is None else [first, user]}
        case "anthropic-messages":
            frame = {"messages": [{"role": "user", "content": [part]}]}
            system: JsonValue = [{"type": "text", "text": policy}]
            return frame if policy is None else {**frame, "system": system}
        case _:
            return {"text": rest}

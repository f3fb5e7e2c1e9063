"""Prepare the request body of one of four adapters, and check what it carries.

In: a rendering. Out: the body's bytes and the segments that tie every rendered byte to its
place. Never here: sending. Rules: docs/formats/request.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from assembler.bind.tools import is_tool, map_tool, read_definition
from assembler.errors import RequestError
from assembler.model.canonical import canonical_bytes
from assembler.model.inventory import TEXT_LAYOUT, Adapter, BudgetTerms
from assembler.model.rendered import Rendering, Request, Segment

TEXT_ADAPTER: Final = "text"


class _Places(NamedTuple):
    """JSON pointers of an adapter: where policy and the rest stand, and the output limit."""

    policy: str
    rest: str
    rest_alone: str
    """Where the whole text stands when policy has no place of its own."""
    limit_member: str


_PLACES: Final = {
    "openai-responses": _Places(
        "/instructions", "/input/0/content/0/text", "/input/0/content/0/text",
        "max_output_tokens",
    ),
    "openai-chat": _Places(
        "/messages/0/content", "/messages/1/content", "/messages/0/content",
        "max_completion_tokens",
    ),
    "anthropic-messages": _Places(
        "/system/0/text", "/messages/0/content/0/text", "/messages/0/content/0/text",
        "max_tokens",
    ),
}  # fmt: skip


def bind(
    rendering: Rendering,
    *,
    layout: str,
    adapter: Adapter,
    terms: BudgetTerms,
    contents: Mapping[str, bytes],
) -> Request:
    """The request body of a rendering.

    Raises:
        RequestError: `adapter-incomplete` or `output-over-reserve`.
    """
    _refuse_incomplete(adapter, terms)
    segments = _cut_segments(rendering, layout, adapter.name)
    tools = [
        map_tool(_definition(contents[item.candidate.sha256 or ""]), adapter.name)
        for item in rendering.items
        if is_tool(item.candidate)
    ]
    body = _build_body(rendering.data, segments, adapter, tools if layout == TEXT_LAYOUT else [])
    return Request(body=canonical_bytes(body), segments=segments)


def require_carried(
    request: Request,
    rendering: Rendering,
    *,
    adapter: Adapter,
    contents: Mapping[str, bytes],
) -> None:
    """Refuse a body that does not carry exactly the rendered text, in either direction.

    The body is rebuilt from the rendered bytes and the segments alone, and compared byte by
    byte: text that is missing, and text or members that were added, both differ.

    Raises:
        RequestError: `request-mismatch`, naming the first pointer that differs.
    """
    tools = []
    items = {item.span.start: item for item in rendering.items}
    for segment in request.segments:
        if segment.at is None:
            item = items[segment.start]
            definition = _definition(contents[item.candidate.sha256 or ""])
            tools.append(map_tool(definition, adapter.name))
    expected = _build_body(rendering.data, request.segments, adapter, tools)
    if canonical_bytes(expected) != request.body:
        raise RequestError(
            "request-mismatch",
            "the prepared body does not carry exactly the rendered text; nothing is sent",
            detail={"pointer": _first_difference(expected, request.body)},
            next_step="send the body that was recorded, unchanged",
        )


def _refuse_incomplete(adapter: Adapter, terms: BudgetTerms) -> None:
    if adapter.name == TEXT_ADAPTER:
        return
    needs_limit = adapter.name == "anthropic-messages"
    if adapter.model is None or (needs_limit and adapter.max_output is None):
        raise RequestError(
            "adapter-incomplete",
            f"{adapter.name} needs a model{' and an output limit' if needs_limit else ''}",
            detail={"adapter": adapter.name},
            next_step="give --model NAME and a response reserve; in an inventory `adapter.model` "
            "and `adapter.max_output`",
        )
    reserve = dict(terms.reserves).get("response")
    if (
        adapter.max_output is not None
        and reserve is not None
        and terms.unit == "token"
        and reserve < adapter.max_output
    ):
        raise RequestError(
            "output-over-reserve",
            f"an output of {adapter.max_output:,} tokens is asked, {reserve:,} are kept for it",
            detail={"max_output": adapter.max_output, "reserve": reserve},
            next_step="raise the reserve `response`, or ask for less",
        )


def _cut_segments(rendering: Rendering, layout: str, adapter: str) -> tuple[Segment, ...]:
    end = len(rendering.data)
    if adapter == TEXT_ADAPTER:
        return (Segment(start=0, end=end, pointer="/text", at=0),)
    places = _PLACES[adapter]
    if layout != TEXT_LAYOUT:
        return (Segment(start=0, end=end, pointer=places.rest_alone, at=0),)
    policy_end = rendering.sections[0].end
    segments = [Segment(start=0, end=policy_end, pointer=places.policy, at=0)]
    position, at, index = policy_end, 0, 0
    for item in rendering.items:
        if not is_tool(item.candidate):
            continue
        start, stop = item.span.start, item.span.end
        if start > position:
            segments.append(Segment(start=position, end=start, pointer=places.rest, at=at))
            at += start - position
        segments.append(Segment(start=start, end=stop, pointer=f"/tools/{index}", at=None))
        position, index = stop, index + 1
    segments.append(Segment(start=position, end=end, pointer=places.rest, at=at))
    return tuple(segments)


def _build_body(
    data: bytes, segments: Sequence[Segment], adapter: Adapter, tools: list[dict[str, Any]]
) -> dict[str, Any]:
    parts: dict[str, list[bytes]] = {}
    for segment in segments:
        if segment.at is not None:
            parts.setdefault(segment.pointer, []).append(data[segment.start : segment.end])
    texts = {pointer: b"".join(pieces) for pointer, pieces in parts.items()}
    body: dict[str, Any] = {}
    if adapter.model is not None:
        body["model"] = adapter.model
    if adapter.name == TEXT_ADAPTER:
        body["text"] = texts.get("/text", b"").decode("utf-8")
        return body
    places = _PLACES[adapter.name]
    split = places.policy in texts and len(texts) > 1
    policy = texts[places.policy].decode("utf-8") if split else None
    rest = texts[places.rest if split else places.rest_alone].decode("utf-8")
    body |= _message_members(adapter.name, policy, rest)
    if adapter.max_output is not None:
        body[places.limit_member] = adapter.max_output
    if tools:
        body["tools"] = tools
    return body


def _message_members(adapter: str, policy: str | None, rest: str) -> dict[str, Any]:
    match adapter:
        case "openai-responses":
            content = [{"type": "input_text", "text": rest}]
            members: dict[str, Any] = {"input": [{"role": "user", "content": content}]}
            if policy is not None:
                members["instructions"] = policy
            return members
        case "openai-chat":
            first = [] if policy is None else [{"role": "developer", "content": policy}]
            return {"messages": [*first, {"role": "user", "content": rest}]}
        case _:
            content = [{"type": "text", "text": rest}]
            members = {"messages": [{"role": "user", "content": content}]}
            if policy is not None:
                members["system"] = [{"type": "text", "text": policy}]
            return members


def _definition(content: bytes) -> dict[str, Any]:
    definition = read_definition(content)
    assert definition is not None  # check_tools came first
    return definition


def _first_difference(expected: object, body: bytes) -> str:

    try:
        found = json.loads(body)
    except ValueError:
        return ""
    return _differing_pointer(expected, found, "")


def _differing_pointer(expected: object, found: object, pointer: str) -> str:
    if isinstance(expected, dict) and isinstance(found, dict):
        for name in sorted({*expected, *found}):
            if name not in expected or name not in found:
                return f"{pointer}/{name}"
            if expected[name] != found[name]:
                return _differing_pointer(expected[name], found[name], f"{pointer}/{name}")
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for index, (one, other) in enumerate(zip(expected, found, strict=True)):
            if one != other:
                return _differing_pointer(one, other, f"{pointer}/{index}")
    return pointer

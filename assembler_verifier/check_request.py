"""Checks on the request body, against the package's own segments and rendering.

Checks: request-canonical, segments, request-text, request-tools, request-shape, bound.
(request-hash is beside rendered-hash.)
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from assembler_verifier.folder import INVENTORY, LEDGER, MANIFEST, REQUEST
from assembler_verifier.inventory import TOOL_KINDS, Candidate, Inventory
from assembler_verifier.objects import BrokenObjectError
from assembler_verifier.package import Package
from assembler_verifier.report import Claims, printable
from assembler_verifier.request import (
    TOOLS_POINTER,
    Segment,
    expected_body,
    expected_segments,
    places_of,
    value_at,
)
from assembler_verifier.strict_json import JsonObject, JsonValue, same
from assembler_verifier.tools import UnfitToolError, map_tool, read_tool

_SEGMENT_CHECKS = ("segments", "request-text", "request-tools", "request-shape", "bound")


@dataclass(frozen=True, slots=True)
class _OwnSpan:
    """The span that a row claims."""

    start: int
    end: int
    body_start: int
    body_end: int


def check_request(claims: Claims, package: Package) -> None:
    """Run every check of this module."""
    _check_canonical(claims, package)
    segments = _own_segments(package.manifest)
    for name in _SEGMENT_CHECKS:
        why = package.why_not(MANIFEST) or "the segments cannot be read"
        claims.unchecked(name, why)
    if package.manifest is None:
        return
    if segments is None:
        claims.failed("segments", f"{MANIFEST}: a segment is none")
        return
    _check_segments(claims, package, segments)
    _check_texts(claims, package, segments)
    _check_tools(claims, package, segments)
    _check_shape(claims, package, segments)
    _check_bound(claims, package, segments)


def _check_canonical(claims: Claims, package: Package) -> None:
    why = package.why_not(REQUEST)
    if why:
        claims.unchecked("request-canonical", why)
        return
    fits = package.files[REQUEST].is_canonical
    claims.judge(
        "request-canonical", [] if fits else [f"{REQUEST} differs from its canonical form"]
    )


def _check_segments(claims: Claims, package: Package, segments: Sequence[Segment]) -> None:
    inventory, rendered, rows = package.inventory, package.rendered, package.rows
    if inventory is None or rendered is None or rows is None:
        claims.unchecked("segments", package.why_not(INVENTORY, LEDGER, package.rendered_name))
        return
    places = places_of(inventory.adapter, inventory.layout)
    policy_end = _own_policy_end(package.manifest)
    if policy_end is None and places.policy is not None:
        claims.failed("segments", f"{MANIFEST}: section 1 has no end")
        return
    tools = sorted(
        (span.start, span.end)
        for row in rows
        if row.get("kind") in list(TOOL_KINDS) and (span := _own_span(row)) is not None
    )
    expected = expected_segments(places, len(rendered), policy_end or 0, tools)
    pairs = enumerate(zip(expected, segments, strict=False))
    problems = [
        f"segment {index} should be bytes {right.start}..{right.end} at {right.pointer}"
        for index, (right, given) in pairs
        if right != given
    ]
    if len(expected) != len(segments):
        problems.append(f"there should be {len(expected)} segments")
    claims.judge("segments", problems)


def _check_texts(claims: Claims, package: Package, segments: Sequence[Segment]) -> None:
    rendered = package.rendered
    why = package.why_not(REQUEST, package.rendered_name)
    if rendered is None or why:
        claims.unchecked("request-text", why)
        return
    texts = _texts_of(package.body, segments)
    written = dict.fromkeys(texts, 0)
    problems: list[str] = []
    for segment in segments:
        if segment.at is None:
            continue
        size = segment.end - segment.start
        stands = texts[segment.pointer][segment.at : segment.at + size]
        if (
            segment.at != written[segment.pointer]
            or stands != rendered[segment.start : segment.end]
        ):
            where = f"{printable(segment.pointer)} from byte {segment.at}"
            problems.append(f"{where} is not bytes {segment.start}..{segment.end} of the rendering")
        written[segment.pointer] += size
    for pointer, text in texts.items():
        if len(text) != written[pointer]:
            problems.append(f"{printable(pointer)} has {len(text) - written[pointer]} bytes more")
    claims.judge("request-text", problems)


def _texts_of(body: JsonValue, segments: Sequence[Segment]) -> dict[str, bytes]:
    texts: dict[str, bytes] = {}
    for segment in segments:
        if segment.at is not None and segment.pointer not in texts:
            value = value_at(body, segment.pointer)
            texts[segment.pointer] = value.encode() if isinstance(value, str) else b""
    return texts


def _check_tools(claims: Claims, package: Package, segments: Sequence[Segment]) -> None:
    inventory, rows = package.inventory, package.rows
    why = package.why_not(INVENTORY, LEDGER, REQUEST)
    if inventory is None or rows is None or why:
        claims.unchecked("request-tools", why)
        return
    spans = {(span.start, span.end): row for row in rows if (span := _own_span(row)) is not None}
    tools = {item.id: item for item in inventory.candidates if item.kind in TOOL_KINDS}
    problems: list[str] = []
    for segment in segments:
        if segment.at is not None:
            continue
        row = spans.get((segment.start, segment.end))
        try:
            candidate = tools.get(str(row.get("id"))) if row is not None else None
            expected = None if candidate is None else _mapped(package, inventory, candidate)
        except BrokenObjectError:
            claims.unchecked("request-tools", "the object of a tool is missing or altered")
            return
        if expected is None or not same(value_at(package.body, segment.pointer), expected):
            problems.append(f"{printable(segment.pointer)} is not its item as mapped")
    claims.judge("request-tools", problems)


def _mapped(package: Package, inventory: Inventory, candidate: Candidate) -> JsonValue:
    content = package.objects.content(candidate)
    try:
        return None if content is None else map_tool(inventory.adapter, read_tool(content))
    except UnfitToolError:
        return None


def _check_shape(claims: Claims, package: Package, segments: Sequence[Segment]) -> None:
    inventory = package.inventory
    why = package.why_not(INVENTORY, REQUEST)
    if inventory is None or why:
        claims.unchecked("request-shape", why)
        return
    places = places_of(inventory.adapter, inventory.layout)
    allowed = {places.policy, places.rest}
    problems: list[str] = []
    tools = [segment.pointer for segment in segments if segment.at is None]
    if any(segment.at is not None and segment.pointer not in allowed for segment in segments):
        problems.append("a segment names a text that the table does not have")
    if tools != [f"{TOOLS_POINTER}{index}" for index in range(len(tools))]:
        problems.append("the tools of the segments are not /tools/0 and on, in order")
    expected = expected_body(inventory, package.body, len(tools))
    if not same(package.body, expected):
        problems.append(_differing_member(package.body, expected))
    claims.judge("request-shape", problems)


def _differing_member(body: JsonValue, expected: JsonObject) -> str:
    members = body if isinstance(body, dict) else {}
    for name, value in expected.items():
        if name not in members or not same(members[name], value):
            return f"{REQUEST}: {name} is not what the table says"
    return f"{REQUEST} has a member more than the table says"


def _check_bound(claims: Claims, package: Package, segments: Sequence[Segment]) -> None:
    if package.rows is None:
        claims.unchecked("bound", package.why_not(LEDGER))
        return
    problems = []
    in_place = sorted(segments, key=lambda segment: (segment.start, segment.end))
    starts = [segment.start for segment in in_place]
    for row in package.rows:
        expected = _expected_bound(row, in_place, starts)
        if expected is _NO_BOUND or not same(row.get("bound"), expected):
            problems.append(
                f"row of {printable(str(row.get('id')))}: its place in the request differs"
            )
    claims.judge("bound", problems)


_NO_BOUND: JsonObject = {}
"""Stands for a span that no segment holds."""


def _expected_bound(
    row: JsonObject, in_place: Sequence[Segment], starts: Sequence[int]
) -> JsonValue:
    if row.get("span") is None:
        return None
    span = _own_span(row)
    index = -1 if span is None else bisect_right(starts, span.start) - 1
    if span is None or index < 0 or span.end > in_place[index].end:
        return _NO_BOUND
    segment = in_place[index]
    if segment.at is None:
        return {"pointer": segment.pointer, "start": None, "end": None}
    shift = segment.at - segment.start
    return {
        "pointer": segment.pointer,
        "start": span.body_start + shift,
        "end": span.body_end + shift,
    }


def _own_segments(manifest: JsonObject | None) -> list[Segment] | None:
    listed = None if manifest is None else manifest.get("segments")
    if not isinstance(listed, list):
        return None
    segments = [_own_segment(item) for item in listed]
    read = [segment for segment in segments if segment is not None]
    return read if len(read) == len(listed) else None


def _own_segment(item: JsonValue) -> Segment | None:
    if not isinstance(item, dict):
        return None
    start, end = _offset(item.get("start")), _offset(item.get("end"))
    pointer, at = item.get("pointer"), item.get("at", -1)
    if start is None or end is None or end < start or not isinstance(pointer, str):
        return None
    if at is None:
        return Segment(start, end, pointer, None)
    offset = _offset(at)
    return None if offset is None else Segment(start, end, pointer, offset)


def _own_policy_end(manifest: JsonObject | None) -> int | None:
    sections = None if manifest is None else manifest.get("sections")
    first = sections[0] if isinstance(sections, list) and sections else None
    return _offset(first.get("end")) if isinstance(first, dict) else None


def _own_span(row: JsonObject) -> _OwnSpan | None:
    span = row.get("span")
    members = span if isinstance(span, dict) else {}
    names = ("start", "end", "body_start", "body_end")
    offsets = [offset for name in names if (offset := _offset(members.get(name))) is not None]
    return _OwnSpan(*offsets) if len(offsets) == len(names) else None


def _offset(value: JsonValue) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if value >= 0 else None

"""Change the rendered bytes and move everything that stands after the change.

Spans, sections, segments, the texts of the request and the places in it are mended, so that a
package is consistent in itself and only a rendering made again tells it from a good one.
"""

from __future__ import annotations

from typing import Any

from assembler_verifier.folder import LEDGER, MANIFEST, REQUEST
from assembler_verifier.request import value_at
from assembler_verifier.self_test.draft import Draft
from assembler_verifier.self_test.kind import Change


def without_item(item: str) -> Change:
    """Take the bytes of an item out of the rendering."""

    def apply(draft: Draft) -> None:
        span = _span(draft, item)
        replace_stretch(draft, span["start"], span["end"], b"")
        draft.mend()

    return apply


def with_inserted(before: str, data: bytes) -> Change:
    """Insert bytes before an item."""

    def apply(draft: Draft) -> None:
        start = _span(draft, before)["start"]
        replace_stretch(draft, start, start, data)
        draft.mend()

    return apply


def with_swapped(first: str, second: str) -> Change:
    """Exchange two items that stand next to each other."""

    def apply(draft: Draft) -> None:
        one, two = _span(draft, first), _span(draft, second)
        start, middle, end = one["start"], one["end"], two["end"]
        data = draft.rendered[middle:end] + draft.rendered[start:middle]
        replace_stretch(draft, start, end, data)
        rows = draft.read(LEDGER)
        for row in rows:
            if row["id"] == first:
                row["span"] = _moved(one, end - middle)
            elif row["id"] == second:
                row["span"] = _moved(two, start - middle)
        _bind(rows, draft.read(MANIFEST)["segments"])
        draft.write(LEDGER, rows)
        draft.mend()

    return apply


def with_bytes(before: bytes, after: bytes) -> Change:
    """Put other bytes in place of some bytes of the rendering."""

    def apply(draft: Draft) -> None:
        start = draft.rendered.index(before)
        replace_stretch(draft, start, start + len(before), after)
        draft.mend()

    return apply


def replace_stretch(draft: Draft, start: int, end: int, data: bytes) -> None:
    """Put bytes in place of a stretch of the rendering that lies in one segment of text."""
    rendered = draft.rendered
    manifest, rows, body = draft.read(MANIFEST), draft.read(LEDGER), draft.read(REQUEST)
    _edit_text(body, manifest["segments"], start, end, data)
    shift = _Shift(start, end, len(data) - (end - start))
    _move_segments(manifest["segments"], shift)
    for section in manifest["sections"]:
        section |= {"start": shift.of_start(section["start"]), "end": shift.of_end(section["end"])}
    for row in rows:
        row["span"] = shift.of_span(row["span"])
    _bind(rows, manifest["segments"])
    draft.files[draft.rendered_name] = rendered[:start] + data + rendered[end:]
    for name, value in ((MANIFEST, manifest), (LEDGER, rows), (REQUEST, body)):
        draft.write(name, value)


class _Shift:
    """Moves places that stand after a changed stretch."""

    def __init__(self, start: int, end: int, by: int) -> None:
        self.start = start
        self.end = end
        self.by = by

    def of_start(self, place: int) -> int:
        return place + self.by if place >= self.end else place

    def of_end(self, place: int) -> int:
        return place + self.by if place >= self.end and place > self.start else place

    def of_span(self, span: Any) -> Any:
        if span is None or self._removes(span):
            return None
        starts = {name: self.of_start(span[name]) for name in ("start", "body_start")}
        ends = {name: self.of_end(span[name]) for name in ("end", "body_end")}
        return {**span, **starts, **ends}

    def _removes(self, span: Any) -> bool:
        size = self.end - self.start
        whole = self.start <= span["start"] and span["end"] <= self.end
        return whole and size > 0 and self.by == -size


def _move_segments(segments: Any, shift: _Shift) -> None:
    changed = _holding(segments, shift.start, shift.end)
    for segment in segments:
        if segment["start"] > changed["start"]:
            if segment["pointer"] == changed["pointer"]:
                segment["at"] += shift.by
            segment["start"] += shift.by
            segment["end"] += shift.by
    changed["end"] += shift.by


def _holding(segments: Any, start: int, end: int) -> Any:
    return next(
        item
        for item in segments
        if item["at"] is not None and item["start"] <= start and end <= item["end"]
    )


def _edit_text(body: Any, segments: Any, start: int, end: int, data: bytes) -> None:
    segment = _holding(segments, start, end)
    pointer, by = segment["pointer"], segment["at"] - segment["start"]
    text = str(value_at(body, pointer)).encode()
    changed = text[: start + by] + data + text[end + by :]
    _put_at(body, pointer, changed.decode())


def _put_at(body: Any, pointer: str, value: str) -> None:
    *steps, last = pointer.split("/")[1:]
    for step in steps:
        body = body[int(step)] if isinstance(body, list) else body[step]
    body[last] = value


def _bind(rows: Any, segments: Any) -> None:
    for row in rows:
        span = row["span"]
        row["bound"] = None if span is None else _bound(span, segments)


def _bound(span: Any, segments: Any) -> Any:
    segment = next(
        item for item in segments if item["start"] <= span["start"] and span["end"] <= item["end"]
    )
    if segment["at"] is None:
        return {"pointer": segment["pointer"], "start": None, "end": None}
    by = segment["at"] - segment["start"]
    return {
        "pointer": segment["pointer"],
        "start": span["body_start"] + by,
        "end": span["body_end"] + by,
    }


def _span(draft: Draft, item: str) -> Any:
    return next(row["span"] for row in draft.read(LEDGER) if row["id"] == item)


def _moved(span: Any, by: int) -> Any:
    return {name: place + by if isinstance(place, int) else place for name, place in span.items()}

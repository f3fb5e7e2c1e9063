"""A rendered input: its bytes, and where each section and item stands in them."""

from __future__ import annotations

from typing import Any, NamedTuple

from assembler.model.candidate import Candidate


class Span(NamedTuple):
    """Byte offsets, half open, of an item and of its body in the rendered bytes."""

    start: int
    end: int
    body_start: int
    body_end: int
    form: str

    def to_json(self) -> dict[str, Any]:
        """The members of a ledger row's `span`."""
        return {
            "start": self.start,
            "end": self.end,
            "body_start": self.body_start,
            "body_end": self.body_end,
            "form": self.form,
        }


class PlacedItem(NamedTuple):
    """A candidate and the place its rendering got."""

    candidate: Candidate
    span: Span


class SectionSpan(NamedTuple):
    """Byte offsets of a section, heading included."""

    section: str
    start: int
    end: int


class Rendering(NamedTuple):
    """The input of one model call."""

    file_name: str
    data: bytes
    items: tuple[PlacedItem, ...]
    sections: tuple[SectionSpan, ...]


class Segment(NamedTuple):
    """A stretch of the rendered bytes and its place in the request body.

    `at` is the byte offset inside the string at `pointer`, or None in a tool place.
    """

    start: int
    end: int
    pointer: str
    at: int | None

    def to_json(self) -> dict[str, Any]:
        """The members of a manifest's segment."""
        return {"start": self.start, "end": self.end, "pointer": self.pointer, "at": self.at}


class Request(NamedTuple):
    """A prepared request body and the segments that tie it to the rendered bytes."""

    body: bytes
    segments: tuple[Segment, ...]

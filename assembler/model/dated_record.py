"""A dated record: lines of a file that hold from one day to another, and what they are about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assembler.model.candidate import Candidate


class DatedRecord(NamedTuple):
    """One entry of a records file, as its author wrote it."""

    id: str
    version: str
    file: str
    """Root-relative."""
    lines: tuple[int, int] | None = None
    """First and last line, from 1; None: the whole file."""
    topics: tuple[str, ...] = ()
    valid_from: str | None = None
    valid_to: str | None = None
    """First day on which it holds no more."""
    replaces: tuple[str, ...] = ()
    """Ids of records."""


class RecordTerms(NamedTuple):
    """The records of a run: all that the file has, whether they are asked for or not."""

    file: str | None = None
    """The records file, root-relative; None: the run asks for no record."""
    records: tuple[tuple[DatedRecord, Candidate], ...] = ()
    """Each record with its candidate as task and profile make it, its content unread."""
    unfound: tuple[Candidate, ...] = ()
    """Rows of records that the task names and that are not there."""


def hold_together(one: Candidate, other: Candidate, asked: Sequence[str] | None) -> bool:
    """Whether both hold on one asked date; where no date is asked, on any day at all."""
    start = max(one.valid_from or "", other.valid_from or "")
    ends = [end for end in (one.valid_to, other.valid_to) if end is not None]
    end = min(ends) if ends else None
    if asked is None:
        return end is None or start < end
    return any(start <= date and (end is None or date < end) for date in asked)


def holds_on(item: Candidate, date: str) -> bool:
    """Whether it holds on the day; half open."""
    return (item.valid_from or "") <= date and (item.valid_to is None or date < item.valid_to)

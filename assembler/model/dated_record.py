"""A dated record: lines of a file that hold from one day to another, and what they are about."""

from __future__ import annotations

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


def holds_on(item: Candidate, date: str) -> bool:
    """Whether it holds on the day; half open."""
    return (item.valid_from or "") <= date and (item.valid_to is None or date < item.valid_to)

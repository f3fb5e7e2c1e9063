"""Dated records: what each could be evidence of, before its lines are read.

In: the entries of a records file and what the task asks for. Out: candidates without content.
Never here: whether a record holds on an asked day; that is a fact of its own, judged later.
"""

from __future__ import annotations

from typing import Final

from assembler.discover.evidence import UNREAD
from assembler.model.candidate import Absent, Candidate
from assembler.model.dated_record import DatedRecord
from assembler.model.limits import MAX_WORDS_BYTES, bounded_name
from assembler.model.symbols import write_ranges

KIND: Final = "record"
ASKED: Final = "a record asked for"
"""What a record decides that the task's topics, its dates or an entry ask for."""


def record_id(name: str) -> str:
    """`record:ID`."""
    return f"{KIND}:{name}"


def discover_record(record: DatedRecord, *, path: str, trust: str, is_asked: bool) -> Candidate:
    """The candidate of a record; one that nothing asks for decides nothing.

    Args:
        record: as the file has it.
        path: the records file.
        trust: word of the class of files.
        is_asked: whether the task asks for records, or for this one.
    """
    place = record.file
    if record.lines is not None:
        place = f"{place}#{write_ranges((record.lines,))}"
    return Candidate(
        id=record_id(record.id),
        kind=KIND,
        section="evidence",
        trust=trust,
        content=UNREAD,
        source=bounded_name(place, most_bytes=MAX_WORDS_BYTES),
        version=record.version,
        topics=record.topics,
        valid_from=record.valid_from,
        valid_to=record.valid_to,
        replaces=tuple(record_id(name) for name in record.replaces),
        discovered_by=bounded_name(f"records {path}", most_bytes=MAX_WORDS_BYTES),
        decides=ASKED if is_asked else None,
        decision_value=None if is_asked else 0,
        refresh="digest",
    )


def record_not_found(name: str, *, path: str | None, trust: str) -> Candidate:
    """The row of a record that the task names and that the file does not have."""
    found_by = "records: the profile names no file" if path is None else f"records {path}: 0 hits"
    return Candidate(
        id=record_id(name),
        kind=KIND,
        section="evidence",
        trust=trust,
        content=Absent("unreadable"),
        discovered_by=bounded_name(found_by, most_bytes=MAX_WORDS_BYTES),
    )


def date_not_found(date: str, *, path: str, topics: tuple[str, ...] | None) -> Candidate:
    """The row of an asked day on which no record holds that could enter."""
    about = "" if topics is None else f" about {', '.join(topics)}"
    found_by = f"records {path}: 0 hold on {date}{about}"
    return Candidate(
        id=f"records:{date}",
        kind="search",
        section="evidence",
        trust="repository",
        content=Absent("unreadable"),
        discovered_by=bounded_name(found_by, most_bytes=MAX_WORDS_BYTES),
    )

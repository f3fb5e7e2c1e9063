"""`assembler/records/1`: records of one source that replace each other as time goes on."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from assembler.config.decoding import config_error, decode
from assembler.config.records import Meta, Struct
from assembler.model.dated_record import DatedRecord
from assembler.model.document import Document, DocumentPath
from assembler.model.paths import normal_path
from assembler.model.times import is_date

SCHEMA: Final = "assembler/records/1"

MAX_RECORDS: Final = 2_000
"""Of one file; each is a row of every run that asks for records."""
MAX_TOPICS: Final = 32
"""Of one record; as many records it may replace."""
MAX_WORD_BYTES: Final = 500
"""Of an id, a version or a topic; an id has a prefix before it becomes a candidate's."""

Line = Annotated[int, Meta(ge=1, le=10**11)]
Words = Annotated[str, Meta(min_length=1, max_length=400)]


class RecordEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """One record: whole lines of a file, and when they hold."""

    id: Words
    """How a task names it; its row is `record:ID`."""
    version: Words | int
    """Which version of the source it is, as its author calls it."""
    file: Annotated[str, Meta(min_length=1, max_length=4096)]
    """Where its text is, root-relative."""
    lines: tuple[Line, Line] | None = None
    """First and last line, from 1; left out: the whole file."""
    topics: Annotated[list[Words], Meta(max_length=MAX_TOPICS)] = []
    """What it is about; out if it shares none with the task."""
    valid_from: str | None = None
    """First date on which it holds."""
    valid_to: str | None = None
    """First date on which it holds no more."""
    replaces: Annotated[list[Words], Meta(max_length=MAX_TOPICS)] = []
    """Ids of the records that it was written to replace."""


class RecordFile(Struct, frozen=True, forbid_unknown_fields=True, rename={"schema_": "schema"}):
    """Records, each with the days on which it holds."""

    schema_: Literal["assembler/records/1"]
    records: list[RecordEntry]
    """The records, each id once."""


def read_records(document: Document, *, path: str) -> tuple[DatedRecord, ...]:
    """The records, by id.

    A bare list is the list of records without the schema around it.

    Raises:
        ConfigError: no such file, an id twice, a date that is none, days or lines that end
            before they begin, a path that leaves the repository.
    """
    is_bare = isinstance(document.value, list)
    whole = _with_schema(document) if is_bare else document
    decoded = decode(whole, RecordFile, path=path, schema=SCHEMA)
    if len(decoded.records) > MAX_RECORDS:
        raise config_error(whole, path, ("records",), f"holds more than {MAX_RECORDS:,} records")
    seen: set[str] = set()
    for number, entry in enumerate(decoded.records):
        _check(entry, whole, path, ("records", number))
        if entry.id in seen:
            raise config_error(whole, path, ("records", number, "id"), "stands twice")
        seen.add(entry.id)
    return tuple(_record(entry) for entry in sorted(decoded.records, key=lambda entry: entry.id))


def _with_schema(document: Document) -> Document:
    value = {"schema": SCHEMA, "records": document.value}
    places = {("records", *at): place for at, place in document.positions.items()}
    return Document(value, places)


def _check(entry: RecordEntry, document: Document, path: str, at: DocumentPath) -> None:
    for name in ("valid_from", "valid_to"):
        text = getattr(entry, name)
        if text is not None and not is_date(text):
            raise config_error(document, path, (*at, name), "is not a date YYYY-MM-DD")
    if entry.valid_from and entry.valid_to and entry.valid_from >= entry.valid_to:
        raise config_error(document, path, (*at, "valid_to"), "is not later than `valid_from`")
    if entry.lines is not None and entry.lines[0] > entry.lines[1]:
        raise config_error(document, path, (*at, "lines"), "ends before it begins")
    if normal_path(entry.file) != entry.file:
        message = "is not a plain path inside the repository"
        raise config_error(document, path, (*at, "file"), message, code="path-outside")
    if entry.id in entry.replaces:
        raise config_error(document, path, (*at, "replaces"), "names the record itself")
    for name in ("id", "topics", "replaces", "version"):
        value = getattr(entry, name)
        for text in value if isinstance(value, list) else [str(value)]:
            if not text.strip() or len(text.encode("utf-8")) > MAX_WORD_BYTES:
                message = f"is blank or over {MAX_WORD_BYTES} bytes"
                raise config_error(document, path, (*at, name), message)


def _record(entry: RecordEntry) -> DatedRecord:
    return DatedRecord(
        id=entry.id,
        version=str(entry.version),
        file=entry.file,
        lines=entry.lines,
        topics=tuple(sorted(set(entry.topics))),
        valid_from=entry.valid_from,
        valid_to=entry.valid_to,
        replaces=tuple(sorted(set(entry.replaces))),
    )

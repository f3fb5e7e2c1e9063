"""Dated records: which hold when they are asked for, their lines, and what contradicts what.

In: the records of a run with the terms it is made under. Out: a row for every record, facts only.
The lines of a record that its own facts keep out are not read.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from assembler.authorize.read_scope import authorize_evidence
from assembler.discover.records import date_not_found
from assembler.model.candidate import Absent, Address, Candidate, Content, Inline
from assembler.model.dated_record import DatedRecord, RecordTerms, holds_on
from assembler.model.decision import Reason
from assembler.model.inventory import Inventory
from assembler.model.limits import MAX_ITEM_BYTES, MAX_WORDS_BYTES, bounded_name, bounded_place
from assembler.model.lines import count_lines, whole_lines
from assembler.model.order import canonical_key
from assembler.model.tree import Authorized, Denied, EntryKind, Unreadable
from assembler.offers.evidence import EvidenceOffer
from assembler.offers.reader import FileReader
from assembler.select.checks import check_facts

MAX_CONFLICTS: Final = 50
"""Records that one row names as in conflict with it."""
MAX_DAYS: Final = 100
"""Asked days without a record that become rows."""


class RecordOffer(NamedTuple):
    """The rows of the records."""

    candidates: tuple[Candidate, ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    """Id and file of each record."""
    required: frozenset[str] = frozenset()
    """Records that another required one brings with it, since they answer as one."""


def offer_records(terms: RecordTerms, inventory: Inventory, reader: FileReader) -> RecordOffer:
    """A row for every record, with lines where nothing known beforehand keeps it out.

    Args:
        terms: the records as task and profile make them.
        inventory: the terms of the run, without candidates; what it requires is read anyway.
        reader: reads the tree of the run, under its read grant.
    """
    if terms.file is None:
        return RecordOffer(candidates=terms.unfound)
    rows = {item.id: item for item in _read(terms, inventory, reader)}
    eligible = [
        item
        for item in rows.values()
        if isinstance(item.content, Inline) and check_facts(item, inventory) is None
    ]
    rows.update((item.id, item) for item in find_conflicts(eligible, inventory))
    comparison = compare_days([rows[item.id] for item in eligible], inventory)
    rows.update((item.id, item) for item in comparison.items)
    return RecordOffer(
        candidates=(
            *rows.values(),
            *terms.unfound,
            *_days_without(terms.file, eligible, inventory),
        ),
        files=tuple((item.id, record.file) for record, item in terms.records),
        required=comparison.required,
    )


def join_records(evidence: EvidenceOffer, records: RecordOffer) -> EvidenceOffer:
    """The evidence of a run with its records."""
    missing = {item.id: None for item in records.candidates if item.content == Absent("unreadable")}
    return evidence._replace(
        candidates=(*evidence.candidates, *records.candidates),
        paths={**evidence.paths, **dict(records.files)},
        missing={**evidence.missing, **missing},
    )


def _read(terms: RecordTerms, inventory: Inventory, reader: FileReader) -> list[Candidate]:
    """Every record: denied by its file's name, or with its lines, or unread."""
    entries = reader.tree.look_up(list({record.file: None for record, _ in terms.records}))
    permissions = {path: authorize_evidence(entry, reader.scope) for path, entry in entries.items()}
    wanted = {
        record.file
        for record, item in terms.records
        if _is_wanted(item, inventory) and entries[record.file].kind is EntryKind.FILE
    }
    allowed = [
        found for path in sorted(wanted) if isinstance(found := permissions[path], Authorized)
    ]
    contents = reader.read(allowed)
    filled = {}
    # File by file, so that each is taken apart once.
    for number, (record, item) in sorted(
        enumerate(terms.records), key=lambda pair: pair[1][0].file
    ):
        permission = permissions[record.file]
        is_told = isinstance(permission, Denied) or _is_wanted(item, inventory)
        filled[number] = _fill(record, item, permission, contents) if is_told else item
    return [filled[number] for number in range(len(terms.records))]


def _is_wanted(item: Candidate, inventory: Inventory) -> bool:
    """Whether nothing that is known without its lines keeps the record out."""
    verdict = check_facts(item, inventory)
    return verdict is None or verdict[0] is Reason.CONTENT_ABSENT


def _fill(
    record: DatedRecord,
    item: Candidate,
    permission: Authorized | Denied,
    contents: Mapping[str, bytes | Unreadable],
) -> Candidate:
    if isinstance(permission, Denied):
        return item._replace(content=Absent("denied", rule=permission.rule))
    if permission.entry.kind is EntryKind.OUTSIDE_LINK:
        where = bounded_place(record.file)
        content = Absent("turned-away", code="link-leaves-repository", where=where)
        return item._replace(content=content)
    data = contents.get(record.file, Unreadable("missing"))
    if isinstance(data, Unreadable):
        if data.reason != "size-limit":
            return item._replace(content=Absent("unreadable"))
        where = bounded_place(f"{record.file}: over {MAX_ITEM_BYTES:,} bytes, or one long blank")
        return item._replace(content=Absent("turned-away", code="size-limit", where=where))
    first, last = record.lines or (1, count_lines(data))
    lines = whole_lines(data, first, last) if last else None
    if lines is None:
        # A range past the end, or a file without a line: there is nothing to quote.
        return item._replace(content=Absent("unreadable"))
    address = Address(record.id, record.version, first, last)
    return item._replace(content=Inline(lines), address=address)


def find_conflicts(eligible: Sequence[Candidate], inventory: Inventory) -> list[Candidate]:
    """Those records that are about one asked topic at one time in different words.

    Args:
        eligible: records with their lines that could enter.
        inventory: the asked days and topics.

    Returns:
        The records with a conflict, each naming the others, at most `MAX_CONFLICTS`.
    """
    asked = inventory.task.topics
    days = _days_of(eligible, inventory.task.as_of)
    by_topic: dict[str, list[Candidate]] = {}
    for item in sorted(eligible, key=lambda candidate: (days[candidate.id], candidate.id)):
        for topic in item.topics:
            if asked is None or topic in inventory.asked_topics:
                by_topic.setdefault(topic, []).append(item)
    others: dict[str, set[str]] = {item.id: set() for item in eligible}
    for topic in sorted(by_topic):
        _note_conflicts(by_topic[topic], days, others)
    return [
        item._replace(conflicts_with=tuple(sorted(others[item.id])))
        for item in eligible
        if others[item.id]
    ]


def _days_of(
    eligible: Sequence[Candidate], asked: Sequence[str] | None
) -> dict[str, tuple[int, int]]:
    """Of each record the days on which it holds, as a half open range of one list of days.

    Where none is asked the days are those on which a record begins to hold: two that hold
    together do so on the later one of theirs.
    """
    dates = sorted({item.valid_from or "" for item in eligible}) if asked is None else asked
    return {
        item.id: (
            bisect_left(dates, item.valid_from or ""),
            len(dates) if item.valid_to is None else bisect_left(dates, item.valid_to),
        )
        for item in eligible
    }


def _note_conflicts(
    items: Sequence[Candidate],
    days: Mapping[str, tuple[int, int]],
    others: Mapping[str, set[str]],
) -> None:
    """Have records of one topic name each other, in the order in which they begin to hold.

    What was met before is kept by its content, so that equal texts are never compared.
    """
    met: dict[Content, list[str]] = {}
    for item in items:
        mine, (begins, ends) = others[item.id], days[item.id]
        if begins == ends:
            continue  # it holds on none of the days
        for content in [content for content in met if content != item.content]:
            met[content] = [
                name
                for name in met[content]
                if days[name][1] > begins and len(others[name]) < MAX_CONFLICTS
            ]
            for name in met[content][: MAX_CONFLICTS - len(mine)]:
                mine.add(name)
                others[name].add(item.id)
            if not met[content]:
                del met[content]
            if len(mine) >= MAX_CONFLICTS:
                break
        if len(mine) < MAX_CONFLICTS:
            met.setdefault(item.content, []).append(item.id)


class Comparison(NamedTuple):
    """The records that answer for several asked days together."""

    items: tuple[Candidate, ...] = ()
    """Those that are not as they were."""
    required: frozenset[str] = frozenset()


def compare_days(eligible: Sequence[Candidate], inventory: Inventory) -> Comparison:
    """Where several days are asked, the records of all of them enter together or not at all.

    A group of the task's own wins. Of equal texts the first one stands in the group and the
    others decide nothing beside it: twice the same text would keep the whole group out.
    """
    dates = inventory.task.as_of or ()
    asked = [item for item in eligible if item.group is None and item.decision_value != 0]
    if len(dates) < 2 or len(asked) < 2:
        return Comparison()
    name = bounded_name(" ".join(dates), prefix="as-of:")
    changed: dict[str, Candidate] = {}
    first_with: dict[Content, str] = {}
    for item in sorted(asked, key=canonical_key):
        known = first_with.setdefault(item.content, item.id)
        changed[item.id] = item._replace(group=name)
        if known != item.id:
            words = bounded_name(
                f"{item.discovered_by}; same text as {known}", most_bytes=MAX_WORDS_BYTES
            )
            changed[item.id] = item._replace(discovered_by=words, decides=None, decision_value=0)
    required: frozenset[str] = frozenset()
    if inventory.required_ids.intersection(changed):
        required = frozenset(name for name, item in changed.items() if item.group is not None)
    return Comparison(tuple(changed.values()), required)


def _days_without(
    path: str, eligible: Sequence[Candidate], inventory: Inventory
) -> list[Candidate]:
    """A row for each asked day on which nothing holds: an answer without it is no answer for it."""
    asked = [item for item in eligible if item.decision_value != 0]
    empty = [
        date
        for date in inventory.task.as_of or ()
        if not any(holds_on(item, date) for item in asked)
    ]
    topics = inventory.task.topics
    return [date_not_found(date, path=path, topics=topics) for date in empty[:MAX_DAYS]]

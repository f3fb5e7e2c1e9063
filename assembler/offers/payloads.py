"""What a payload that is not plain text says: the cases of a test report, the facts of an issue.

In: a piece of evidence and the bytes that were handed in for it. Out: its candidate, or the
piece with what became known of it, to be cut as plain text. The bytes stay what they were.
"""

from __future__ import annotations

from typing import Final

from assembler.assess.report_lines import cut_ranges
from assembler.model.candidate import Absent, Candidate, Inline
from assembler.model.evidence import Discovered
from assembler.model.limits import MAX_WORDS_BYTES, bounded_name
from assembler.model.report import CaseMissing, NoReport, ReportLines, describe_ranges

LONG_LINE_BYTES: Final = 64 * 1024
"""A line beyond it is told: no excerpt of whole lines can be smaller."""


def read_payload(item: Discovered, data: bytes) -> Candidate | Discovered:
    """The candidate of a report; else the piece as it goes on, which may be unchanged."""
    if item.payload is None:
        return item
    if item.payload.kind == "issue":
        return _with_issue_facts(item, data)
    asked = item.payload.case
    if item.payload.kind != "test" or item.lines is not None:
        return item
    if asked is None and item.around is not None:
        return item
    # Most runs have no report, and the readers' patterns take their time to be made.
    from assembler.assess.reports import read_report

    match read_report(data, asked):
        case ReportLines() as lines:
            return _cut(item, data, lines)
        case CaseMissing(why):
            return _tell(item, why).candidate._replace(content=Absent("unreadable"))
        case NoReport(why):
            return _as_text(item, why)


def _cut(item: Discovered, data: bytes, lines: ReportLines) -> Candidate:
    place, content, why = item.path, data, lines.why
    if lines.ranges is not None:
        place = f"{item.path}#{describe_ranges(lines.ranges)}"
        content = cut_ranges(data, lines.ranges)
        longest = max((len(line) for line in content.split(b"\n")), default=0)
        if longest > LONG_LINE_BYTES:
            why += f"; one line has {longest:,} bytes: no smaller excerpt of whole lines exists"
    candidate = _tell(item, why).candidate
    source = candidate.source or bounded_name(place, most_bytes=MAX_WORDS_BYTES)
    return candidate._replace(content=Inline(content), source=source)


def _as_text(item: Discovered, why: str | None) -> Discovered:
    """The text around the case's name, where the task names no other; else all of it."""
    asked = None if item.payload is None else item.payload.case
    if asked is None:
        return item if why is None else _tell(item, why)
    around = item.around if item.around is not None else asked
    which = "`around`" if item.around is not None else "the case's name"
    told = f"{why or 'no report format'}: the lines around the first that holds {which}"
    return _tell(item, told)._replace(around=around)


def _with_issue_facts(item: Discovered, data: bytes) -> Discovered:
    from assembler.assess.issue_facts import read_issue

    facts = read_issue(data)
    if facts is None:
        return item
    told = facts.words
    asked = item.candidate.id.partition(":")[2]
    if asked.isdecimal() and asked != str(facts.number):
        told += f", not the {asked} that is asked for"
    candidate = _tell(item, told).candidate
    return item._replace(
        candidate=candidate._replace(
            source=candidate.source if candidate.source is not None else facts.url,
            version=candidate.version if candidate.version is not None else facts.updated_at,
        )
    )


def _tell(item: Discovered, words: str) -> Discovered:
    """The piece with more words on why it was found, and why so much of it."""
    known = item.candidate.discovered_by
    told = words if known is None else f"{known}; {words}"
    bounded = bounded_name(told, most_bytes=MAX_WORDS_BYTES)
    return item._replace(candidate=item.candidate._replace(discovered_by=bounded))

"""Which lines of a test report hold the case that is asked for, or all that failed.

In: the bytes of a payload. Out: line ranges, and why just these. The format is told by what the
bytes are, never by a name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from assembler.assess.junit_report import read_junit
from assembler.assess.python_output import read_pytest, read_unittest
from assembler.assess.report_lines import MAX_LINES, split_report
from assembler.assess.runner_output import JEST_SEPARATOR, read_go, read_jest, read_rust
from assembler.assess.tap_report import read_tap, tap_name
from assembler.model.limits import bounded_name
from assembler.model.names import write_name
from assembler.model.report import (
    CaseMissing,
    LineRange,
    NoReport,
    Report,
    ReportCase,
    ReportLines,
    ReportReading,
    UnreadReport,
    describe_ranges,
)
from assembler.model.symbols import merge_ranges

MAX_RANGES: Final = 40
"""Of one excerpt: its address has to fit into a row. Beyond it the nearest ones become one."""
MAX_SHOWN_BYTES: Final = 200
"""Of one name of a report in a row."""
MOST_NAMED: Final = 3
MAX_COMPARED: Final = 500
"""Names that are compared letter by letter with one that was not found."""
MAX_COMPARED_CHARACTERS: Final = 120

_TEXT_READERS: Final[tuple[tuple[str, Callable[[Sequence[str]], list[ReportCase]]], ...]] = (
    ("TAP", read_tap),
    ("pytest output", read_pytest),
    ("unittest output", read_unittest),
    ("go test output", read_go),
    ("cargo test output", read_rust),
    ("Jest output", read_jest),
)


def read_report(data: bytes, case: str | None) -> ReportReading:
    """The lines of a case, or without one those of all that failed."""
    reports, note = _recognise(data)
    if not reports:
        return NoReport(None if note is None else f"{note}, read as text")
    said = "" if note is None else f"{note}, read as text: "
    if case is None:
        return _with_words(_all_failing(reports), said)
    for report in reports:
        found = _find(report.cases, case)
        if found:
            return _with_words(_one_case(report, case, found), said)
    return CaseMissing(f"{said}{_missing(reports, case)}")


def show_name(name: str) -> str:
    """A name of a report as rows spell it: ASCII, bounded."""
    return bounded_name(write_name(name), most_bytes=MAX_SHOWN_BYTES) or "(no name)"


def _recognise(data: bytes) -> tuple[list[Report], str | None]:
    """Every report that the bytes can be read as, and why another reading was not made."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:4]:
        return [], "UTF-16 text"
    junit = read_junit(data)
    if isinstance(junit, Report):
        return [junit], None
    note = junit.why if isinstance(junit, UnreadReport) else None
    lines = split_report(data)
    if lines is None:
        return [], note or f"a text of more than {MAX_LINES:,} lines"
    reports = []
    for name, read in _TEXT_READERS:
        cases = tuple(read(lines))
        if cases:
            part = "test line with its diagnostics" if name == "TAP" else "block"
            named = tap_name(lines) if name == "TAP" else None
            reports.append(Report(named or name, part, cases))
    return reports, note


def _failing(cases: Iterable[ReportCase]) -> list[ReportCase]:
    return [case for case in cases if case.is_failing]


def _with_words(lines: ReportLines, said: str) -> ReportLines:
    return lines._replace(why=f"{said}{lines.why}")


def _all_failing(reports: Sequence[Report]) -> ReportLines:
    """What failed in any of the formats; a log of several runners loses no failure."""
    failed = [(report, failing) for report in reports if (failing := _failing(report.cases))]
    if not failed:
        report = reports[0]
        told = f"{report.format}: none of {_count(len(report.cases))} failed: the whole file"
        return ReportLines(None, told)
    ranges = _bound(_ranges(case for _, failing in failed for case in failing))
    told = "; ".join(_describe_failing(report, failing) for report, failing in failed)
    part = failed[0][0].part if len(failed) == 1 else "lines"
    return ReportLines(ranges, f"{told}: {describe_ranges(ranges)}, the {part} of each")


def _describe_failing(report: Report, failing: Sequence[ReportCase]) -> str:
    names = [show_name(case.label) for case in failing[:MOST_NAMED]]
    more = len(failing) - len(names)
    listed = ", ".join([*names, *([f"{more:,} more"] if more else [])])
    return f"{report.format}: {len(failing):,} of {_count(len(report.cases))} failed ({listed})"


def _one_case(report: Report, asked: str, found: Sequence[ReportCase]) -> ReportLines:
    """Of several cases with one name those that failed, if any did."""
    chosen = _failing(found) or list(found)
    inside = _inside(report.cases, chosen)
    ranges = _bound(_ranges([*chosen, *inside]))
    if len(found) == 1:
        told = f"case {show_name(found[0].label)} {_outcome(found[0])}"
    else:
        failed = f"{len(_failing(found)):,} of them failed"
        told = f"{len(found):,} cases are called {show_name(asked)}, {failed}"
    more = f" and the {_count(len(inside))} inside it" if inside else ""
    why = f"{report.format}: {told}: {describe_ranges(ranges)}, its {report.part}{more}"
    return ReportLines(ranges, why)


def _outcome(case: ReportCase) -> str:
    return {"error": "ended with an error", "skipped": "was skipped"}.get(
        case.outcome, case.outcome
    )


def _count(cases: int) -> str:
    return "1 case" if cases == 1 else f"{cases:,} cases"


def _find(cases: Sequence[ReportCase], asked: str) -> list[ReportCase]:
    """The cases of a name, as it is written; else as another tool would write the same name."""
    asked = asked.strip()
    exact = [case for case in cases if asked in (case.name, case.label, *case.spellings)]
    if exact:
        return exact
    wanted = _plain(asked)
    alike = [case for case in cases if wanted in {_plain(name) for name in _names(case)}]
    if alike or ("%" not in asked and "sha256:" not in asked):
        return alike
    # A name that was copied from a row.
    return [case for case in cases if asked in {show_name(name) for name in _names(case)}]


def _names(case: ReportCase) -> tuple[str, ...]:
    return (case.name, case.label, *case.spellings)


def _plain(name: str) -> str:
    """One spelling for `a/b.py::C::d` and `a.b.C.d`, and one for `x > y` and `x y`.

    What stands in brackets is a parameter's value, and stays.
    """
    head, bracket, rest = name.partition("[")
    head = re.sub(r"\.py(?=::)", "", head)
    head = head.replace(" > ", " ").replace(JEST_SEPARATOR, " ").replace("::", ".")
    return re.sub(r"[/\\#]", ".", head) + bracket + rest


def _inside(cases: Iterable[ReportCase], chosen: Sequence[ReportCase]) -> list[ReportCase]:
    """The cases that lie in one of the chosen ones."""
    paths = {case.path for case in chosen if case.path}
    lengths = {len(path) for path in paths}
    return [
        case
        for case in cases
        if any(len(case.path) > length and case.path[:length] in paths for length in lengths)
    ]


def _ranges(cases: Iterable[ReportCase]) -> tuple[LineRange, ...]:
    return merge_ranges([lines for case in cases for lines in case.ranges])


def _bound(ranges: tuple[LineRange, ...]) -> tuple[LineRange, ...]:
    """At most so many ranges as an address holds; lines between the nearest ones come along."""
    if len(ranges) <= MAX_RANGES:
        return ranges
    gaps = sorted(
        range(1, len(ranges)),
        key=lambda index: (ranges[index - 1][1] - ranges[index][0], index),
    )
    kept = sorted(gaps[: MAX_RANGES - 1])
    starts, ends = [0, *kept], [*kept, len(ranges)]
    return tuple(
        (ranges[start][0], ranges[end - 1][1]) for start, end in zip(starts, ends, strict=True)
    )


def _missing(reports: Sequence[Report], asked: str) -> str:
    names = list(dict.fromkeys(case.label for report in reports for case in report.cases))
    formats = " and ".join(report.format for report in reports)
    near = ", ".join(show_name(name) for name in _nearest(asked, names))
    told = f"{formats}: no case {show_name(asked)} among {_count(len(names))}"
    return f"{told}; nearest: {near}" if near else told


def _nearest(asked: str, names: Sequence[str]) -> list[str]:
    """Names that hold the one asked for, then those that look like it."""
    import difflib

    holding = [name for name in names if asked in name][:MOST_NAMED]
    short = [name for name in names if len(name) <= MAX_COMPARED_CHARACTERS][:MAX_COMPARED]
    alike = difflib.get_close_matches(
        asked[:MAX_COMPARED_CHARACTERS], short, n=MOST_NAMED, cutoff=0.5
    )
    return list(dict.fromkeys([*holding, *alike]))[:MOST_NAMED]

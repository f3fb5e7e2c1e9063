"""Find the cases in what pytest and unittest print."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from assembler.assess.report_lines import trim_block
from assembler.model.report import FAILING, Outcome, ReportCase

_FIRST_TITLE: Final = re.compile(r"=+ (?:ERRORS|FAILURES) =+\Z")
_TITLE: Final = re.compile(r"=+ \S.*=\Z")
_HEADER: Final = re.compile(r"_+ (\S.*\S|\S) _+\Z")
_TRAILER: Final = re.compile(r"-+ generated \w+ file|-+ coverage: |\d+ (?:failed|passed|error)")
_WORD: Final = re.compile(
    r"(?:\[gw\d+\] \[ *\d+%\] )?(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS|SUBFAILED)"
    r"(?:\([^)]*\)|\[[^\]]*\])? (\S+\.(?:py|md|rst|txt)(?:::.*)?)\Z"
)
_FILE: Final = re.compile(r"\S+\.(?:py|md|rst|txt)\Z")
_PROGRESS: Final = re.compile(r" (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)(?: |\Z)")
_PLACE: Final = re.compile(r"(\S+\.py):\d+: ")
_SET_UP: Final = re.compile(r"ERROR (?:at (?:setup|teardown) of|collecting) ")
_SUBTEST: Final = re.compile(r" (?:\(.*\)|\[.*\])\Z")
_OUTCOMES: Final[dict[str, Outcome]] = {
    "PASSED": "passed",
    "XPASS": "passed",
    "FAILED": "failed",
    "SUBFAILED": "failed",
    "ERROR": "error",
    "SKIPPED": "skipped",
    "XFAIL": "skipped",
}
MAX_PLACES: Final = 20
"""Files of one traceback under which its case is known."""


def read_pytest(lines: Sequence[str]) -> list[ReportCase]:
    """The blocks below FAILURES and ERRORS; of other cases the line that tells their outcome."""
    blocks = list(_pytest_blocks(lines))
    known = {name for block in blocks for name in (block.name, *block.spellings)}
    told: dict[str, ReportCase] = {}
    for number, line in enumerate(lines, start=1):
        found = _told(line)
        if found is None or found[0] in known:
            continue
        node, outcome = found
        if outcome not in FAILING or _dotted(node) not in known:
            # The summary comes after the progress, and says of a failure why.
            told[node] = ReportCase(node, outcome, ((number, number),))
    return sorted([*blocks, *told.values()], key=lambda case: case.ranges)


def _pytest_blocks(lines: Sequence[str]) -> Iterator[ReportCase]:
    """Titles are all as wide as the terminal, so that other lines of `=` end nothing."""
    width = 0
    start: int | None = None
    name = ""
    for index, line in enumerate(lines):
        mark = line[:1]
        header = _HEADER.match(line) if width and mark == "_" else None
        is_header = header is not None and header.group(1).strip("_ ") and len(line) >= width - 1
        is_title = mark == "=" and _TITLE.match(line) and (not width or abs(len(line) - width) < 2)
        is_end = is_title or (mark in "-0123456789" and _TRAILER.match(line))
        if start is not None and (is_header or is_end):
            yield _pytest_case(lines, start, index, name)
            start = None
        if header is not None and is_header:
            start, name = index, header.group(1)
        elif is_title:
            width = len(line) if _FIRST_TITLE.match(line) else 0
    if start is not None:
        yield _pytest_case(lines, start, len(lines), name)


def _pytest_case(lines: Sequence[str], start: int, end: int, header: str) -> ReportCase:
    prefix = _SET_UP.match(header)
    name = header if prefix is None else header[prefix.end() :]
    base = _SUBTEST.sub("", name)
    first, last = trim_block(lines, start, end)
    head, bracket, rest = base.partition("[")
    bare = head.rpartition(".")[2] + bracket + rest
    places: dict[str, None] = {}
    for line in lines[start:last]:
        place = _PLACE.match(line)
        if place is not None and len(places) < MAX_PLACES:
            places[f"{place.group(1)}::{head.replace('.', '::')}{bracket}{rest}"] = None
    return ReportCase(
        name=name,
        outcome="failed" if prefix is None else "error",
        ranges=((first, last),),
        spellings=tuple(dict.fromkeys([base, bare, header, *places])),
    )


def _told(line: str) -> tuple[str, Outcome] | None:
    """Node id and outcome of a line of the progress or of the summary."""
    summary = _WORD.match(line.partition(" - ")[0].rstrip())
    if summary is not None:
        return summary.group(2), _OUTCOMES[summary.group(1)]
    file, separator, test = line.partition("::")
    progress = _PROGRESS.search(test) if _FILE.match(file) else None
    if progress is None:
        return None
    return file + separator + test[: progress.start()], _OUTCOMES[progress.group(1)]


def _dotted(node: str) -> str:
    """The name that the header of a node's block has: what stands behind the file."""
    head, bracket, rest = node.partition("[")
    return head.partition("::")[2].replace("::", ".") + bracket + rest


_RULE: Final = "=" * 70
_THIN_RULE: Final = "-" * 70
_RAN: Final = re.compile(r"Ran \d+ tests? in")
_FAILED: Final = re.compile(r"(FAIL|ERROR): (\S+ \(.+)\Z")
_VERBOSE: Final = re.compile(
    r"(\S+ \([\w.]+\)) \.\.\. (ok|FAIL|ERROR|skipped|expected failure|unexpected success)"
)
_RESULTS: Final[dict[str, Outcome]] = {
    "ok": "passed",
    "FAIL": "failed",
    "ERROR": "error",
    "skipped": "skipped",
    "expected failure": "skipped",
    "unexpected success": "failed",
}


def read_unittest(lines: Sequence[str]) -> list[ReportCase]:
    """The blocks below a double rule; of other cases the line that tells their outcome."""
    cases: list[ReportCase] = []
    known: set[str] = set()
    for index, line in enumerate(lines):
        below = lines[index + 1] if index + 1 < len(lines) else ""
        failed = _FAILED.match(below) if line == _RULE else None
        if failed is not None:
            end = _unittest_end(lines, index + 2)
            base = re.sub(r"\) [(\[].*", ")", failed.group(2))
            known.add(base)
            outcome: Outcome = "failed" if failed.group(1) == "FAIL" else "error"
            ranges = (trim_block(lines, index + 1, end),)
            cases.append(
                ReportCase(failed.group(2), outcome, ranges, spellings=_unittest_names(base))
            )
    for number, line in enumerate(lines, start=1):
        told = _VERBOSE.match(line)
        if told is not None and told.group(1) not in known:
            name = told.group(1)
            ranges = ((number, number),)
            cases.append(
                ReportCase(name, _RESULTS[told.group(2)], ranges, spellings=_unittest_names(name))
            )
    return sorted(cases, key=lambda case: case.ranges)


def _unittest_end(lines: Sequence[str], index: int) -> int:
    """The index of the next double rule, or of the single one above the count of tests."""
    while index < len(lines):
        if lines[index] == _RULE:
            return index
        if lines[index] == _THIN_RULE and _RAN.match("".join(lines[index + 1 : index + 2])):
            return index
        index += 1
    return index


def _unittest_names(name: str) -> tuple[str, ...]:
    """`test_x (a.B.test_x)` or, before 3.11, `test_x (a.B)`: with and without its place."""
    method, _, place = name.partition(" (")
    place = place.rstrip(")")
    whole = place if place.endswith(f".{method}") else f"{place}.{method}"
    return name, method, whole

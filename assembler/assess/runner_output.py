"""Find the cases in what `go test`, `cargo test` and Jest print."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from assembler.assess.report_lines import trim_block
from assembler.model.report import LineRange, Outcome, ReportCase
from assembler.model.symbols import merge_ranges

_RUN: Final = re.compile(r"=== (RUN|CONT|NAME|PAUSE)\s++(\S+)")
_VERDICT: Final = re.compile(r" *+--- (FAIL|PASS|SKIP): (\S+)")
_PACKAGE: Final = re.compile(r"(?:FAIL|ok  |\?   )\t(\S+)")
_GO_END: Final = re.compile(r"(?:FAIL|PASS|exit status \d+)\s*\Z|coverage: ")
_GO_OUTCOMES: Final[dict[str, Outcome]] = {"FAIL": "failed", "PASS": "passed", "SKIP": "skipped"}


def read_go(lines: Sequence[str]) -> list[ReportCase]:
    """Of each test the lines under its own name, however the output of others lies between."""
    cases: list[ReportCase] = []
    begun: dict[str, list[LineRange]] = {}
    outcomes: dict[str, Outcome] = {}
    current: tuple[str, int] | None = None
    for index, line in enumerate([*lines, "PASS"]):
        run, verdict = _RUN.match(line), _VERDICT.match(line)
        package = _PACKAGE.match(line)
        if not (run or verdict or package or _GO_END.match(line) or index == len(lines)):
            continue
        if current is not None:
            begun.setdefault(current[0], []).append(trim_block(lines, current[1], index))
            current = None
        if verdict is not None:
            outcomes[verdict.group(2)] = _GO_OUTCOMES[verdict.group(1)]
            current = (verdict.group(2), index)
        elif run is not None and run.group(1) != "PAUSE":
            current = (run.group(2), index)
        elif package is not None or index == len(lines):
            group = "" if package is None else package.group(1)
            cases += _go_cases(begun, outcomes, group)
            begun, outcomes = {}, {}
    return sorted(cases, key=lambda case: case.ranges)


def _go_cases(
    begun: dict[str, list[LineRange]], outcomes: dict[str, Outcome], group: str
) -> list[ReportCase]:
    """The tests of one package; one that has begun and has no verdict did not come to its end."""
    return [
        ReportCase(
            name=name,
            outcome=outcomes.get(name, "error"),
            ranges=merge_ranges(ranges),
            group=group,
            path=tuple(name.split("/")),
        )
        for name, ranges in begun.items()
    ]


_RUST_HEADER: Final = re.compile(r"---- (\S.*) (?:stdout|stderr) ----\Z")
_RUST_END: Final = re.compile(r"(?:failures|successes):\Z|test result: ")
_RUST_TEST: Final = re.compile(r"test (\S.*) \.\.\. (ok|FAILED|ignored)")
_RUST_PANIC: Final = re.compile(r"thread '(.+?)' (?:\(\d+\) )?panicked at ")
_RUST_OUTCOMES: Final[dict[str, Outcome]] = {
    "ok": "passed",
    "FAILED": "failed",
    "ignored": "skipped",
}


def read_rust(lines: Sequence[str]) -> list[ReportCase]:
    """The block of each failing test, or its panic; of other tests the line with their outcome."""
    blocks: dict[str, LineRange] = {}
    panics: dict[str, LineRange] = {}
    told: dict[str, tuple[Outcome, int]] = {}
    index = 0
    while index < len(lines):
        header, panic = _RUST_HEADER.match(lines[index]), _RUST_PANIC.match(lines[index])
        test = _RUST_TEST.match(lines[index])
        end = index + 1
        if header is not None:
            end = _rust_end(lines, end)
            blocks[header.group(1)] = trim_block(lines, index, end)
        elif panic is not None:
            end = _panic_end(lines, end)
            panics.setdefault(panic.group(1), trim_block(lines, index, end))
        elif test is not None:
            name = test.group(1).removesuffix(" - should panic")
            told[name] = (_RUST_OUTCOMES[test.group(2)], index + 1)
        index = end
    cases = []
    for name in dict.fromkeys([*blocks, *panics, *told]):
        outcome, number = told.get(name, ("failed", 0))
        lines_of = blocks.get(name) or panics.get(name) or (number, number)
        bare = name.rpartition("::")[2]
        cases.append(ReportCase(name, outcome, (lines_of,), spellings=(bare,)))
    return sorted(cases, key=lambda case: case.ranges)


def _rust_end(lines: Sequence[str], index: int) -> int:
    while index < len(lines):
        if _RUST_HEADER.match(lines[index]) or _RUST_END.match(lines[index]):
            return index
        index += 1
    return index


def _panic_end(lines: Sequence[str], index: int) -> int:
    """A panic ends with its note, or where something else begins."""
    while index < len(lines):
        line = lines[index]
        if line.startswith("note: "):
            return index + 1
        if any(rule.match(line) for rule in (_RUST_PANIC, _RUST_TEST, _RUST_HEADER, _RUST_END)):
            return index
        index += 1
    return index


_JEST_HEADER: Final = re.compile(r"  ● (\S.*)\Z")
_JEST_MARK: Final = re.compile(r" *+([✓√○]) (?:skipped )?(\S.*?)(?: \([\d.]+ m?s\))?\Z")
JEST_SEPARATOR: Final = " \u203a "
"""Between the names of blocks and that of the test in them."""
_JEST_REPEATED: Final = "Summary of all failing tests"
_JEST_FILE: Final = re.compile(r"(?:FAIL|PASS) +(\S+)")


def read_jest(lines: Sequence[str]) -> list[ReportCase]:
    """The block of each failing test; of other tests the line with their mark."""
    cases: list[ReportCase] = []
    start: int | None = None
    name = group = ""
    for index, line in enumerate([*lines, _JEST_REPEATED]):
        header = _JEST_HEADER.match(line)
        is_end = header is not None or (line.strip() and not line.startswith("    "))
        if start is not None and is_end:
            ranges = (trim_block(lines, start, index),)
            cases.append(ReportCase(name, "failed", ranges, group, _jest_names(name)))
            start = None
        if line == _JEST_REPEATED:
            break  # every block stands a second time below
        file, mark = _JEST_FILE.match(line), _JEST_MARK.match(line)
        if header is not None and header.group(1) != "Console":
            start, name = index, header.group(1)
        elif file is not None:
            group = file.group(1)
        elif start is None and mark is not None:
            outcome: Outcome = "skipped" if mark.group(1) == "○" else "passed"
            cases.append(ReportCase(mark.group(2), outcome, ((index + 1, index + 1),), group))
    return cases


def _jest_names(name: str) -> tuple[str, ...]:
    return (name.rpartition(JEST_SEPARATOR)[2],)

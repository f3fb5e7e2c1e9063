"""Find the cases of a report in the Test Anything Protocol, versions 12 to 14.

A case is its test line, the YAML block or the comments right below, and the comment that
announces it. Cases of a subtest stand above the test line that they belong to.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from assembler.model.report import LineRange, Outcome, ReportCase
from assembler.model.symbols import merge_ranges

MAX_DEPTH: Final = 25
"""Subtests inside one another; each is four columns further in."""

_VERSION: Final = re.compile(r"TAP version (\d{1,3})\s*\Z")
_PLAN: Final = re.compile(r"1\.\.\d+(?:\s|\Z)")
_TEST: Final = re.compile(r"( *)(not )?ok\b(?: ++\d+)?(?: *+- ?)?(.*)", re.DOTALL)
_DIRECTIVE: Final = re.compile(r"(?<!\\)#\s*+(skip|todo)\w*+", re.IGNORECASE)
_SUBTEST: Final = re.compile(r"( *)# Subtest: ?(.*)", re.DOTALL)


class _Point(NamedTuple):
    level: int
    name: str
    outcome: Outcome
    ranges: tuple[LineRange, ...]


def read_tap(lines: Sequence[str]) -> list[ReportCase]:
    """The cases; none where the lines are no TAP."""
    if tap_name(lines) is None:
        return []
    return _name_paths(_read_points(lines))


def tap_name(lines: Sequence[str]) -> str | None:
    """`TAP 13` by the version line, `TAP` by a plan, None where there is neither.

    Runners write a few lines of their own before the version, so it need not be the first.
    """
    has_plan = False
    for line in lines:
        version = _VERSION.match(line)
        if version is not None:
            return f"TAP {version.group(1)}"
        has_plan = has_plan or _PLAN.match(line) is not None
    return "TAP" if has_plan else None


def _read_points(lines: Sequence[str]) -> list[_Point]:
    points: list[_Point] = []
    announced: dict[int, int] = {}
    index = 0
    while index < len(lines):
        line = lines[index]
        subtest = _SUBTEST.match(line)
        test = _TEST.match(line)
        if subtest is not None:
            announced[len(subtest.group(1))] = index
        elif line.startswith("Bail out!"):
            points.append(_Point(0, "Bail out!", "failed", ((index + 1, index + 1),)))
        elif test is not None and len(test.group(1)) <= 4 * MAX_DEPTH:
            indent = test.group(1)
            end = _end_of_diagnostics(lines, index + 1, indent)
            ranges = [(index + 1, end)]
            above = announced.pop(len(indent), None)
            if above is not None:
                ranges.append((above + 1, above + 1))
            name, outcome = _judge(test.group(3), is_ok=test.group(2) is None)
            points.append(_Point(len(indent) // 4, name, outcome, merge_ranges(ranges)))
            index = end
            continue
        index += 1
    return points


def _end_of_diagnostics(lines: Sequence[str], index: int, indent: str) -> int:
    """The index after the YAML block, else after the comments, right below a test line.

    Below a YAML block a comment is the title of what comes next.
    """
    opened = f"{indent}  ---"
    if index < len(lines) and lines[index].rstrip() == opened:
        index += 1
        while index < len(lines) and _is_inside(lines[index], f"{indent}  "):
            index += 1
            if lines[index - 1].rstrip() == f"{indent}  ...":
                break
        return index
    while (
        index < len(lines)
        and lines[index].startswith(f"{indent}#")
        and _SUBTEST.match(lines[index]) is None
    ):
        index += 1
    return index


def _is_inside(line: str, indent: str) -> bool:
    return not line.strip() or line.startswith(indent)


def _judge(description: str, *, is_ok: bool) -> tuple[str, Outcome]:
    """The name and the outcome; what is to be skipped or still to do fails no run."""
    directive = _DIRECTIVE.search(description)
    if directive is not None:
        description = description[: directive.start()]
    name = description.strip().removesuffix(" {").replace("\\#", "#").replace("\\\\", "\\")
    if directive is not None:
        return name, "skipped"
    return name, "passed" if is_ok else "failed"


def _name_paths(points: Sequence[_Point]) -> list[ReportCase]:
    """From the end, so that each test line is met before the cases of its subtest."""
    above: list[str] = []
    cases: list[ReportCase] = []
    for point in reversed(points):
        above = [*above[: point.level], point.name]
        path = tuple(above)
        cases.append(
            ReportCase(
                name=" > ".join(path),
                outcome=point.outcome,
                ranges=point.ranges,
                spellings=(point.name,) if len(path) > 1 else (),
                path=path,
            )
        )
    cases.reverse()
    return cases

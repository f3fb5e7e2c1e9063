"""What a test report says of its cases: names, outcomes, and the lines that hold each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

LineRange = tuple[int, int]
"""First and last line, from 1, both included."""

Outcome = Literal["failed", "error", "skipped", "passed"]

FAILING: Final = ("failed", "error")

MAX_CASES: Final = 100_000
"""Of one report; more are no report that a person asks for one case of."""


class ReportCase(NamedTuple):
    """One case of a report."""

    name: str
    """As the report spells it; third-party text of any length."""
    outcome: Outcome
    ranges: tuple[LineRange, ...]
    """The lines of this case alone, ascending and apart."""
    group: str = ""
    """Class, package or file that the report names for it."""
    spellings: tuple[str, ...] = ()
    """Further names under which people know it."""
    path: tuple[str, ...] = ()
    """Names from the outermost case down to this one, where cases lie in one another."""

    @property
    def label(self) -> str:
        """Group and name, as rows have it."""
        return f"{self.group}.{self.name}" if self.group not in ("", self.name) else self.name

    @property
    def is_failing(self) -> bool:
        """Whether the case failed or could not run."""
        return self.outcome in FAILING


class Report(NamedTuple):
    """A payload that was recognised as a report."""

    format: str
    """How rows call it: `JUnit XML`, `TAP 13`, `pytest output`."""
    part: str
    """What of the report holds a case: `testcase element`, `block`."""
    cases: tuple[ReportCase, ...]
    """In the order of their first lines."""


class UnreadReport(NamedTuple):
    """Why a payload that looks like a report is read as plain text."""

    why: str
    """Our own words; nothing of the payload."""


class ReportLines(NamedTuple):
    """Lines of a report that are an excerpt of it."""

    ranges: tuple[LineRange, ...] | None
    """Ascending and apart; None: the whole file."""
    why: str
    """Format, case, outcome, and why just these lines."""


class CaseMissing(NamedTuple):
    """A report that does not hold the case."""

    why: str


class NoReport(NamedTuple):
    """A payload that is plain text."""

    why: str | None
    """What it looked like; None: like no report at all."""


ReportReading = ReportLines | CaseMissing | NoReport


def describe_ranges(ranges: Iterable[LineRange]) -> str:
    """`L3-L9,L20-L31`, as addresses have it."""
    return ",".join(f"L{first}-L{last}" for first, last in ranges)

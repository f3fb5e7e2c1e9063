"""Put claims about many packages and chains together: one claim per check.

A check has failed if it failed anywhere, and has passed only if it ran everywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from assembler_verifier.report import Claim, Report, first_of

_NOTHING = "nothing here asks for it"


@dataclass(slots=True)
class _Found:
    """What one check said, over all that it ran on."""

    problems: list[str] = field(default_factory=list)
    untold: list[str] = field(default_factory=list)
    ran: int = 0
    passed: str = ""


class Merged:
    """Collects claims under their check."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._found: dict[str, _Found] = {}

    def add(self, check: str, problems: Sequence[str], *, passed: str = "") -> None:
        """Note what a check found in one place, which may be nothing; `passed` then says more."""
        found = self._of(check)
        found.ran += 1
        found.problems += problems
        found.passed = passed

    def add_claims(self, report: Report, where: str, *, without: Collection[str]) -> None:
        """Note all claims about one package or chain, save some; `where` goes before each."""
        for claim in report.claims:
            if claim.id in without:
                continue
            found = self._of(claim.id)
            found.ran += 1
            if claim.result == "failed":
                found.problems.append(f"{where}{claim.detail}")
            elif claim.result == "unchecked":
                found.untold.append(claim.detail)

    def leave_out(self, checks: Iterable[str], why: str = "") -> None:
        """Note that some checks did not run."""
        for check in checks:
            found = self._of(check)
            if why or not found.untold:
                found.untold.append(why or _NOTHING)

    def in_order(self, checks: Sequence[str]) -> tuple[Claim, ...]:
        """One claim for each check."""
        return tuple(_claim(check, self._found.get(check, _Found())) for check in checks)

    def _of(self, check: str) -> _Found:
        return self._found.setdefault(check, _Found())


def _claim(check: str, found: _Found) -> Claim:
    if found.problems:
        return Claim(check, "failed", first_of(found.problems))
    if found.untold:
        often = f" (in {len(found.untold)} of {found.ran})" if found.ran > 1 else ""
        return Claim(check, "unchecked", found.untold[0] + often)
    if found.ran == 0:
        return Claim(check, "unchecked", _NOTHING)
    return Claim(check, "passed", found.passed)

"""Which findings a profile excepts, and which of its exceptions except nothing.

Pure: exceptions and findings in, a choice out. An error is excepted by its own code and a path
alone, so that no short word turns a gate off. Rules: docs/formats/profile.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assembler.model.chain import Chain
from assembler.model.finding import Finding
from assembler.model.quieted import NEVER_QUIET
from assembler.ports import PatternSet


class FindingException(NamedTuple):
    """One exception of a profile."""

    spelled: str
    """Code and path as they are written."""
    codes: frozenset[str]
    is_exact: bool
    """Whether one code or slug is named, and no beginning of several."""
    pattern: PatternSet | None
    """None: it holds everywhere."""
    reason: str
    line: int

    def covers(self, finding: Finding) -> bool:
        """Whether it is about the finding."""
        if finding.code not in self.codes or finding.code in NEVER_QUIET:
            return False
        if finding.severity == "error" and not (self.is_exact and self.pattern is not None):
            return False
        if self.pattern is None:
            return True
        return finding.path is not None and self.pattern.match(finding.path) is not None


def find_exception(
    finding: Finding, exceptions: Sequence[FindingException]
) -> FindingException | None:
    """The first exception about the finding; None: it is told."""
    return next((item for item in exceptions if item.covers(finding)), None)


def split_chains(
    chains: Iterable[Chain], exceptions: Sequence[FindingException]
) -> tuple[list[Chain], list[Chain]]:
    """The chains with the findings that are told, and with those that are excepted.

    Before they are merged: a file that is lost behind a cut is told with the cut, and by itself
    where the cut is excepted.
    """
    told: list[Chain] = []
    excepted: list[Chain] = []
    for chain in chains:
        apart = [find_exception(finding, exceptions) for finding in chain.findings]
        pairs = list(zip(chain.findings, apart, strict=True))
        told.append(chain._replace(findings=tuple(one for one, by in pairs if by is None)))
        excepted.append(chain._replace(findings=tuple(one for one, by in pairs if by is not None)))
    return told, excepted


def find_unused(
    exceptions: Sequence[FindingException], findings: Iterable[Finding], codes: frozenset[str]
) -> list[FindingException]:
    """The exceptions about nothing; one for a code that was not looked for is none of them.

    Args:
        exceptions: of the profile.
        findings: all of them, excepted or not.
        codes: what was looked for.
    """
    left = [item for item in exceptions if item.codes <= codes]
    for finding in findings:
        left = [item for item in left if not item.covers(finding)]
    return left

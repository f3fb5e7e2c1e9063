"""Findings beside a baseline: which are known, which are new, and what of it is gone.

Pure: findings and entries in, a choice out. Where more of a kind are there than were known, all
of them are told: which one is new can't be seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assembler.model.finding import Finding
from assembler.model.known_finding import NEVER_KNOWN, Known, identify


class Compared(NamedTuple):
    """Findings beside a baseline."""

    told: tuple[Finding, ...]
    known: tuple[Finding, ...]
    gone: int
    """Findings of the baseline that are not there any more, nor another one in their place."""


def compare_baseline(
    findings: Sequence[Finding], baseline: Iterable[Known], codes: frozenset[str]
) -> Compared:
    """Each finding as told or as known, in their order.

    Args:
        findings: all that was found.
        baseline: what is known.
        codes: what was looked for; nothing else of the baseline can be gone.
    """
    counts = {entry._replace(times=1): entry.times for entry in baseline}
    there = _count(findings)
    known = {entry for entry, count in there.items() if count <= counts.get(entry, 0)}
    apart = [
        (finding, _is_knowable(finding) and known.issuperset(identify(finding)))
        for finding in findings
    ]
    told = tuple(finding for finding, is_known in apart if not is_known)
    # What is told there may be the known one in a worse form, which nobody should write down.
    places = {(finding.code, finding.path) for finding in told}
    return Compared(
        told=told,
        known=tuple(finding for finding, is_known in apart if is_known),
        gone=sum(
            max(0, count - there.get(entry, 0))
            for entry, count in counts.items()
            if entry.code in codes and (entry.code, entry.path) not in places
        ),
    )


def make_baseline(findings: Iterable[Finding]) -> tuple[Known, ...]:
    """The baseline of some findings; what can't be known is left out."""
    return tuple(entry._replace(times=count) for entry, count in _count(findings).items())


def _count(findings: Iterable[Finding]) -> dict[Known, int]:
    counts: dict[Known, int] = {}
    for finding in filter(_is_knowable, findings):
        for entry in identify(finding):
            counts[entry] = counts.get(entry, 0) + 1
    return counts


def _is_knowable(finding: Finding) -> bool:
    return finding.code not in NEVER_KNOWN

"""All questions about one run, answered together."""

from __future__ import annotations

from typing import NamedTuple

from assembler.diagnose.claim import Claim
from assembler.diagnose.displacement import find_displaced
from assembler.diagnose.measures import Miss, StaleDecision, find_misses, find_stale_decisions
from assembler.diagnose.policy import find_missing_policy
from assembler.diagnose.siblings import (
    find_lost_provenance,
    find_overdrawn,
    find_policy_twice,
    find_wrong_precedence,
)
from assembler.diagnose.staleness import find_stale
from assembler.diagnose.trace import Trace


class Diagnosis(NamedTuple):
    """What the rows of a run prove."""

    claims: tuple[Claim, ...]
    """The three, in the order in which they are to be repaired."""
    questions: tuple[Claim, ...]
    """Their siblings, by code."""
    misses: tuple[Miss, ...]
    stale_decisions: tuple[StaleDecision, ...] | None
    """None where there is no record to ask."""

    @property
    def fires(self) -> bool:
        """Whether one of the three claims does."""
        return any(claim.fires for claim in self.claims)


def diagnose(trace: Trace) -> Diagnosis:
    """Answer every question; the same files give the same answers, in the same order."""
    policy, stale, displaced = find_missing_policy(trace), find_stale(trace), find_displaced(trace)
    return Diagnosis(
        claims=(policy, stale, displaced),
        questions=(
            find_lost_provenance(trace),
            find_wrong_precedence(trace),
            find_overdrawn(trace),
            find_policy_twice(trace),
        ),
        misses=find_misses(trace, policy, displaced, stale),
        stale_decisions=find_stale_decisions(trace, stale),
    )

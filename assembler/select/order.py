"""Canonical order and trial order; both free of how candidates were supplied.

Rules: docs/formats/decisions.md.
"""

from __future__ import annotations

from collections.abc import Iterable

from assembler.model.candidate import Candidate
from assembler.model.order import canonical_key


def canonical_order(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The order of ledger rows and of rendered items."""
    return sorted(candidates, key=canonical_key)


def trial_order(candidates: Iterable[Candidate], order: str) -> list[Candidate]:
    """The order in which optional candidates are tried; `candidates` in canonical order."""
    if order == "decision-value":
        # A stable sort keeps canonical order among equal values.
        return sorted(candidates, key=lambda candidate: -(candidate.decision_value or 0))
    return list(candidates)

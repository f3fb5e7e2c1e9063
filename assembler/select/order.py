"""Canonical order and trial order; both free of how candidates were supplied.

Rules: docs/formats/decisions.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from assembler.model.candidate import SECTIONS, Candidate

_SECTION_RANK: Final = {section: rank for rank, section in enumerate(SECTIONS)}
_KIND_RANK: Final = {
    "task": ("task", "question", "example"),
    "tools": ("tool", "mcp-tool", "skill-entry", "skill", "skill-reference"),
}
_Key = tuple[int, int, int, tuple[int, ...], str, str]


def canonical_key(candidate: Candidate) -> _Key:
    """Section, kind rank, position, newest validity first, kind, id."""
    ranks = _KIND_RANK.get(candidate.section, ())
    kind_rank = ranks.index(candidate.kind) if candidate.kind in ranks else len(ranks)
    return (
        _SECTION_RANK[candidate.section],
        kind_rank,
        candidate.position,
        _newest_first(candidate.valid_from),
        candidate.kind,
        candidate.id,
    )


def canonical_order(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The order of ledger rows and of rendered items."""
    return sorted(candidates, key=canonical_key)


def trial_order(candidates: Iterable[Candidate], order: str) -> list[Candidate]:
    """The order in which optional candidates are tried; `candidates` in canonical order."""
    if order == "decision-value":
        # A stable sort keeps canonical order among equal values.
        return sorted(candidates, key=lambda candidate: -(candidate.decision_value or 0))
    return list(candidates)


def _newest_first(date: str | None) -> tuple[int, ...]:
    """Descending by date, absent last; a date is ten characters, so negation orders it."""
    if date is None:
        return (1,)
    return (0, -int(date.replace("-", "")))

"""Canonical order: of ledger rows and of rendered items, free of how candidates were supplied.

Rules: docs/formats/decisions.md.
"""

from __future__ import annotations

from typing import Final

from assembler.model.candidate import SECTIONS, Candidate

_SECTION_RANK: Final = {section: rank for rank, section in enumerate(SECTIONS)}
_KIND_RANK: Final = {
    "task": ("task", "question", "example"),
    "tools": ("tool", "mcp-tool", "skill-entry", "skill", "skill-reference"),
}
CanonicalKey = tuple[int, int, int, tuple[int, ...], str, str]


def canonical_key(candidate: Candidate) -> CanonicalKey:
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


def _newest_first(date: str | None) -> tuple[int, ...]:
    """Descending by date, absent last; a date is ten characters, so negation orders it."""
    if date is None:
        return (1,)
    return (0, -int(date.replace("-", "")))

"""The two orders of a run: canonical order, and the order in which optional items are tried.

Both depend on the candidates alone, never on the order of supply.
Rules: FORMATS 5.2.
"""

from __future__ import annotations

from collections.abc import Iterable

from assembler_verifier.inventory import Candidate, Inventory
from assembler_verifier.inventory_schema import SECTIONS

_KIND_RANKS = {
    "task": ("task", "question", "example"),
    "tools": ("tool", "mcp-tool", "skill-entry", "skill", "skill-reference"),
}
_NINE = ord("9")


def canonical_order(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Sort by section, kind rank, position, newest date, kind, id."""
    return sorted(candidates, key=_canonical_key)


def trial_order(inventory: Inventory, optional: Iterable[Candidate]) -> list[Candidate]:
    """Sort optional candidates as they are tried."""
    ordered = canonical_order(optional)
    if inventory.order == "decision-value":
        # The sort is stable, so equal values stay in canonical order.
        ordered.sort(key=lambda candidate: -(candidate.integer("decision_value") or 0))
    return ordered


def _canonical_key(candidate: Candidate) -> tuple[int, int, int, bool, str, str, str]:
    ranks = _KIND_RANKS.get(candidate.section, ())
    rank = ranks.index(candidate.kind) if candidate.kind in ranks else len(ranks)
    valid_from = candidate.text("valid_from")
    # Dates have one length, so turning each digit round turns their order round.
    newest_first = "".join(_turn(character) for character in valid_from or "")
    return (
        SECTIONS.index(candidate.section),
        rank,
        candidate.position,
        valid_from is None,
        newest_first,
        candidate.kind,
        candidate.id,
    )


def _turn(character: str) -> str:
    return chr(ord("0") + _NINE - ord(character)) if character.isdigit() else character

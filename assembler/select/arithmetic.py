"""The budget equation: window - reserves - overhead - residents = room for evidence.

Rules: docs/formats/decisions.md. Equality fits; one unit over does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from assembler.errors import BudgetUnsatisfiableError
from assembler.model.candidate import Candidate
from assembler.model.counting import plural
from assembler.model.decision import Budget
from assembler.model.inventory import BudgetTerms

RESIDENT_SECTIONS: Final = ("policy", "task", "tools", "work")


def open_budget(
    terms: BudgetTerms, required: Sequence[Candidate], costs: Mapping[str, int], overhead: int
) -> Budget:
    """The budget after the required candidates, before any optional one.

    Args:
        terms: window and reserves.
        required: in canonical order.
        costs: the cost of each required candidate by id.
        overhead: the cost of the input without items.

    Raises:
        BudgetUnsatisfiableError: residents or required evidence exceed the room.
    """
    envelope = terms.window - sum(amount for _, amount in terms.reserves)
    resident = dict.fromkeys(RESIDENT_SECTIONS, 0)
    used = 0
    for candidate in required:
        if candidate.section == "evidence":
            used += costs[candidate.id]
        else:
            resident[candidate.section] += costs[candidate.id]
    total = sum(resident.values())
    limit = envelope - overhead - total
    if limit < 0:
        raise _resident_unsatisfiable(terms.unit, total, overhead, envelope)
    if used > limit:
        names = [item.id for item in required if item.section == "evidence"]
        raise _evidence_unsatisfiable(terms.unit, names, costs, used, limit)
    return Budget(
        unit=terms.unit,
        counter=terms.counter,
        window=terms.window,
        reserves=terms.reserves,
        envelope=envelope,
        overhead=overhead,
        resident=tuple(resident.items()),
        limit=limit,
        used=used,
    )


def _resident_unsatisfiable(
    unit: str, resident: int, overhead: int, envelope: int
) -> BudgetUnsatisfiableError:
    over = resident + overhead - envelope
    return BudgetUnsatisfiableError(
        "resident-unsatisfiable",
        f"policy, task, tools and work record need {resident:,} {plural(unit)}"
        f" and the frame {overhead:,}: {over:,} over the input envelope of {envelope:,}",
        detail={
            "resident": resident,
            "overhead": overhead,
            "envelope": envelope,
            "over": over,
        },
        next_step="raise `window`, lower `reserve`, or load fewer instructions, skills and tools",
    )


def _evidence_unsatisfiable(
    unit: str, names: Sequence[str], costs: Mapping[str, int], used: int, limit: int
) -> BudgetUnsatisfiableError:
    parts = ", ".join(f"{name} {costs[name]:,}" for name in names)
    return BudgetUnsatisfiableError(
        "budget-unsatisfiable",
        f"required {used:,} {plural(unit)} exceed budget {limit:,}: {parts},"
        f" short by {used - limit:,}",
        detail={"required": used, "limit": limit, "over": used - limit},
        next_step="raise `window`, lower `reserve.response`, or make an item optional",
    )

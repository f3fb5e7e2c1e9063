"""Whether evidence of a failure is out for want of room that lesser items took.

Displaced is what would have fitted without them; what would not have is too large, and that is
another fault. Cost and order of trial are those of the rows.
"""

from __future__ import annotations

import re
from typing import Final

from assembler.diagnose.claim import HOLDS, Claim, fired, proof
from assembler.diagnose.places import instruction_names, is_instruction, is_named_so, path_of
from assembler.diagnose.rivals import Rivals
from assembler.diagnose.trace import Item, Trace
from assembler.model.counting import plural
from assembler.model.names import first_few

CODE: Final = "ASM403"

LESSER_WORDS: Final = (None, "asked by the task", "proof")
"""What decides nothing that a task names, or only how the work is proven."""
_FAILURE_WORDS: Final = re.compile(r"\b(?:fail|assert)", re.IGNORECASE)


def find_displaced(trace: Trace) -> Claim:
    """The claim `budget_displaced_failure_evidence`."""
    failures = [item for item in trace.items if is_failure_evidence(item)]
    out = [item for item in failures if _is_over_budget(item) and not _is_replaced(item, trace)]
    rivals = _find_rivals(trace)
    displaced = rivals.find_displaced(out)
    if displaced:
        return _fire(displaced, rivals.of(displaced), plural(trace.budget["unit"]))
    if out:
        told = ", ".join(first_few([item.id for item in out]))
        return Claim(CODE, HOLDS, f"no lesser items took the room of {told}")
    count = sum(item.is_in for item in failures)
    return Claim(CODE, HOLDS, f"{count} of {len(failures)} items of a failure in, none displaced")


def _find_rivals(trace: Trace) -> Rivals:
    """Evidence that is in and names no decision of its own, or has a declared value to compare."""
    names = instruction_names(trace)
    others = [
        item
        for item in trace.evidence_in
        if not (
            is_failure_evidence(item) or is_instruction(item) or is_named_so(path_of(item), names)
        )
    ]
    return Rivals(
        nameless=[item for item in others if item.decides in LESSER_WORDS],
        valued=[
            item
            for item in others
            if item.decides not in LESSER_WORDS and item.decision_value is not None
        ],
    )


def _fire(displaced: list[Item], rivals: list[Item], unit: str) -> Claim:
    out, taken = (
        ", ".join(first_few([f"{item.id} ({item.cost:,})" for item in items]))
        for items in (displaced, rivals)
    )
    proofs = [proof("displaced", item) for item in displaced]
    proofs += [proof("in its place", item) for item in rivals]
    return fired(CODE, [f"{out} out, {taken} in, in {unit}"], proofs)


def is_failure_evidence(item: Item) -> bool:
    """Whether an item decides which failure it is about: by its word, else by its kind."""
    if item.section != "evidence":
        return False
    if item.decides is not None:
        return _FAILURE_WORDS.search(item.decides) is not None
    return item.kind == "tool-observation" and item.trust == "observed"


def _is_over_budget(item: Item) -> bool:
    """Whether it is out for want of room; each member of a group that did not fit says so."""
    return item.reason == "budget-exceeded"


def _is_replaced(item: Item, trace: Trace) -> bool:
    """Whether another reading of the same failure is in, say a shorter one."""
    return any(
        other.is_in and is_failure_evidence(other) for other in trace.replaced_by.get(item.id, ())
    )

"""Whether evidence of a failure is out for want of room that lesser items took.

Displaced is what would have fitted without them; what would not have is too large, and that is
another fault. Cost and order of trial are those of the rows.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection
from itertools import accumulate
from typing import Final

from assembler.diagnose.claim import HOLDS, Claim, fired, proof
from assembler.diagnose.places import instruction_names, is_instruction, is_named_so, path_of
from assembler.diagnose.trace import Item, Trace
from assembler.model.counting import plural
from assembler.model.names import first_few

CODE: Final = "ASM403"

_FAILURE_WORDS: Final = re.compile(r"\b(?:fail|assert)", re.IGNORECASE)


def find_displaced(trace: Trace) -> Claim:
    """The claim `budget_displaced_failure_evidence`."""
    failures = [item for item in trace.items if is_failure_evidence(item)]
    out = [item for item in failures if _is_over_budget(item) and not _is_replaced(item, trace)]
    displaced: list[Item] = []
    rivals: dict[str, Item] = {}
    names = instruction_names(trace)
    for value in dict.fromkeys(item.decision_value for item in out):
        lesser = _Lesser(trace, value, names)
        found = [item for item in out if item.decision_value == value and lesser.displace(item)]
        displaced += found
        if found:
            last = max(found, key=lambda item: int(item.detail["used_before"]))
            rivals |= {rival.id: rival for rival in lesser.before(last)}
    if displaced:
        return _fire(displaced, list(rivals.values()), plural(trace.budget["unit"]))
    if out:
        told = ", ".join(first_few([item.id for item in out]))
        return Claim(CODE, HOLDS, f"no lesser items took the room of {told}")
    count = sum(item.is_in for item in failures)
    return Claim(CODE, HOLDS, f"{count} of {len(failures)} items of a failure in, none displaced")


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


class _Lesser:
    """Evidence that is in and counts for less than items of one value, by place of its trial."""

    def __init__(self, trace: Trace, value: int | None, names: Collection[str]) -> None:
        found = [
            (_used_after(other), other)
            for other in trace.evidence_in
            if _counts_less(other, value) and not is_named_so(path_of(other), names)
        ]
        found.sort(key=lambda pair: (pair[0], pair[1].row))
        self._items = [other for _, other in found]
        self._ends = [end for end, _ in found]
        self._costs = [0, *accumulate(other.cost or 0 for other in self._items)]

    def displace(self, item: Item) -> bool:
        """Whether the item would have fitted without what was admitted before it."""
        shortfall = item.detail["would_be"] - item.detail["limit"]
        return self._costs[self._count(item)] >= int(shortfall)

    def before(self, item: Item) -> list[Item]:
        """What was admitted before the item was tried."""
        return self._items[: self._count(item)]

    def _count(self, item: Item) -> int:
        return bisect_right(self._ends, item.detail["used_before"])


def _used_after(item: Item) -> int:
    """The sum when it was admitted; what is required is admitted before anything is tried."""
    return 0 if item.required else int(item.detail["used_after"])


def _counts_less(other: Item, value: int | None) -> bool:
    """Whether an item names no decision, or a host gave it a lower value than the other."""
    if is_failure_evidence(other) or is_instruction(other):
        return False
    if other.decides is None:
        return True
    if value is None or other.decision_value is None:
        return False
    return other.decision_value < value

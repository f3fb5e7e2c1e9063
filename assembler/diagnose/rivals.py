"""Lesser evidence that was admitted before an item was tried: what it costs, and which it is.

Ten thousand items of each side are a second's work: sums are kept in a tree over the order of
admission, into which declared values enter from the lowest up.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Final

from assembler.diagnose.trace import Item

_NAMELESS: Final = -2
"""The rank of what names no decision, whatever value a retriever gave it."""


class Rivals:
    """Evidence that is in, counts for less, and may have taken somebody's room."""

    def __init__(self, nameless: Iterable[Item], valued: Iterable[Item]) -> None:
        """Take both kinds.

        Args:
            nameless: counts for less than any evidence of a failure.
            valued: counts for less than what has a higher declared value; each has one.
        """
        both = [(item, _NAMELESS) for item in nameless]
        both += [(item, _rank(item)) for item in valued]
        both.sort(key=lambda pair: (_admitted_at(pair[0]), pair[0].row))
        self._items = [item for item, _ in both]
        self._ranks = [rank for _, rank in both]
        self._ends = [_admitted_at(item) for item in self._items]

    def find_displaced(self, out: Sequence[Item]) -> list[Item]:
        """Of items that did not fit those that would have without their rivals, as given."""
        sums = _PrefixSums(len(self._items))
        order = sorted(range(len(self._items)), key=self._ranks.__getitem__)
        entered = 0
        displaced = set()
        for item in sorted(out, key=_rank):
            while entered < len(order) and self._ranks[order[entered]] < _rank(item):
                sums.add(order[entered], self._items[order[entered]].cost or 0)
                entered += 1
            shortfall = item.detail["would_be"] - item.detail["limit"]
            if sums.below(bisect_right(self._ends, _tried_at(item))) >= shortfall:
                displaced.add(item.id)
        return [item for item in out if item.id in displaced]

    def of(self, displaced: Iterable[Item]) -> list[Item]:
        """Every rival of one of the items, in the order of the ledger."""
        waiting = sorted(displaced, key=_tried_at)
        highest = _NAMELESS
        found = []
        for item, rank in zip(reversed(self._items), reversed(self._ranks), strict=True):
            while waiting and _tried_at(waiting[-1]) >= _admitted_at(item):
                highest = max(highest, _rank(waiting.pop()))
            if rank < highest:
                found.append(item)
        return sorted(found, key=lambda item: item.row)


def _admitted_at(item: Item) -> int:
    """The sum when it was in; what is required is admitted before anything is tried."""
    return 0 if item.required else int(item.detail["used_after"])


def _tried_at(item: Item) -> int:
    return int(item.detail["used_before"])


def _rank(item: Item) -> int:
    """Its declared value; none is below every value, and above what names no decision."""
    return -1 if item.decision_value is None else item.decision_value


class _PrefixSums:
    """Sums of the first places of a list whose places fill in any order (a Fenwick tree)."""

    def __init__(self, size: int) -> None:
        self._nodes = [0] * (size + 1)

    def add(self, place: int, amount: int) -> None:
        node = place + 1
        while node < len(self._nodes):
            self._nodes[node] += amount
            node += node & -node

    def below(self, count: int) -> int:
        """The sum of the first `count` places."""
        total = 0
        while count:
            total += self._nodes[count]
            count -= count & -count
        return total

"""What is read again in place of stale items, and for which of them.

In: judged candidates and the sections that stand in the place of their sources. Out: those that
are read, by the item that they stand for. Never here: contents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from assembler.model.candidate import Candidate
from assembler.model.evidence import Discovered


def read_again(
    judged: Sequence[Candidate],
    refreshed: Sequence[Discovered],
    may_read_again: Callable[[Candidate], bool],
) -> tuple[list[Candidate], list[Discovered]]:
    """The items and what is read again for them; nothing is for one that a rule keeps out.

    Args:
        judged: every item that was known before.
        refreshed: the sections in their places, each in place of one item.
        may_read_again: whether its freshness is all that is against an item.
    """
    kept_out = {
        item.id for item in judged if item.refreshed_by is not None and not may_read_again(item)
    }
    return (
        [item._replace(refreshed_by=None) if item.id in kept_out else item for item in judged],
        [item for item in refreshed if kept_out.isdisjoint(item.candidate.replaces)],
    )


def find_successors(
    judged: Sequence[Candidate], refreshed: Sequence[Discovered]
) -> dict[str, tuple[str, ...]]:
    """What is read again in place of each item whose source changed."""
    successors: dict[str, list[str]] = {
        item.id: [] for item in judged if item.refreshed_by is not None
    }
    for again in refreshed:
        for stale in again.candidate.replaces:
            successors[stale].append(again.candidate.id)
    return {stale: tuple(dict.fromkeys(ids)) for stale, ids in successors.items()}


def name_successors(
    judged: Sequence[Candidate], successors: Mapping[str, Sequence[str]]
) -> list[Candidate]:
    """The items, each naming the first that is read again in its place by the id that it has."""
    return [
        item._replace(refreshed_by=successors[item.id][0]) if item.id in successors else item
        for item in judged
    ]

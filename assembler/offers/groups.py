"""Groups that one item is in together: from then on they are one.

In: candidates, and the groups that some of them take over from others. Out: the candidates with
one group each. Never here: which of them come in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from assembler.discover.evidence import join_words
from assembler.model.candidate import Candidate


def find_mixed(items: Iterable[Candidate], required: Collection[str]) -> frozenset[str]:
    """Groups of required and optional members, which is the task's fault and stays one."""
    members = {(item.group, item.id in required) for item in items if item.group is not None}
    return frozenset(str(group) for group, is_required in members if is_required) & frozenset(
        str(group) for group, is_required in members if not is_required
    )


def name_joined(
    items: Iterable[Candidate], inherited: Mapping[str, Collection[str]]
) -> dict[str, str]:
    """What each group is called that an item takes over: as the first by name of those it joins.

    Args:
        items: with the groups of their own.
        inherited: groups that an item takes over, by its id.
    """
    leader: dict[str, str] = {}

    def lead(name: str) -> str:
        while (next_one := leader.setdefault(name, name)) != name:
            # Every second step is left out the next time, so that no chain stays long.
            leader[name] = leader[next_one]
            name = next_one
        return name

    for item in items:
        if item.id not in inherited:
            continue
        own = () if item.group is None else (item.group,)
        leaders = sorted({lead(name) for name in (*inherited[item.id], *own)})
        for name in leaders:
            leader[name] = leaders[0]
    return {name: lead(name) for name in leader}


def join_groups(
    items: Iterable[Candidate],
    inherited: Mapping[str, Collection[str]],
    names: Mapping[str, str],
) -> list[Candidate]:
    """The items, each in at most one group, in their order; rows of joined groups say so.

    Args:
        items: with the groups of their own.
        inherited: groups that an item takes over, by its id.
        names: as `name_joined` has them.
    """
    return [_with_group(item, inherited.get(item.id, ()), names) for item in items]


def _with_group(item: Candidate, inherited: Collection[str], names: Mapping[str, str]) -> Candidate:
    own = () if item.group is None else (item.group,)
    groups = sorted({*inherited, *own})
    if not groups:
        return item
    name = names.get(groups[0], groups[0])
    if groups == [name]:
        return item._replace(group=name)
    words = join_words(item.discovered_by, f"one group with {name}: {', '.join(groups)}")
    return item._replace(group=name, discovered_by=words)


def require_whole(
    items: Sequence[Candidate], groups: Collection[str], required: Collection[str]
) -> set[str]:
    """Ids of every member of those of the groups that have a required member."""
    asked = {item.group for item in items if item.id in required and item.group in groups}
    return {item.id for item in items if item.group is not None and item.group in asked}

"""Rows of a list: which of equal names is meant, in which order, in which words, how many whole.

Pure: a description of the list and what is offered in, rows out. Every offered file has one row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assembler.agents.collation import collation_key
from assembler.agents.skill_heads import count_units, cut_units
from assembler.agents.skill_rows import SkillRow, SkillSpending
from assembler.agents.skill_rules import BudgetRules, ListRules


class Item(NamedTuple):
    """A file that was read, on its way to a row."""

    row: SkillRow
    key: str
    """What is compared where names may be equal, and sorted by."""
    field_name: str | None
    """The name that the head gives."""
    tools: str = ""


def write_list(
    items: Sequence[Item], listing: ListRules
) -> tuple[list[SkillRow], SkillSpending | None]:
    """The rows in the order of their lines, then those that have none, by path."""
    named = [item._replace(row=item.row._replace(name=_label(item, listing))) for item in items]
    chosen, lost = _choose_names(named, listing)
    offered = [item for item in chosen if item.row.state != "hidden"]
    lost += [item.row for item in chosen if item.row.state == "hidden"]
    if listing.order == "name":
        offered.sort(key=lambda item: collation_key(item.key))
    full = [_with_line(item, listing) for item in offered]
    rows, spending = _fit(full, listing)
    return [*rows, *sorted(lost, key=lambda row: (row.kind, row.path))], spending


def _label(item: Item, listing: ListRules) -> str:
    """The name that the list shows."""
    name = item.field_name
    is_plain = name is not None and name.strip() and not set(name) & set(listing.label_refused)
    if name is None or name == item.key or not is_plain or item.row.kind != "skill":
        return item.row.name
    return _fill(listing.label, folder=item.key, name=name)


def _choose_names(items: Sequence[Item], listing: ListRules) -> tuple[list[Item], list[SkillRow]]:
    """Which of equal names is meant; the others as rows."""
    by_name: dict[str, list[Item]] = {}
    for item in _within_places(items, listing):
        by_name.setdefault(item.key, []).append(item)
    chosen: list[Item] = []
    lost: list[SkillRow] = []
    for same in by_name.values():
        best, others = _winner(same, listing)
        chosen.append(best)
        lost += others
    return chosen, lost


def _winner(same: Sequence[Item], listing: ListRules) -> tuple[Item, list[SkillRow]]:
    if len(same) == 1:
        return same[0], []
    match listing.equal:
        case "first":
            best = same[0]
        case "last":
            best = same[-1]
        case "race":
            own = [item for item in same if item.row.scope == "repo"]
            if len(own) != 1:
                return _race(same)
            best = own[0]
    reason = "another one of its name is listed"
    others = [item for item in same if item is not best]
    return best, [
        item.row._replace(
            state="shadowed", slug="skill-name-taken", reason=reason, by=best.row.path
        )
        for item in others
    ]


def _race(same: Sequence[Item]) -> tuple[Item, list[SkillRow]]:
    reason = f"one of {len(same):,} of its name is listed, and which one is a race"
    rows = [item.row._replace(state="race", slug="skill-name-race", reason=reason) for item in same]
    return same[0]._replace(row=rows[0]), rows[1:]


def _within_places(items: Sequence[Item], listing: ListRules) -> list[Item]:
    """The items in the order in which the agent meets them: folder after folder."""
    roots: dict[str, list[Item]] = {}
    for item in items:
        roots.setdefault(f"{item.row.kind}\0{item.row.root}", []).append(item)
    found: list[Item] = []
    for inner in roots.values():
        if listing.order == "places-path-down":
            top = [item for item in inner if item.row.path.count("/") == _depth(item) + 1]
            deep = [item for item in inner if item not in top]
            deep.sort(key=lambda item: item.row.path.encode("utf-8", "surrogatepass"))
            found += [*top, *reversed(deep)]
        else:
            found += sorted(inner, key=lambda item: collation_key(item.key))
    return found


def _depth(item: Item) -> int:
    return item.row.root.count("/")


def _with_line(item: Item, listing: ListRules) -> Item:
    row, most = item.row, listing.most_units
    description = row.description
    if most is not None and count_units(description) > most:
        description = cut_units(description, most - 1) + "…"
        row = row._replace(
            slug="skill-description-cut",
            reason=f"its description is listed up to {most - 1:,} characters",
        )
    name = row.name
    for mark, shown in listing.escapes:
        description, name = description.replace(mark, shown), name.replace(mark, shown)
    line = _fill(
        listing.item,
        name=name,
        description=description,
        location=row.path,
        tools=item.tools,
    )
    return item._replace(row=row._replace(line=line, description=description))


def _fill(template: str, **values: str) -> str:
    """A template with its words in braces replaced, once each and nothing in the values."""
    pieces: list[str] = []
    rest = template
    while "{" in rest:
        before, _, rest = rest.partition("{")
        name, _, rest = rest.partition("}")
        pieces += [before, values[name]]
    return "".join([*pieces, rest])


def _fit(items: Sequence[Item], listing: ListRules) -> tuple[list[SkillRow], SkillSpending | None]:
    """The rows as far as the budget lets them keep their descriptions."""
    rows = [item.row for item in items]
    budget = listing.budget
    if budget is None or listing.bare is None:
        return rows, None
    bare = [_fill(listing.bare, name=row.name) for row in rows]
    sizes = [(_cost(row.line or ""), _cost(name)) for row, name in zip(rows, bare, strict=True)]
    whole = _count_whole(sizes, budget.limit - budget.own)
    fewest = _count_whole(sizes, budget.limit - budget.most_own)
    most = _count_whole(sizes, budget.limit - budget.least_own)
    reason = "the list is over its budget: its name stands there alone"
    rows[whole:] = [
        row._replace(state="bare", slug="catalog-over-budget", reason=reason, line=name)
        for row, name in zip(rows[whole:], bare[whole:], strict=True)
    ]
    return rows, _spend(rows, budget, bare=len(rows) - whole, is_open=most - fewest)


def _spend(
    rows: Iterable[SkillRow], budget: BudgetRules, *, bare: int, is_open: int
) -> SkillSpending:
    used = budget.own + sum(_cost(row.line or "") for row in rows)
    return SkillSpending(
        limit=budget.limit,
        used=used,
        own=budget.own,
        least_own=budget.least_own,
        most_own=budget.most_own,
        bare=bare,
        open=is_open,
    )


def _cost(line: str) -> int:
    """With its line feed, in UTF-16 units."""
    return count_units(line) + 1


def _count_whole(sizes: Sequence[tuple[int, int]], room: int) -> int:
    """How many lines from the first on are whole; the names of all are paid first."""
    used = sum(bare for _, bare in sizes)
    for count, (full, bare) in enumerate(sizes):
        used += full - bare
        if used > room:
            return count
    return len(sizes)

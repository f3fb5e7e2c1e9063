"""Two packages side by side: what the model would see differently, and whose doing it is.

Pure: manifests and ledger rows in, a comparison out. The selection has an identity of its own,
so *same selection, other content* is told apart from *other selection*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

IDENTICAL: Final = "identical"
OTHER_REASONS: Final = "same input, other reasons"
OTHER_RENDERING: Final = "same selection and content, other rendering"
OTHER_REQUEST: Final = "same input, other request"
OTHER_CONTENT: Final = "same selection, other content"
OTHER_TERMS: Final = "same items, other terms"
OTHER_SELECTION: Final = "other selection"

_IDENTITIES: Final = ("package_id", "trace_id", "content_id")
_DECIDED: Final = frozenset({"decision", "reason", "detail", "cost", "size"})
_PLACES: Final = frozenset({"span", "bound", "states"})
"""Members that follow from others: a difference in them alone is nobody's change."""


class Change(NamedTuple):
    """One candidate that differs.

    `what` is the first of these that holds: `added`, `removed`, `moved` (in or out), `content`,
    `reason`, `size` (its own cost), `metadata`, `sums` (the running sums, by others' doing).
    """

    what: str
    id: str
    old: Mapping[str, Any] | None
    new: Mapping[str, Any] | None
    members: tuple[str, ...]
    """Names of the row's members that differ, sorted; none where one row is missing."""


class Comparison(NamedTuple):
    """Two packages side by side."""

    verdict: str
    identities: Mapping[str, tuple[str, str]]
    changes: tuple[Change, ...]
    """By id."""
    unchanged: int
    """How many candidates are the same in both."""
    budget: Mapping[str, tuple[Any, Any]]
    """Figures of the budget that differ."""

    @property
    def is_identical(self) -> bool:
        """Whether nothing at all differs."""
        return self.verdict == IDENTICAL


def compare(
    old: Mapping[str, Any],
    old_rows: Sequence[Mapping[str, Any]],
    new: Mapping[str, Any],
    new_rows: Sequence[Mapping[str, Any]],
) -> Comparison:
    """Compare two packages.

    Args:
        old: manifest of the first.
        old_rows: its ledger.
        new: manifest of the second.
        new_rows: its ledger.
    """
    identities = {name: (old[name], new[name]) for name in _IDENTITIES}
    for name in ("rendered", "request"):
        identities[name] = (old[name]["sha256"], new[name]["sha256"])
    before = {row["id"]: row for row in old_rows}
    after = {row["id"]: row for row in new_rows}
    names = sorted({*before, *after})
    changes = [
        change
        for name in names
        if (change := _change(name, before.get(name), after.get(name))) is not None
    ]
    return Comparison(
        verdict=_verdict(identities, changes, _selected(old_rows) == _selected(new_rows)),
        identities=identities,
        changes=tuple(changes),
        unchanged=len(names) - len(changes),
        budget={
            name: (old["budget"][name], new["budget"][name])
            for name in sorted(old["budget"])
            if old["budget"][name] != new["budget"][name]
        },
    )


def _verdict(
    identities: Mapping[str, tuple[str, str]], changes: Sequence[Change], same_items: bool
) -> str:
    differ = {name for name, (one, other) in identities.items() if one != other}
    if not same_items:
        return OTHER_SELECTION
    if any(change.what == "content" and _is_selected(change.new) for change in changes):
        return OTHER_CONTENT
    if "package_id" in differ:
        return OTHER_TERMS
    for name, verdict in (("rendered", OTHER_RENDERING), ("request", OTHER_REQUEST)):
        if name in differ:
            return verdict
    return OTHER_REASONS if differ or changes else IDENTICAL


def _selected(rows: Sequence[Mapping[str, Any]]) -> set[str]:
    return {row["id"] for row in rows if _is_selected(row)}


def _is_selected(row: Mapping[str, Any] | None) -> bool:
    return row is not None and bool(row["states"]["selected"])


def _change(
    name: str, old: Mapping[str, Any] | None, new: Mapping[str, Any] | None
) -> Change | None:
    if old is None or new is None:
        return Change("added" if old is None else "removed", name, old, new, ())
    members = {key for key in {*old, *new} if old.get(key) != new.get(key)} - _PLACES
    if old["decision"] != new["decision"]:
        what = "moved"
    elif old["content_sha256"] != new["content_sha256"]:
        what = "content"
    elif old["reason"] != new["reason"]:
        what = "reason"
    elif members & {"cost", "size"}:
        what = "size"
    elif members - _DECIDED:
        what = "metadata"
    elif "detail" in members:
        what = "sums"
    else:
        return None
    told = members - _DECIDED if what == "metadata" else members
    return Change(what, name, old, new, tuple(sorted(told)))

"""What a run left, joined by id: each ledger row with what its candidate says beyond it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from assembler.model.candidate import FreshnessEntry


class Item(NamedTuple):
    """One candidate with what became of it; the members of its row and of its candidate."""

    row: int
    """Its place in the ledger, from 1: rows stand in the order of the input."""
    id: str
    kind: str
    section: str
    trust: str
    source: str | None
    scope: str | None
    revision: str | None
    version: str | None
    discovered_by: str | None
    observed_at: str | None
    valid_from: str | None
    valid_to: str | None
    replaces: tuple[str, ...]
    conflicts_with: tuple[str, ...]
    refreshed_by: str | None
    lineage: tuple[str, ...]
    decides: str | None
    address: Mapping[str, Any] | None
    sha256: str | None
    access: str
    required: bool
    is_in: bool
    """Whether it was selected."""
    is_eligible: bool
    is_rendered: bool
    reason: str
    detail: Mapping[str, Any]
    cost: int | None
    """In the budget's unit."""
    decision_value: int | None
    freshness: tuple[FreshnessEntry, ...]

    @property
    def word(self) -> str:
        """Why it is in or out; of a turned-away one the slug of the finding."""
        code = self.detail.get("code") if self.reason == "turned-away" else None
        return str(code or self.reason)

    @property
    def shown_as(self) -> str | None:
        """The item that shows the same bytes in its place."""
        is_double = self.reason in ("already-resident", "duplicate-content")
        return str(self.detail["as"]) if is_double else None


class Use(NamedTuple):
    """One decision of the record that used an item of the run."""

    id: str
    decision: str
    seq: int
    """Of its event."""


@dataclass(frozen=True, kw_only=True)
class Trace:
    """A run, as far as its files tell of it."""

    items: tuple[Item, ...]
    """In the order of the ledger."""
    budget: Mapping[str, Any]
    """The manifest's."""
    revision: str | None
    """The inventory's."""
    max_output: int | None
    """That of the adapter, in the budget's unit."""
    uses: tuple[Use, ...] | None = None
    """None where there is no record to ask."""

    @cached_property
    def by_id(self) -> Mapping[str, Item]:
        """The items by id."""
        return {item.id: item for item in self.items}

    @cached_property
    def selected(self) -> tuple[Item, ...]:
        """What is in."""
        return tuple(item for item in self.items if item.is_in)

    @cached_property
    def evidence_in(self) -> tuple[Item, ...]:
        """The evidence that is in."""
        return tuple(item for item in self.selected if item.section == "evidence")

    @cached_property
    def replaced_by(self) -> Mapping[str, tuple[Item, ...]]:
        """Who says to replace an id."""
        found: dict[str, list[Item]] = {}
        for item in self.items:
            for name in item.replaces:
                found.setdefault(name, []).append(item)
        return {name: tuple(items) for name, items in found.items()}


def make_trace(
    inventory: Mapping[str, Any],
    rows: Iterable[Mapping[str, Any]],
    budget: Mapping[str, Any],
    *,
    uses: Sequence[Use] | None,
) -> Trace:
    """Join the files of one package.

    Args:
        inventory: in normal form.
        rows: its ledger, one row for each candidate.
        budget: `manifest.budget`.
        uses: what later decisions used of the run, None if nobody can be asked.
    """
    candidates = {candidate["id"]: candidate for candidate in inventory["candidates"]}
    return Trace(
        items=tuple(
            _join(number, row, candidates[row["id"]]) for number, row in enumerate(rows, start=1)
        ),
        budget=budget,
        revision=inventory["revision"],
        max_output=inventory["adapter"]["max_output"],
        uses=None if uses is None else tuple(uses),
    )


def _join(number: int, row: Mapping[str, Any], candidate: Mapping[str, Any]) -> Item:
    states = row["states"]
    return Item(
        row=number,
        id=row["id"],
        kind=row["kind"],
        section=row["section"],
        trust=row["trust"],
        source=row["source"],
        scope=row["scope"],
        revision=row["revision"],
        version=row["version"],
        discovered_by=row["discovered_by"],
        observed_at=row["observed_at"],
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        replaces=tuple(row["replaces"]),
        conflicts_with=tuple(row["conflicts_with"]),
        refreshed_by=row["refreshed_by"],
        lineage=tuple(row["lineage"]),
        decides=row["decides"],
        address=row["address"],
        sha256=row["content_sha256"],
        access=row["access"],
        required=row["required"],
        is_in=bool(states["selected"]),
        is_eligible=bool(states["eligible"]),
        is_rendered=bool(states["rendered"]),
        reason=row["reason"],
        detail=row["detail"],
        cost=row["cost"],
        decision_value=candidate["decision_value"],
        freshness=tuple(
            FreshnessEntry(entry["source"], entry["seen"], entry["current"])
            for entry in candidate["freshness"]
        ),
    )

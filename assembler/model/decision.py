"""What became of each candidate, and the figures of the budget."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple

from assembler.model.candidate import Candidate


class Reason(StrEnum):
    """Why a candidate is in or out; docs/formats/decisions.md has the order of trial."""

    ACCESS_DENIED = "access-denied"
    PATH_NOT_UTF8 = "path-not-utf8"
    TURNED_AWAY = "turned-away"
    SEALED_ID = "sealed-id"
    SEALED_LINEAGE = "sealed-lineage"
    NOT_VALID_THEN = "not-valid-then"
    EXPIRED = "expired"
    OFF_TOPIC = "off-topic"
    FRESHNESS_UNKNOWN = "freshness-unknown"
    STALE = "stale"
    NO_DECISION_VALUE = "no-decision-value"
    CONTENT_ABSENT = "content-absent"
    LAYOUT_EXCLUDES = "layout-excludes"
    ALREADY_RESIDENT = "already-resident"
    DUPLICATE_CONTENT = "duplicate-content"
    GROUP_INCOMPLETE = "group-incomplete"
    BUDGET_EXCEEDED = "budget-exceeded"
    REQUIRED = "required"
    FITS = "fits"


INELIGIBLE = frozenset(
    {
        Reason.ACCESS_DENIED,
        Reason.PATH_NOT_UTF8,
        Reason.TURNED_AWAY,
        Reason.SEALED_ID,
        Reason.SEALED_LINEAGE,
        Reason.NOT_VALID_THEN,
        Reason.EXPIRED,
        Reason.OFF_TOPIC,
        Reason.FRESHNESS_UNKNOWN,
        Reason.STALE,
    }
)
"""Reasons that say a candidate could never have entered, whatever the room."""


class Selected(NamedTuple):
    """A candidate that is in, with its cost in the budget's unit."""

    candidate: Candidate
    reason: Reason
    detail: dict[str, Any]
    cost: int


class Rejected(NamedTuple):
    """A candidate that is out; `cost` is None where no arithmetic was reached."""

    candidate: Candidate
    reason: Reason
    detail: dict[str, Any]
    cost: int | None = None


Decision = Selected | Rejected


def decision_word(decision: Decision) -> str:
    """`selected` or `rejected`, as the ledger spells it."""
    return "selected" if isinstance(decision, Selected) else "rejected"


class Budget(NamedTuple):
    """Every figure of a run's budget, in `unit`; total + slack = envelope."""

    unit: str
    counter: str
    window: int
    reserves: tuple[tuple[str, int], ...]
    envelope: int
    overhead: int
    resident: tuple[tuple[str, int], ...]
    """Costs of required items outside evidence, by section."""
    limit: int
    used: int

    @property
    def slack(self) -> int:
        """Room that is left."""
        return self.limit - self.used

    @property
    def total(self) -> int:
        """What the whole input costs."""
        return self.envelope - self.slack

    def to_json(self) -> dict[str, Any]:
        """The members of `manifest.budget`."""
        return {
            "unit": self.unit,
            "counter": self.counter,
            "window": self.window,
            "reserves": dict(self.reserves),
            "envelope": self.envelope,
            "overhead": self.overhead,
            "resident": dict(self.resident),
            "limit": self.limit,
            "used": self.used,
            "slack": self.slack,
            "total": self.total,
        }


class Selection(NamedTuple):
    """One decision per offered candidate, in canonical order, and the budget they made."""

    decisions: tuple[Decision, ...]
    budget: Budget

    @property
    def selected(self) -> tuple[Selected, ...]:
        """What is in, in canonical order."""
        return tuple(item for item in self.decisions if isinstance(item, Selected))

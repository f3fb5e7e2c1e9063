"""Run the selection again: required items, then trials, under the budget.

Out: one `Decision` per candidate and the figures of the budget.
Rules: FORMATS 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assembler_verifier.costs import Costs
from assembler_verifier.inventory import Candidate, Inventory
from assembler_verifier.order import trial_order
from assembler_verifier.static_checks import RefusedError, Rejection
from assembler_verifier.strict_json import JsonObject

_RESIDENT_SECTIONS = ("policy", "task", "tools", "work")


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of one candidate."""

    selected: bool
    reason: str
    detail: JsonObject
    cost: int | None

    @property
    def word(self) -> str:
        """The word of the ledger."""
        return "selected" if self.selected else "rejected"


def _selected(reason: str, detail: JsonObject, cost: int) -> Decision:
    return Decision(selected=True, reason=reason, detail=detail, cost=cost)


def _rejected(reason: str, detail: JsonObject, cost: int | None) -> Decision:
    return Decision(selected=False, reason=reason, detail=detail, cost=cost)


@dataclass(frozen=True, slots=True)
class Selection:
    """Decisions by id, and the budget as the manifest gives it."""

    decisions: dict[str, Decision]
    budget: JsonObject


def select(
    inventory: Inventory,
    ordered: Sequence[Candidate],
    rejections: Mapping[str, Rejection],
    costs: Costs,
) -> Selection:
    """Decide on every candidate.

    Args:
        inventory: budget, order and adapter.
        ordered: all candidates, in canonical order.
        rejections: what the static checks rejected.
        costs: costs of items; what is admitted here is noted there.

    Raises:
        RefusedError: the required items do not fit, or a cost is not declared.
        BrokenObjectError, MissingCostError: a cost could not be found out.
    """
    required = [candidate for candidate in ordered if candidate.required]
    required_costs = costs.measure(required)
    costs.admit(required)
    budget = _Budget(inventory, required, required_costs, costs.overhead)
    trials = _Trials(costs, budget.limit, budget.used)
    trials.reject(rejections)
    trials.reject(_resident_copies(ordered, rejections))
    for candidate, cost in zip(required, required_costs, strict=True):
        trials.take(candidate, _selected("required", {}, cost))
    left = [candidate for candidate in ordered if candidate.id not in trials.decisions]
    trials.run(trial_order(inventory, left), ordered)
    return Selection(trials.decisions, budget.figures(trials.used))


class _Budget:
    """The arithmetic of FORMATS 5.3."""

    def __init__(
        self,
        inventory: Inventory,
        required: Sequence[Candidate],
        required_costs: Sequence[int],
        overhead: int,
    ) -> None:
        self._inventory = inventory
        self._overhead = overhead
        self._envelope = inventory.window - sum(inventory.reserves.values())
        self._resident = dict.fromkeys(_RESIDENT_SECTIONS, 0)
        self.used = 0
        for candidate, cost in zip(required, required_costs, strict=True):
            if candidate.section == "evidence":
                self.used += cost
            else:
                self._resident[candidate.section] += cost
        self.limit = self._envelope - overhead - sum(self._resident.values())
        if self.limit < 0:
            shown: JsonObject = {"resident": sum(self._resident.values()), "overhead": overhead}
            shown |= {"envelope": self._envelope, "over": -self.limit}
            raise RefusedError("resident-unsatisfiable", shown)
        if self.used > self.limit:
            figures: JsonObject = {"required": self.used, "limit": self.limit}
            raise RefusedError("budget-unsatisfiable", figures | {"over": self.used - self.limit})

    def figures(self, used: int) -> JsonObject:
        slack = self.limit - used
        return {
            "unit": self._inventory.unit,
            "counter": self._inventory.counter,
            "window": self._inventory.window,
            "reserves": dict(self._inventory.reserves),
            "envelope": self._envelope,
            "overhead": self._overhead,
            "resident": dict(self._resident),
            "limit": self.limit,
            "used": used,
            "slack": slack,
            "total": self._envelope - slack,
        }


class _Trials:
    """State of the trials: decisions so far, room used, evidence selected."""

    def __init__(self, costs: Costs, limit: int, used: int) -> None:
        self._costs = costs
        self._limit = limit
        self._evidence: dict[str, str] = {}
        self.used = used
        self.decisions: dict[str, Decision] = {}

    def reject(self, rejections: Mapping[str, Rejection]) -> None:
        for name, rejection in rejections.items():
            self.decisions[name] = _rejected(rejection.reason, rejection.detail, None)

    def take(self, candidate: Candidate, decision: Decision) -> None:
        self.decisions[candidate.id] = decision
        if candidate.section == "evidence" and candidate.digest is not None:
            # The first holder of a digest is the one that later copies name.
            self._evidence.setdefault(candidate.digest, candidate.id)

    def run(
        self,
        in_turn: Sequence[Candidate],
        offered: Sequence[Candidate],
    ) -> None:
        """Try what is left, in turn; a group is tried whole when its first member is due."""
        groups = _by_group(in_turn)
        whole_groups = _by_group(offered)
        tried: set[str] = set()
        for candidate in in_turn:
            if candidate.group is None:
                self._try([candidate], [candidate])
            elif candidate.group not in tried:
                tried.add(candidate.group)
                self._try(groups[candidate.group], whole_groups[candidate.group])

    def _try(self, members: Sequence[Candidate], whole: Sequence[Candidate]) -> None:
        members = self._without_copies(members)
        missing = sorted(
            candidate.id
            for candidate in whole
            if candidate.id in self.decisions and not self.decisions[candidate.id].selected
        )
        group = members[0].group if members else None
        if group is not None and missing:
            detail: JsonObject = {"group": group, "missing": list(missing)}
            self.reject({item.id: Rejection("group-incomplete", detail) for item in members})
        elif members:
            self._spend(members, group)

    def _without_copies(self, members: Sequence[Candidate]) -> list[Candidate]:
        kept = []
        for candidate in members:
            first = self._evidence.get(candidate.digest or "")
            if candidate.section == "evidence" and first is not None:
                self.reject({candidate.id: Rejection("duplicate-content", {"as": first})})
            else:
                kept.append(candidate)
        return kept

    def _spend(self, members: Sequence[Candidate], group: str | None) -> None:
        costs = self._costs.measure(members)
        would_be = self.used + sum(costs)
        if would_be > self._limit:
            detail = self._over(sum(costs), would_be, group)
            for candidate, cost in zip(members, costs, strict=True):
                self.decisions[candidate.id] = _rejected("budget-exceeded", detail, cost)
            return
        self._costs.admit(members)
        for candidate, cost in zip(members, costs, strict=True):
            figures: JsonObject = {
                "cost": cost,
                "used_before": self.used,
                "used_after": self.used + cost,
                "limit": self._limit,
            }
            self.used += cost
            self.take(candidate, _selected("fits", figures, cost))

    def _over(self, cost: int, would_be: int, group: str | None) -> JsonObject:
        figures: JsonObject = {
            "cost": cost,
            "used_before": self.used,
            "would_be": would_be,
            "limit": self._limit,
        }
        return figures if group is None else {**figures, "group": group}


def _by_group(candidates: Iterable[Candidate]) -> dict[str, list[Candidate]]:
    groups: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        if candidate.group is not None:
            groups.setdefault(candidate.group, []).append(candidate)
    return groups


def _resident_copies(
    ordered: Sequence[Candidate], rejections: Mapping[str, Rejection]
) -> dict[str, Rejection]:
    policies: dict[str, str] = {}
    for candidate in ordered:
        if candidate.section == "policy" and candidate.required and candidate.digest is not None:
            policies.setdefault(candidate.digest, candidate.id)
    return {
        candidate.id: Rejection("already-resident", {"as": policies[candidate.digest]})
        for candidate in ordered
        if candidate.section == "evidence"
        and not candidate.required
        and candidate.id not in rejections
        and candidate.digest in policies
    }

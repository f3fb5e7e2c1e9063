"""Choose which candidates enter the input, under a budget.

Pure: reads no file, clock or environment. The same inventory gives the same selection, in
whatever order its candidates were supplied. Nothing is ever shortened to fit.
Rules and their order: docs/formats/decisions.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assembler.errors import RequiredMissingError, RequiredRejectedError
from assembler.model.candidate import Candidate
from assembler.model.decision import Decision, Reason, Rejected, Selected, Selection
from assembler.model.inventory import Inventory
from assembler.ports import Pricing
from assembler.select.arithmetic import open_budget
from assembler.select.checks import Verdict, check_facts
from assembler.select.order import canonical_order, trial_order
from assembler.select.places import excess_candidates, refuse_crowding, why_no_place


def select(inventory: Inventory, contents: Mapping[str, bytes], pricing: Pricing) -> Selection:
    """Decide every candidate: required ones first, then optional ones while they fit.

    Args:
        inventory: in normal form.
        contents: bytes by digest.
        pricing: what a rendered item costs, in the budget's unit.

    Returns:
        As many decisions as candidates, in canonical order, and every figure of the budget.

    Raises:
        CompilationFailedError, PreparationFailedError: what steps 3 to 6 of
            docs/formats/decisions.md name.
    """
    ordered = canonical_order(inventory.candidates)
    verdicts = settle_static_checks(ordered, inventory, contents)
    required = [item for item in ordered if item.id in inventory.required_ids]
    costs = dict(zip((item.id for item in required), pricing.price(required), strict=True))
    pricing.admit(required)
    opened = open_budget(inventory.budget, required, costs, pricing.overhead)
    trials = _Trials(required, costs, limit=opened.limit, used=opened.used, pricing=pricing)
    for item in ordered:
        if item.id in verdicts:
            trials.reject(item, *verdicts[item.id])
    trials.run(ordered, inventory.order)
    return Selection(
        decisions=tuple(trials.decisions[item.id] for item in ordered),
        budget=opened._replace(used=trials.used),
    )


def settle_static_checks(
    ordered: Sequence[Candidate], inventory: Inventory, contents: Mapping[str, bytes]
) -> dict[str, Verdict]:
    """Every verdict that no trial can change, by id.

    Raises:
        RequiredMissingError: a required id has no candidate.
        RequiredRejectedError: a check rejects a required candidate.
        LayoutCannotHoldError: two required candidates want one place.
    """
    _refuse_missing(ordered, inventory)
    verdicts: dict[str, Verdict] = {}
    for item in ordered:
        verdict = check_facts(item, inventory) or _check_layout(item, inventory, contents)
        if verdict is not None:
            verdicts[item.id] = verdict
            if item.id in inventory.required_ids:
                raise _required_rejected(item, verdict)
    still_open = [item for item in ordered if item.id not in verdicts]
    refuse_crowding(
        [item for item in still_open if item.id in inventory.required_ids], inventory.layout
    )
    for identifier in excess_candidates(still_open, inventory):
        detail = {"layout": inventory.layout, "why": "slot"}
        verdicts[identifier] = (Reason.LAYOUT_EXCLUDES, detail)
    _settle_residents(ordered, inventory, verdicts)
    return verdicts


def _check_layout(
    item: Candidate, inventory: Inventory, contents: Mapping[str, bytes]
) -> Verdict | None:
    content = None if item.sha256 is None else contents.get(item.sha256)
    why = why_no_place(item, inventory.layout, content)
    if why is None:
        return None
    return Reason.LAYOUT_EXCLUDES, {"layout": inventory.layout, "why": why}


def _settle_residents(
    ordered: Sequence[Candidate], inventory: Inventory, verdicts: dict[str, Verdict]
) -> None:
    """Optional evidence that stands in required policy already."""
    resident: dict[str, str] = {}
    for item in ordered:
        is_policy = item.section == "policy" and item.id in inventory.required_ids
        if is_policy and item.sha256 is not None:
            resident.setdefault(item.sha256, item.id)
    for item in ordered:
        optional = item.id not in inventory.required_ids and item.id not in verdicts
        if optional and item.section == "evidence" and item.sha256 in resident:
            verdicts[item.id] = (Reason.ALREADY_RESIDENT, {"as": resident[item.sha256]})


def _refuse_missing(ordered: Sequence[Candidate], inventory: Inventory) -> None:
    offered = {item.id for item in ordered}
    missing = [identifier for identifier in inventory.required if identifier not in offered]
    if missing:
        verb = "was" if len(missing) == 1 else "were"
        raise RequiredMissingError(
            "required-missing",
            f"required {', '.join(missing)} {verb} never offered",
            detail={"ids": missing},
            where=missing[0],
            next_step="correct the id, add it under `evidence` (of an inventory: `candidates`), "
            "or remove it from `required`",
        )


def _required_rejected(item: Candidate, verdict: Verdict) -> RequiredRejectedError:
    reason, detail = verdict
    return RequiredRejectedError(
        "required-rejected",
        f"required item {item.id} is rejected: {reason.value}{_explain(detail)}",
        detail={"id": item.id, "reason": reason.value, "detail": detail},
        where=item.id,
        next_step="a check wins over a requirement; drop one of the two",
    )


def _explain(detail: Mapping[str, object]) -> str:
    parts = [
        f"{name} {', '.join(value) if isinstance(value, list) else value}"
        for name, value in sorted(detail.items())
        if value is not None
    ]
    return f" ({'; '.join(parts)})" if parts else ""


class _Trials:
    """The decisions so far, and the trials of what is left."""

    def __init__(
        self,
        required: Sequence[Candidate],
        costs: Mapping[str, int],
        *,
        limit: int,
        used: int,
        pricing: Pricing,
    ) -> None:
        self.limit = limit
        self.used = used
        self.decisions: dict[str, Decision] = {}
        self._pricing = pricing
        self._evidence_by_digest: dict[str, str] = {}
        self._rejected_by_group: dict[str, list[str]] = {}
        for item in required:
            self.decisions[item.id] = Selected(
                candidate=item, reason=Reason.REQUIRED, detail={}, cost=costs[item.id]
            )
            self._remember(item)

    def reject(
        self,
        item: Candidate,
        reason: Reason,
        detail: dict[str, object],
        cost: int | None = None,
    ) -> None:
        self.decisions[item.id] = Rejected(candidate=item, reason=reason, detail=detail, cost=cost)
        if item.group is not None:
            self._rejected_by_group.setdefault(item.group, []).append(item.id)

    def run(self, ordered: Sequence[Candidate], order: str) -> None:
        """Try what is undecided, a group as one when its first member is due."""
        due = trial_order([item for item in ordered if item.id not in self.decisions], order)
        members: dict[str, list[Candidate]] = {}
        for item in due:
            if item.group is not None:
                members.setdefault(item.group, []).append(item)
        for item in due:
            if item.id not in self.decisions:
                self._try([item] if item.group is None else members[item.group])

    def _try(self, members: Sequence[Candidate]) -> None:
        left = self._reject_duplicates(members)
        group = members[0].group
        if group is not None and group in self._rejected_by_group:
            missing = sorted(self._rejected_by_group[group])
            for item in left:
                self.decisions[item.id] = Rejected(
                    candidate=item,
                    reason=Reason.GROUP_INCOMPLETE,
                    detail={"group": group, "missing": missing},
                )
            return
        costs = self._pricing.price(left)
        if self.used + sum(costs) <= self.limit:
            self._admit(left, costs)
        else:
            self._reject_over_budget(left, costs, group)

    def _reject_duplicates(self, members: Sequence[Candidate]) -> list[Candidate]:
        """Members of one trial are compared with what is in, not with each other."""
        left: list[Candidate] = []
        for item in members:
            if item.section == "evidence" and item.sha256 in self._evidence_by_digest:
                twin = self._evidence_by_digest[item.sha256]
                self.reject(item, Reason.DUPLICATE_CONTENT, {"as": twin})
            else:
                left.append(item)
        return left

    def _admit(self, items: Sequence[Candidate], costs: Sequence[int]) -> None:
        for item, cost in zip(items, costs, strict=True):
            before = self.used
            self.used += cost
            self.decisions[item.id] = Selected(
                candidate=item,
                reason=Reason.FITS,
                detail={
                    "cost": cost,
                    "used_before": before,
                    "used_after": self.used,
                    "limit": self.limit,
                },
                cost=cost,
            )
            self._remember(item)
        self._pricing.admit(items)

    def _reject_over_budget(
        self, items: Sequence[Candidate], costs: Sequence[int], group: str | None
    ) -> None:
        cost = sum(costs)
        detail: dict[str, object] = {
            "cost": cost,
            "used_before": self.used,
            "would_be": self.used + cost,
            "limit": self.limit,
        }
        if group is not None:
            detail["group"] = group
        for item, own_cost in zip(items, costs, strict=True):
            self.decisions[item.id] = Rejected(
                candidate=item, reason=Reason.BUDGET_EXCEEDED, detail=detail, cost=own_cost
            )

    def _remember(self, item: Candidate) -> None:
        if item.section == "evidence" and item.sha256 is not None:
            self._evidence_by_digest.setdefault(item.sha256, item.id)

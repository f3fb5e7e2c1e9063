"""Compile an inventory again, from the inventory and the objects alone.

Out: decisions, budget, identities and the rendering, each as far as it could be derived.
Nothing here looks at what the package claims, save costs of a vocabulary, passed in as given.
Rules: FORMATS 5.4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assembler_verifier import identities
from assembler_verifier.costs import costs_of
from assembler_verifier.envelope import Rendering, render_envelope
from assembler_verifier.identities import TooLargeError
from assembler_verifier.inventory import Candidate, Inventory
from assembler_verifier.objects import Objects
from assembler_verifier.order import canonical_order
from assembler_verifier.places import CONTRACT, CONTROL
from assembler_verifier.plain_layouts import render_contract, render_control
from assembler_verifier.selection import Selection, select
from assembler_verifier.static_checks import RefusedError, reject_statically
from assembler_verifier.strict_json import JsonObject
from assembler_verifier.tools import check_tools

MAX_WORK_BYTES = 2**30
"""Contents of all candidates together, each counted as often as it is named."""

_ALL_CONTENTS = "the contents of all candidates"


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """What an inventory decides, before any byte is rendered."""

    ordered: list[Candidate]
    selection: Selection
    package_id: str
    trace_id: str
    content_id: str

    def selected(self) -> list[Candidate]:
        """The selected candidates, in canonical order."""
        decisions = self.selection.decisions
        return [candidate for candidate in self.ordered if decisions[candidate.id].selected]


def derive(
    inventory: Inventory,
    objects: Objects,
    given_costs: Mapping[str, int],
    given_overhead: int | None,
) -> Derived:
    """Decide again.

    Raises:
        RefusedError: the inventory does not compile.
        BrokenObjectError: bytes that a decision needs are not at hand.
        MissingCostError: a cost that only the package could give is not in it.
        TooLargeError: this verifier does not take on that much.
    """
    ordered = canonical_order(inventory.candidates)
    _check_work(ordered, objects)
    rejections = reject_statically(inventory, ordered, objects)
    costs = costs_of(inventory, objects, given_costs, given_overhead)
    selection = select(inventory, ordered, rejections, costs)
    decisions = selection.decisions
    selected = [candidate for candidate in ordered if decisions[candidate.id].selected]
    package = identities.package_id(inventory, (candidate.id for candidate in selected))
    return Derived(
        ordered=ordered,
        selection=selection,
        package_id=package,
        trace_id=identities.trace_id(package, decisions),
        content_id=identities.content_id(package, selected),
    )


def render(inventory: Inventory, derived: Derived, objects: Objects) -> Rendering:
    """Render again.

    Raises:
        RefusedError: a selected item has no bytes, or a tool is unfit.
        BrokenObjectError: bytes of a selected item are not at hand.
    """
    items = _contents(derived, objects)
    check_tools(items)
    match inventory.layout:
        case layout if layout == CONTRACT:
            return render_contract(items)
        case layout if layout == CONTROL:
            return render_control(items)
        case _:
            return render_envelope(items)


def check_adapter(inventory: Inventory) -> None:
    """Refuse an adapter without what its request needs.

    Raises:
        RefusedError: the model or a limit is missing, or the limit is above its reserve.
    """
    if inventory.adapter == "text":
        return
    limit_missing = inventory.adapter == "anthropic-messages" and inventory.max_output is None
    if inventory.model is None or limit_missing:
        raise RefusedError("adapter-incomplete", {"adapter": inventory.adapter})
    reserve = inventory.reserves.get("response")
    if inventory.unit != "token" or reserve is None or inventory.max_output is None:
        return
    if reserve < inventory.max_output:
        shown: JsonObject = {"max_output": inventory.max_output, "reserve": reserve}
        raise RefusedError("output-over-reserve", shown)


def _check_work(candidates: Sequence[Candidate], objects: Objects) -> None:
    # Candidates may share one object, so a small folder can ask for endless rendering.
    work_bytes = sum(objects.size(candidate.digest or "") or 0 for candidate in candidates)
    if work_bytes > MAX_WORK_BYTES:
        raise TooLargeError(_ALL_CONTENTS)


def _contents(derived: Derived, objects: Objects) -> list[tuple[Candidate, bytes]]:
    items = []
    for candidate in derived.selected():
        content = objects.content(candidate)
        if content is None:
            ids: JsonObject = {"package_id": derived.package_id, "trace_id": derived.trace_id}
            raise RefusedError("content-unresolved", {"id": candidate.id, **ids})
        items.append((candidate, content))
    return items

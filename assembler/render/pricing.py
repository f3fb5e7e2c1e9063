"""What an item costs: the declared size, or the count of the item as it will be rendered.

Implements the port `Pricing` of the room `select`. Rules: docs/formats/decisions.md and
docs/formats/layouts.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from assembler.errors import SizeUndeclaredError
from assembler.model.candidate import Candidate
from assembler.model.inventory import CONTRACT_LAYOUT, TEXT_LAYOUT, BudgetTerms, Inventory
from assembler.model.rendered import Rendering
from assembler.ports import Counter, Pricing
from assembler.render.contract import render_contract, render_control
from assembler.render.envelope import write_item
from assembler.render.input_text import SKELETON, render_input
from assembler.render.marginal import ContractPricing, ControlPricing, require_content


def render(layout: str, items: Sequence[Candidate], contents: Mapping[str, bytes]) -> Rendering:
    """The rendering of the selected candidates, in canonical order, in a layout."""
    if layout == TEXT_LAYOUT:
        return render_input(items, contents)
    if layout == CONTRACT_LAYOUT:
        return render_contract(items, contents)
    return render_control(items, contents)


class DeclaredPricing:
    """Sums what was declared; nothing is counted."""

    def __init__(self, terms: BudgetTerms) -> None:
        self._unit = terms.unit
        self.overhead = terms.overhead or 0

    def price(self, items: Sequence[Candidate]) -> list[int]:
        """The declared sizes.

        Raises:
            SizeUndeclaredError: one is missing in the budget's unit.
        """
        return [self._declared(item) for item in items]

    def admit(self, items: Sequence[Candidate]) -> None:
        """Nothing to do: a declared size is the same beside anything."""

    def _declared(self, candidate: Candidate) -> int:
        if candidate.size is None or candidate.size.unit != self._unit:
            raise SizeUndeclaredError(
                "size-undeclared",
                f"{candidate.id} declares no size in {self._unit}",
                detail={"id": candidate.id},
                where=candidate.id,
                next_step=f"declare its size in {self._unit}, or name a counter",
            )
        return candidate.size.value


class MeasuredPricing:
    """Counts each item as it will stand in the text; parts add up exactly."""

    def __init__(self, counter: Callable[[], Counter], contents: Mapping[str, bytes]) -> None:
        self._counter = counter
        self._contents = contents
        self._overhead: int | None = None

    @property
    def overhead(self) -> int:
        """The count of the text without items."""
        if self._overhead is None:
            self._overhead = self._counter().count(SKELETON)
        return self._overhead

    def price(self, items: Sequence[Candidate]) -> list[int]:
        """The counts of the whole items, header to end line.

        Raises:
            CounterUnavailableError, ContentUnresolvedError: one can't be counted.
        """
        # A counter that is not at hand is told before an item without content is.
        _ = self.overhead
        return [
            self._counter().count(write_item(item, require_content(item, self._contents)).data)
            for item in items
        ]

    def admit(self, items: Sequence[Candidate]) -> None:
        """Nothing to do: an item counts the same beside anything."""


def choose_pricing(
    inventory: Inventory, counter: Callable[[], Counter], contents: Mapping[str, bytes]
) -> Pricing:
    """The pricing that an inventory's counter and layout ask for."""
    if inventory.budget.overhead is not None:
        return DeclaredPricing(inventory.budget)
    if inventory.layout == TEXT_LAYOUT:
        return MeasuredPricing(counter, contents)
    if inventory.layout == CONTRACT_LAYOUT:
        return ContractPricing(counter, contents)
    return ControlPricing(counter, contents)

"""What an item costs: the declared size, or the count of the item as it will be rendered.

Implements the port `Pricing` of the room `select`. Rules: docs/formats/decisions.md and
docs/formats/layouts.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from assembler.errors import ContentUnresolvedError, SizeUndeclaredError
from assembler.model.candidate import Candidate
from assembler.model.inventory import CONTRACT_LAYOUT, TEXT_LAYOUT, BudgetTerms, Inventory
from assembler.model.order import canonical_key
from assembler.model.rendered import Rendering
from assembler.ports import Counter, Pricing
from assembler.render.contract import render_contract, render_control
from assembler.render.envelope import write_item
from assembler.render.input_text import SKELETON, render_input


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

    def cost(self, candidate: Candidate, admitted: Sequence[Candidate]) -> int:
        """The declared size.

        Raises:
            SizeUndeclaredError: there is none in the budget's unit.
        """
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

    def cost(self, candidate: Candidate, admitted: Sequence[Candidate]) -> int:
        """The count of the whole item, header to end line.

        Raises:
            CounterUnavailableError, ContentUnresolvedError: it can't be counted.
        """
        # A counter that is not at hand is told before an item without content is.
        _ = self.overhead
        content = require_content(candidate, self._contents)
        return self._counter().count(write_item(candidate, content).data)


class MarginalPricing:
    """Counts the text with the item and without it, for layouts whose parts don't add up."""

    def __init__(
        self, counter: Callable[[], Counter], contents: Mapping[str, bytes], layout: str
    ) -> None:
        self._counter = counter
        self._contents = contents
        self._layout = layout

    @property
    def overhead(self) -> int:
        """The count of the text without items."""
        return self._count(())

    def cost(self, candidate: Candidate, admitted: Sequence[Candidate]) -> int:
        """count(admitted and candidate) - count(admitted).

        Raises:
            CounterUnavailableError, ContentUnresolvedError: it can't be counted.
        """
        _ = self.overhead
        require_content(candidate, self._contents)
        return self._count((*admitted, candidate)) - self._count(admitted)

    def _count(self, items: Sequence[Candidate]) -> int:
        # In the order of the text, or the steps would not add up to the count of the whole.
        placed = sorted(items, key=canonical_key)
        return self._counter().count(render(self._layout, placed, self._contents).data)


def choose_pricing(
    inventory: Inventory, counter: Callable[[], Counter], contents: Mapping[str, bytes]
) -> Pricing:
    """The pricing that an inventory's counter and layout ask for."""
    if inventory.budget.overhead is not None:
        return DeclaredPricing(inventory.budget)
    if inventory.layout == TEXT_LAYOUT:
        return MeasuredPricing(counter, contents)
    return MarginalPricing(counter, contents, inventory.layout)


def require_content(candidate: Candidate, contents: Mapping[str, bytes]) -> bytes:
    """The candidate's bytes.

    Raises:
        ContentUnresolvedError: nothing stands behind its id.
    """
    content = contents.get(candidate.sha256 or "")
    if content is None:
        raise ContentUnresolvedError(
            "content-unresolved",
            f"{candidate.id} is required, and no bytes stand behind it",
            detail={"id": candidate.id},
            where=candidate.id,
            next_step="offer its content, or make it optional",
        )
    return content

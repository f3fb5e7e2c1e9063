"""Compile the inventory of a package again and keep what came of it.

Out: an `Outcome`, with a reason wherever something could not be derived.
"""

from __future__ import annotations

from dataclasses import dataclass

from assembler_verifier.costs import MissingCostError
from assembler_verifier.counting import counter_of
from assembler_verifier.derivation import Derived, check_adapter, derive, render
from assembler_verifier.envelope import Rendering
from assembler_verifier.folder import INVENTORY
from assembler_verifier.identities import TooLargeError
from assembler_verifier.inventory import Inventory
from assembler_verifier.objects import BrokenObjectError
from assembler_verifier.package import Package
from assembler_verifier.report import printable, short_id
from assembler_verifier.schema import TEN_TO_ELEVEN
from assembler_verifier.static_checks import RefusedError
from assembler_verifier.strict_json import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a second compilation gave.

    `why` says why something is missing; `broken` that bytes or costs which the package
    should hold are not there; `refusal` that the inventory does not compile.
    """

    derived: Derived | None = None
    rendering: Rendering | None = None
    refusal: str | None = None
    broken: str | None = None
    lacks_cost: str | None = None
    why: str = ""


def uses_vocabulary(inventory: Inventory) -> bool:
    """Whether the budget counts tokens, which nothing here can count."""
    return inventory.counter != "declared" and counter_of(inventory.counter) is None


def run_again(package: Package) -> Outcome:
    """Decide and render again, as far as the package allows."""
    inventory = package.inventory
    if inventory is None:
        return Outcome(why=package.why_not(INVENTORY))
    derived: Derived | None = None
    rendering: Rendering | None = None
    try:
        derived = derive(inventory, package.objects, *_given(package, inventory))
        rendering = render(inventory, derived, package.objects)
        check_adapter(inventory)
    except RefusedError as error:
        item = "" if error.item is None else f" for item {printable(error.item)}"
        refusal = f"{error.code}{item}"
        why = f"the inventory refuses to compile ({error.code})"
        return Outcome(derived=derived, rendering=rendering, refusal=refusal, why=why)
    except BrokenObjectError as error:
        why = f"object {short_id(error.digest)} is missing or altered"
        return Outcome(derived=derived, broken=why, why=why)
    except MissingCostError as error:
        item = "the overhead" if error.item is None else f"item {printable(error.item)}"
        why = f"no cost is given for {item}"
        return Outcome(lacks_cost=why, broken=why, why=why)
    except TooLargeError as error:
        why = f"{error.what} are more than this verifier takes on"
        return Outcome(derived=derived, broken=why, why=why)
    return Outcome(derived=derived, rendering=rendering)


def _given(package: Package, inventory: Inventory) -> tuple[dict[str, int], int | None]:
    if not uses_vocabulary(inventory):
        return {}, None
    costs: dict[str, int] = {}
    for row in package.rows or []:
        name, cost = row.get("id"), _amount(row.get("cost"))
        if isinstance(name, str) and cost is not None:
            costs.setdefault(name, cost)
    budget = (package.manifest or {}).get("budget")
    return costs, _amount(budget.get("overhead")) if isinstance(budget, dict) else None


def _amount(value: JsonValue) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    # A marginal cost may be below zero: a vocabulary can need less for the text with the item.
    return value if abs(value) <= TEN_TO_ELEVEN else None

"""The same facts in other orders: variants of a contract, one factor at a time.

Where evidence stands in an input can change what a model makes of it (Liu et al. 2024, "Lost in
the Middle"). Each variant differs from the contract in one factor; all hold the same evidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from assembler.model.candidate import Candidate
from assembler.model.contract import single_place
from assembler.model.rendered import Rendering
from assembler.render.contract import CONTRACT_FIELDS, render_contract

_OTHERS: Final = tuple(field for field in CONTRACT_FIELDS if field != "evidence")


class Variant(NamedTuple):
    """One input of an experiment."""

    name: str
    factor: str
    """What differs from the contract; `none` for the contract itself."""
    fields: tuple[str, ...]
    """The order of the members behind `template`."""
    rendering: Rendering


def render_variants(
    items: Sequence[Candidate], contents: Mapping[str, bytes]
) -> tuple[Variant, ...]:
    """Evidence first, in the middle (the contract itself) and last, and the example removed.

    Args:
        items: the selected candidates of a contract, in canonical order.
        contents: bytes by digest.
    """
    orders = {
        "evidence-first": ("position of evidence", ("evidence", *_OTHERS)),
        "evidence-middle": ("none", CONTRACT_FIELDS),
        "evidence-last": ("position of evidence", (*_OTHERS, "evidence")),
    }
    variants = [
        Variant(name, factor, fields, render_contract(items, contents, fields=fields))
        for name, (factor, fields) in orders.items()
    ]
    without = [item for item in items if single_place(item) != "example"]
    removed = render_contract(without, contents)
    return (*variants, Variant("example-removed", "example", CONTRACT_FIELDS, removed))

"""A claim about a run: what is said, whether it fires, and the rows that prove it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from assembler.diagnose.trace import Item
from assembler.model.names import first_few

Result: TypeAlias = Literal["fires", "holds", "not-checked"]

FIRES: Final = "fires"
HOLDS: Final = "holds"
NOT_CHECKED: Final = "not-checked"


class Proof(NamedTuple):
    """One row, and what it does in the proof."""

    role: str
    """A word or two: `missing`, `applies to`, `in`, `displaced` …"""
    id: str
    item: Item | None
    """None where the run was not offered what the id names."""


class Claim(NamedTuple):
    """One question about a run, answered from its rows."""

    code: str
    """Of the catalogue."""
    result: Result
    detail: str
    """Ids and figures; never the text of an item."""
    proofs: tuple[Proof, ...] = ()
    """Each row once, in the order of the ledger within what belongs together."""

    @property
    def fires(self) -> bool:
        """Whether the rows prove that something is wrong."""
        return self.result == FIRES


def proof(role: str, item: Item) -> Proof:
    """The row of an item that was offered."""
    return Proof(role, item.id, item)


def fired(code: str, statements: Sequence[str], proofs: Sequence[Proof]) -> Claim:
    """A claim that fires; each pair of role and row is kept once."""
    once = {(each.role, each.id): each for each in reversed(proofs)}
    return Claim(code, FIRES, "; ".join(first_few(statements)), tuple(reversed(once.values())))

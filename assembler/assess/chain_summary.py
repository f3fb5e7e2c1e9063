"""What a chain comes to in a word and a figure, and the findings of many chains as one list.

In: chains. Out: a state, the room that is left, merged findings.
Never here: a file, a rule of the walk.
"""

from __future__ import annotations

from typing import Final

from assembler.model.chain import Chain, ChainRow, ChainState

NEVER_READ: Final = frozenset(
    {
        "agent-config-here",
        "confusable-name",
        "hollow-git",
        "other-agents-file",
        "outside-root",
        "root-is-home",
        "wrong-case-name",
    }
)
"""Reasons of rows that tell of what no walk looks for."""

_GRAVEST: Final[tuple[ChainState, ...]] = ("lost", "cut", "blank", "off")


def own_rows(chain: Chain) -> tuple[ChainRow, ...]:
    """The rows of names that are read."""
    return tuple(row for row in chain.rows if row.reason not in NEVER_READ)


def chain_state(chain: Chain) -> ChainState:
    """The gravest state of a file of the chain; `in` where all that is due is in."""
    states = {row.state for row in own_rows(chain)}
    return next((state for state in _GRAVEST if state in states), "in")


def left_bytes(chain: Chain) -> int:
    """The raw bytes that a further file could have; a cut leaves nothing."""
    used = 0
    for row in chain.rows:
        if row.state == "cut" and row.loaded_bytes:
            return 0
        if row.state == "in":
            used += row.size_bytes or 0
    too_large = any(found.data.get("problem") == "size-limit" for found in chain.findings)
    return 0 if too_large else chain.limit_bytes - used

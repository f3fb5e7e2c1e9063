"""A block of YAML as what it says, by whichever reader; apart, so that one loads no other."""

from __future__ import annotations

from typing import Final, NamedTuple

from assembler.model.document import Position, Value

NULLS: Final = frozenset({"", "~", "null"})


class TextBlock(NamedTuple):
    """The value of a block, and where its members stand if it is a mapping."""

    value: Value
    keys: dict[str, Position]
    values: dict[str, Position]
    """Where the value of each member begins."""
    nulls: frozenset[str]
    """Members whose value is written as a plain null."""
    irregular: tuple[tuple[Position, str], ...] = ()
    """What strict readers of YAML refuse."""

"""Symbols: what a source file defines and imports, told in lines and names.

Lines are first and last, from 1, both included.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from assembler.model.names import first_few

LineRange = tuple[int, int]

MAX_SYMBOL_CHARACTERS: Final = 300
"""Of a whole name, so that its address fits beside a path."""

_SEPARATOR: Final = re.compile(r"\.|::")
_NOT_IN_NAMES: Final = frozenset("\"'`!%&()*+,-/:;<=>?@[\\]^{|}~")
"""ASCII that no identifier of a known language has; `$`, `_` and `#` are in some."""
_JOINERS: Final = "\u200c\u200d"
"""Hidden characters that identifiers of some scripts need."""
_NO_LETTERS: Final = ("Cc", "Cf", "Cn", "Co", "Cs")


class Definition(NamedTuple):
    """One definition of a file."""

    names: tuple[str, ...]
    """From the outermost name to its own."""
    lines: LineRange
    """With decorators, attributes, doc comments and `export`."""
    kind: str
    """`function`, `type`, `variable` or `re-export`."""
    name_line: int
    """Where the definition itself begins, behind what stands above it."""
    scope: LineRange | None = None
    """Lines of the definition around it."""
    joins: bool = False
    """It is one of several that make up one definition: an overload, a part of a property."""
    has_error: bool = False
    """A syntax error stands inside it."""
    frame: tuple[LineRange, ...] = ()
    """Lines that open and close the group that it stands in."""


class Import(NamedTuple):
    """One import statement, or one line of a group of imports."""

    lines: LineRange
    names: tuple[str, ...]
    """What it brings in, as the file calls it."""
    keeps: str | None = None
    """Why it belongs to every definition: what it brings in can't be told from the file."""
    scope: LineRange | None = None
    frame: tuple[LineRange, ...] = ()


class Outline(NamedTuple):
    """What a source file defines, imports and names; all in file order."""

    language: str
    has_errors: bool
    """A part of the file is not of its language."""
    definitions: tuple[Definition, ...]
    imports: tuple[Import, ...]
    uses: Mapping[str, tuple[int, ...]]
    """The lines of each name that may be of something imported, ascending."""

    def names_in(self, ranges: Iterable[LineRange]) -> frozenset[str]:
        """The names that stand in some lines."""
        wanted = merge_ranges(ranges)
        return frozenset(name for name, lines in self.uses.items() if _meet(lines, wanted))


class Unparsed(NamedTuple):
    """A file that was not taken apart."""

    why: str


def _meet(lines: tuple[int, ...], ranges: tuple[LineRange, ...]) -> bool:
    """Whether one of the lines is in one of the ranges; both ascend, the shorter is gone through.

    Many names and many ranges are not each compared with the other.
    """
    if len(ranges) <= len(lines):
        return any(_has_line(lines, first, last) for first, last in ranges)
    places = ((line, bisect_right(ranges, line, key=lambda held: held[0])) for line in lines)
    return any(place > 0 and line <= ranges[place - 1][1] for line, place in places)


def _has_line(lines: tuple[int, ...], first: int, last: int) -> bool:
    place = bisect_left(lines, first)
    return place < len(lines) and lines[place] <= last


def split_symbol(text: str) -> tuple[str, str] | None:
    """Path and name of `PATH#NAME`; None where it is no such thing.

    The name begins behind the first `#` of the path's last part: folders may have one.
    """
    folder, slash, last = text.rpartition("/")
    file, mark, name = last.partition("#")
    if not mark or not file or not is_symbol_name(name):
        return None
    return f"{folder}{slash}{file}", name


def is_symbol_name(text: str) -> bool:
    """Whether it could name a definition: identifiers with `.` or `::` between them."""
    return len(text) <= MAX_SYMBOL_CHARACTERS and all(
        part and not any(_cannot_name(character) for character in part) for part in split_name(text)
    )


def split_name(name: str) -> tuple[str, ...]:
    """The parts of a name, from the outermost."""
    return tuple(_SEPARATOR.split(name))


def _cannot_name(character: str) -> bool:
    if character.isascii():
        return character in _NOT_IN_NAMES or character.isspace() or not character.isprintable()
    if character in _JOINERS:
        return False
    return character.isspace() or unicodedata.category(character) in _NO_LETTERS


def merge_ranges(ranges: Iterable[LineRange]) -> tuple[LineRange, ...]:
    """The same lines in file order, each once; ranges that touch become one."""
    merged: list[LineRange] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return tuple(merged)


def write_ranges(ranges: Iterable[LineRange]) -> str:
    """`L1-L3,L10-L42`, as addresses have it."""
    return ",".join(f"L{first}-L{last}" for first, last in ranges)


def spell_lines(*ranges: LineRange) -> str:
    """`line 7`, `lines 7-9` or `lines 7, 9-11 and 40 more`, as words have it."""
    spelled = [f"{first}" if first == last else f"{first}-{last}" for first, last in ranges]
    is_one = len(ranges) == 1 and ranges[0][0] == ranges[0][1]
    return f"{'line' if is_one else 'lines'} {', '.join(first_few(spelled))}"

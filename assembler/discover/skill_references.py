"""What the text of a SKILL.md refers to out of its folder: links, definitions, attributes of HTML.

In: the bytes of the file. Out: targets with their places. Never here: a target that is opened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from assembler.model.document import Position
from assembler.model.paths import leads_out

MAX_LABEL_BYTES: Final = 1_000
"""Of a definition's label, as CommonMark has it (999 characters)."""

# One character in front, which is found as fast as memory is read.
_REFERENCE: Final = re.compile(rb"\](?:\(\s*<?([^)\s>]+)|:[ \t]*<?([^\s>]+))")
_ATTRIBUTE: Final = re.compile(rb"(?:src|href)=[\"']([^\s>\"']+)")
_LABEL: Final = re.compile(rb" {0,3}\[[^\]\n]+\Z")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def find_outside_references(data: bytes, start: int) -> Iterator[tuple[str, Position]]:
    """Each target that leads out, once, with line and column in the file.

    Args:
        data: the whole file, UTF-8.
        start: the first byte of the text.
    """
    told: set[str] = set()
    # Places are counted from one reference to the next: a file may hold a hundred thousand.
    line, column, counted = 1, 1, 0
    for place, raw in _find_references(data, start):
        target = raw.decode("utf-8").partition("#")[0].partition("?")[0]
        if not target or target in told or not _is_outside(target):
            continue
        told.add(target)
        between = data[counted:place].decode("utf-8")
        breaks = between.count("\n")
        column = len(between) - between.rfind("\n") if breaks else column + len(between)
        line, counted = line + breaks, place
        yield target, (line, column)


def _find_references(data: bytes, start: int) -> list[tuple[int, bytes]]:
    """Place and text of every reference behind a place, in order."""
    found: list[tuple[int, bytes]] = []
    for match in _REFERENCE.finditer(data, start):
        if match[1] is not None:
            found.append((match.start(1), match[1]))
        elif _is_definition(data, match.start()):
            found.append((match.start(2), match[2]))
    if data.find(b"<", start) >= 0:
        found += [(match.start(1), match[1]) for match in _ATTRIBUTE.finditer(data, start)]
        found.sort()
    return found


def _is_definition(data: bytes, bracket: int) -> bool:
    """Whether the closing bracket ends the label that its line begins with."""
    before = data.rfind(b"\n", max(0, bracket - MAX_LABEL_BYTES), bracket)
    return before >= 0 and _LABEL.match(data[before + 1 : bracket]) is not None


def _is_outside(target: str) -> bool:
    """Whether a target names a file out of the folder; an address of the network names none."""
    scheme = _SCHEME.match(target)
    return leads_out(target) if scheme is None else scheme.group().lower() == "file:"

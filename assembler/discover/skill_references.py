"""What the text of a SKILL.md refers to out of its folder: links, definitions, attributes of HTML.

What stands in fenced code, in code spans and in comments is shown, and refers to nothing.
In: the bytes of the file. Out: targets with their places. Never here: a target that is opened.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from assembler.model.document import Position
from assembler.model.paths import leads_out

MAX_LABEL_BYTES: Final = 1_000
"""Of a definition's label, as CommonMark has it (999 characters)."""

# One character in front, which is found as fast as memory is read.
_REFERENCE: Final = re.compile(rb"\](?:\(\s*<?([^)\s>]+)|:[ \t]*<?([^\s>]+))")
_ATTRIBUTE: Final = re.compile(rb"(?:src|href)=[\"']([^\s>\"']+)")
# A footnote's text is no address.
_LABEL: Final = re.compile(rb" {0,3}\[(?!\^)[^\]\n]+\Z")
_FENCE: Final = re.compile(rb"^ {0,3}(`{3,}|~{3,})([^\n]*)", re.MULTILINE)
_CODE_SPAN: Final = re.compile(rb"`[^`\n]+`")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def find_outside_references(data: bytes, start: int) -> Iterator[tuple[str, Position]]:
    """Each target that leads out, once, with line and column in the file.

    Args:
        data: the whole file, UTF-8.
        start: the first byte of the text.
    """
    told: set[str] = set()
    shown: list[tuple[int, int]] | None = None
    # Places are counted from one reference to the next: a file may hold a hundred thousand.
    line, column, counted = 1, 1, 0
    for place, raw in _find_references(data, start):
        target = raw.decode("utf-8").partition("#")[0].partition("?")[0]
        if not target or target in told or not _is_outside(target):
            continue
        if shown is None:
            shown = _find_shown(data, start)
        if _is_within(place, shown):
            continue
        told.add(target)
        between = data[counted:place].decode("utf-8")
        breaks = between.count("\n")
        column = len(between) - between.rfind("\n") if breaks else column + len(between)
        line, counted = line + breaks, place
        yield target, (line, column)


def _find_shown(data: bytes, start: int) -> list[tuple[int, int]]:
    """Where text is shown and not meant: fenced code, code spans, comments; sorted, half open."""
    fenced = list(_find_fences(data, start))
    comments = list(_find_comments(data, start))
    spans = [match.span() for match in _CODE_SPAN.finditer(data, start)]
    merged: list[tuple[int, int]] = []
    for first, last in sorted([*fenced, *comments, *spans]):
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


def _find_fences(data: bytes, start: int) -> Iterator[tuple[int, int]]:
    """Each fenced block; one that is never closed reaches to the end."""
    opened: tuple[int, bytes] | None = None
    for match in _FENCE.finditer(data, start):
        mark = match[1]
        if opened is None:
            opened = (match.start(), mark)
        elif mark[:1] == opened[1][:1] and len(mark) >= len(opened[1]) and not match[2].strip():
            yield opened[0], match.end()
            opened = None
    if opened is not None:
        yield opened[0], len(data)


def _find_comments(data: bytes, start: int) -> Iterator[tuple[int, int]]:
    position = data.find(b"<!--", start)
    while position >= 0:
        end = data.find(b"-->", position)
        if end < 0:
            return
        yield position, end
        position = data.find(b"<!--", end)


def _is_within(place: int, spans: list[tuple[int, int]]) -> bool:
    index = bisect_right(spans, (place, place)) - 1
    return index >= 0 and place < spans[index][1]


def _find_references(data: bytes, start: int) -> list[tuple[int, bytes]]:
    """Place and text of every reference behind a place, in order."""
    found: list[tuple[int, bytes]] = []
    for match in _REFERENCE.finditer(data, start):
        if match[1] is not None:
            found.append((match.start(1), match[1]))
        elif _is_definition(data, match.start()):
            found.append((match.start(2), match[2]))
    if data.find(b"<", start) >= 0:
        attributes = ((match.start(1), match[1]) for match in _ATTRIBUTE.finditer(data, start))
        # In HTML a slash in front is the root of a site.
        found += [item for item in attributes if not item[1].startswith(b"/")]
        found.sort()
    return found


def _is_definition(data: bytes, bracket: int) -> bool:
    """Whether the closing bracket ends the label that its line begins with."""
    before = data.rfind(b"\n", max(0, bracket - MAX_LABEL_BYTES), bracket)
    return before >= 0 and _LABEL.match(data[before + 1 : bracket]) is not None


def _is_outside(target: str) -> bool:
    """Whether a target names a file out of the folder; an address of the network names none."""
    if target.startswith("//"):
        return False
    scheme = _SCHEME.match(target)
    return leads_out(target) if scheme is None else scheme.group().lower() == "file:"

"""Where a section of a file stands now, known by its digest and its number of lines alone.

Pure. The work is bounded: every place of the file is hashed once, and what a place costs beside
its bytes is counted as bytes too, so that a file of short lines is no way around the bound.
"""

from __future__ import annotations

import hashlib
import re
from itertools import pairwise
from typing import Final

from assembler.model.lines import count_lines
from assembler.model.symbols import LineRange

MAX_HASHED_BYTES: Final = 64 * 1024 * 1024
"""Hashed at most for the sections of all artifacts of a run, and for those of a task; takes about
a fifth of a second."""
PLACE_BYTES: Final = 256
"""What looking at one line counts for beside its bytes: it takes as long as hashing so many."""


class SectionSearch:
    """Looks for sections of files, until its bytes to hash are used up."""

    def __init__(self, left_bytes: int = MAX_HASHED_BYTES) -> None:
        self._left_bytes = left_bytes
        self._data: bytes | None = None
        self._starts: list[int] = []

    def find(self, data: bytes, *, lines: int, sha256: str) -> LineRange | None:
        """The only lines of a file that have the digest; None where there are none, or two such.

        Args:
            data: the file; asked for several sections in a row, it is taken apart once.
            lines: how many lines the section has.
            sha256: of its bytes.
        """
        number = count_lines(data)
        looked_at_bytes = number * PLACE_BYTES
        if number < lines or looked_at_bytes > self._left_bytes:
            return None
        self._left_bytes -= looked_at_bytes
        starts = self._starts_of(data)
        work_bytes = _work(starts, lines)
        if work_bytes > self._left_bytes:
            return None
        self._left_bytes -= work_bytes
        return _find(data, starts, lines, bytes.fromhex(sha256))

    def _starts_of(self, data: bytes) -> list[int]:
        if self._data is not data:
            self._starts = [0, *(match.end() for match in re.finditer(b"\n", data))]
            if self._starts[-1] < len(data):
                self._starts.append(len(data))
            self._data = data
        return self._starts


def find_copies(data: bytes, section: bytes, *, most: int) -> list[LineRange]:
    """The first whole lines of a file that are these bytes, in order; copies may overlap.

    Args:
        data: the file.
        section: whole lines.
        most: copies that are looked for, at least 1.
    """
    if not section:
        return []
    if not section.endswith(b"\n"):
        # Such a last line is a file's last one.
        start = len(data) - len(section)
        is_there = data.endswith(section) and (not start or data[start - 1 : start] == b"\n")
        return [_lines_at(data, start, len(data))] if is_there else []
    start = 0 if data.startswith(section) else data.find(b"\n" + section) + 1
    if not data.startswith(section, start):
        return []
    found = [_lines_at(data, start, start + len(section))]
    while len(found) < most and (end := data.find(b"\n" + section, start)) >= 0:
        lines = data.count(b"\n", start, end + 1)
        found.append((found[-1][0] + lines, found[-1][1] + lines))
        start = end + 1
    return found


def _lines_at(data: bytes, start: int, end: int) -> LineRange:
    first = data.count(b"\n", 0, start) + 1
    return first, first + data.count(b"\n", start, end - 1)


def _find(data: bytes, starts: list[int], lines: int, wanted: bytes) -> LineRange | None:
    view = memoryview(data)
    found = [
        number
        for number in range(len(starts) - lines)
        if hashlib.sha256(view[starts[number] : starts[number + lines]]).digest() == wanted
    ]
    return (found[0] + 1, found[0] + lines) if len(found) == 1 else None


def _work(starts: list[int], lines: int) -> int:
    """Bytes that are hashed: each line as often as a section can hold it."""
    places = len(starts) - lines
    total = 0
    for number, (start, end) in enumerate(pairwise(starts)):
        total += (end - start) * min(number + 1, lines, places, len(starts) - 1 - number)
    return total

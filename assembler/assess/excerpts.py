"""The part of a file that a candidate holds: whole lines, recoverable from the source."""

from __future__ import annotations

from typing import Final

from assembler.model.evidence import Discovered
from assembler.model.lines import count_lines, whole_lines

AROUND_LINES: Final = 15
"""Lines kept before and after the line that was looked for."""


def cut_excerpt(wanted: Discovered, data: bytes) -> tuple[bytes, tuple[int, int] | None] | None:
    """The wanted bytes and their lines (None: the whole file).

    Returns None where the lines, or the text to look for, are not there.
    """
    if wanted.lines is not None:
        found = whole_lines(data, *wanted.lines)
        return None if found is None else (found, wanted.lines)
    if wanted.around is None:
        return data, None
    position = data.find(wanted.around.encode("utf-8"))
    if position < 0:
        return None
    line = data.count(b"\n", 0, position) + 1
    first = max(1, line - AROUND_LINES)
    last = min(count_lines(data), line + AROUND_LINES)
    found = whole_lines(data, first, last)
    return None if found is None else (found, (first, last))

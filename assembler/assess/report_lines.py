"""The lines of a report in plain text, as the readers of test output look at them.

A line number here is one of the file: lines end at a line feed and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from assembler.model.report import LineRange

MAX_LINES: Final = 200_000
"""Every reader looks at every line."""
MAX_LINE_CHARACTERS: Final = 2_048
"""What a reader sees of one line: a pattern that looks back takes no long time over any."""

_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*+m")


def split_report(data: bytes) -> list[str] | None:
    """Each line without its end, colours and what is beyond the bound; None: too many lines."""
    if data.count(b"\n") >= MAX_LINES:
        return None
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "backslashreplace")
    if "\x1b" in text:
        text = _COLOUR.sub("", text)
    lines = [line.removesuffix("\r")[:MAX_LINE_CHARACTERS] for line in text.split("\n")]
    if lines[-1] == "":
        lines.pop()
    return lines


def trim_block(lines: Sequence[str], first: int, end: int) -> LineRange:
    """A block as line numbers, without the blank lines at its end.

    Args:
        lines: all of them.
        first: index of the block's first line, kept even where it is blank.
        end: index after its last line.
    """
    while end > first + 1 and not lines[end - 1].strip():
        end -= 1
    return first + 1, end


def cut_ranges(data: bytes, ranges: Sequence[LineRange]) -> bytes:
    """The bytes of the lines with their ends, one range after the other.

    Args:
        data: the file.
        ranges: ascending, apart, and inside the file.
    """
    pieces = []
    position, line = 0, 1
    for first, last in ranges:
        start = _skip_lines(data, position, first - line)
        position, line = _skip_lines(data, start, last - first + 1), last + 1
        pieces.append(data[start:position])
    return b"".join(pieces)


def _skip_lines(data: bytes, position: int, count: int) -> int:
    for _ in range(count):
        end = data.find(b"\n", position)
        if end < 0:
            return len(data)
        position = end + 1
    return position

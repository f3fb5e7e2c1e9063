"""Whole lines of a text: 1-based, split after LF only, a last line without LF counts."""

from __future__ import annotations

from collections.abc import Sequence


def whole_lines(data: bytes, first: int, last: int) -> bytes | None:
    """The bytes of lines `first` to `last` with their line feeds; None past the last line."""
    start = _line_start(data, first)
    if start is None:
        return None
    position = start
    for _ in range(last - first + 1):
        if position >= len(data):
            return None
        end = data.find(b"\n", position)
        position = len(data) if end < 0 else end + 1
    return data[start:position]


def join_lines(data: bytes, ranges: Sequence[tuple[int, int]]) -> bytes:
    """The bytes of some lines, ascending and apart; lines past the last one are no bytes."""
    parts = []
    line, position = 1, 0
    for first, last in ranges:
        position = _skip_lines(data, position, first - line)
        end = _skip_lines(data, position, last - first + 1)
        parts.append(data[position:end])
        line, position = last + 1, end
    return b"".join(parts)


def _skip_lines(data: bytes, position: int, lines: int) -> int:
    for _ in range(lines):
        end = data.find(b"\n", position)
        if end < 0:
            return len(data)
        position = end + 1
    return position


def count_lines(data: bytes) -> int:
    """The number of lines; 0 for no bytes."""
    return data.count(b"\n") + (1 if data and not data.endswith(b"\n") else 0)


def _line_start(data: bytes, line: int) -> int | None:
    position = 0
    for _ in range(line - 1):
        end = data.find(b"\n", position)
        if end < 0:
            return None
        position = end + 1
    return position if position < len(data) else None


def whole_characters(data: bytes) -> bytes:
    """The bytes without the part of a UTF-8 character that a cut left at their end."""
    for length in range(1, min(4, len(data) + 1)):
        byte = data[-length]
        if byte < 0x80:
            return data
        if byte >= 0xC0:
            wanted = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return data[:-length] if length < wanted else data
    return data

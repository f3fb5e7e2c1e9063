"""Whole lines of a text: 1-based, split after LF only, a last line without LF counts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Final

_BLOCK_BYTES: Final = 4_096
MAX_KEPT: Final = 8
"""Texts whose line feeds are known: thousands of items may be lines of one large file."""


def whole_lines(data: bytes, first: int, last: int) -> bytes | None:
    """The bytes of lines `first` to `last` with their line feeds; None past the last line."""
    if _end_of(data, max(first, last) - 1) >= len(data):
        return None
    return data[_end_of(data, first - 1) : _end_of(data, last)]


def join_lines(data: bytes, ranges: Sequence[tuple[int, int]]) -> bytes:
    """The bytes of some lines, ascending and apart; lines past the last one are no bytes."""
    return b"".join(data[_end_of(data, first - 1) : _end_of(data, last)] for first, last in ranges)


def count_lines(data: bytes) -> int:
    """The number of lines; 0 for no bytes."""
    counts = _count_feeds(data)
    return (counts[-1] if counts else 0) + (1 if data and not data.endswith(b"\n") else 0)


@lru_cache(maxsize=MAX_KEPT)
def _count_feeds(data: bytes) -> tuple[int, ...]:
    """How many line feeds there are up to the end of each block."""
    blocks = range(0, len(data), _BLOCK_BYTES)
    return tuple(accumulate(data.count(b"\n", start, start + _BLOCK_BYTES) for start in blocks))


def _end_of(data: bytes, line: int) -> int:
    """Where the bytes of a line end, its line feed included; of one past the last: the end."""
    if line <= 0:
        return 0
    counts = _count_feeds(data)
    block = bisect_left(counts, line)
    if block == len(counts):
        return len(data)
    position = block * _BLOCK_BYTES
    for _ in range(line - (counts[block - 1] if block else 0)):
        position = data.index(b"\n", position) + 1
    return position


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

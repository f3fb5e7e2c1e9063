"""Runs of characters that a reader does not see, without those that honest text needs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from assembler.model.hidden_characters import (
    ERROR_RANGES,
    FLAG_TAGS,
    IDEOGRAPHS,
    JOINER_SCRIPTS,
    PICTOGRAPHS,
    WARNING_RANGES,
    is_within,
)

_VISIBLE_ASCII: Final = bytes((0x09, 0x0A, 0x0D, *range(0x20, 0x7F)))


def is_plainly_visible(data: bytes) -> bool:
    """Whether the bytes are visible ASCII alone: the usual case, told in one pass."""
    return data.isascii() and not data.translate(None, _VISIBLE_ASCII)


def grave_runs(text: str) -> list[tuple[int, int]]:
    """Start and end of each run that nobody writes into text on purpose."""
    runs = _patterns()[0].finditer(text)
    return [run.span() for run in runs if not _is_honest_grave(text, *run.span())]


def slight_runs(text: str) -> list[tuple[int, int]]:
    """Start and end of each run that is honest elsewhere: without what emoji and scripts need."""
    return list(_dishonest_runs(text, _patterns()[1]))


def without_hidden(text: str) -> str:
    """The text as a reader sees it: without anything of both tiers, honest or not.

    Line ends stay, and so do the numbers of lines; separators of Unicode go.
    """
    for pattern in _patterns():
        text = pattern.sub("", text)
    return text


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Both tiers; compiled when the first text that is not plain is met."""
    return _pattern(ERROR_RANGES), _pattern(WARNING_RANGES)


def _pattern(ranges: tuple[tuple[int, int, str], ...]) -> re.Pattern[str]:
    parts = (f"\\U{first:08x}-\\U{last:08x}" for first, last, _ in ranges)
    return re.compile(f"[{''.join(parts)}]+")


def _is_honest_grave(text: str, start: int, end: int) -> bool:
    """A flag's tags, or one glyph variant behind an ideograph."""
    before = ord(text[start - 1]) if start else 0
    if end - start == 1 and is_within(before, IDEOGRAPHS):
        return 0xE0100 <= ord(text[start]) <= 0xE01EF
    if before != 0x1F3F4 or text[end - 1] != "\U000e007f":
        return False
    return "".join(chr(ord(mark) - 0xE0000) for mark in text[start : end - 1]) in FLAG_TAGS


def _dishonest_runs(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Runs of the milder tier without what emoji and scripts need."""
    for start, end in (match.span() for match in pattern.finditer(text)):
        if start == 0 and text[0] == "\ufeff":
            start += 1  # noqa: PLW2901 - the byte order mark at the start is told elsewhere
        if start < end and not (end - start == 1 and _is_honest_slight(text, start)):
            yield start, end


def _is_honest_slight(text: str, start: int) -> bool:
    code_point = ord(text[start])
    before = ord(text[start - 1]) if start else 0
    after = ord(text[start + 1]) if start + 1 < len(text) else 0
    if code_point == 0x200D and is_within(before, PICTOGRAPHS) and is_within(after, PICTOGRAPHS):
        return True
    if code_point in {0x200E, 0x200F, 0x061C}:
        return is_within(before, JOINER_SCRIPTS) or is_within(after, JOINER_SCRIPTS)
    if code_point in {0x200C, 0x200D} or 0x180B <= code_point <= 0x180F:
        return is_within(before, JOINER_SCRIPTS)
    return 0x13430 <= code_point <= 0x1345F and 0x13000 <= before <= 0x1345F

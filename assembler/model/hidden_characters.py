"""Characters that a reader does not see and a model does: a committed table in three tiers.

Unicode 16.0. No single property covers them, and the interpreter's own tables change with its
version, so the table is written out. Ranges are inclusive.
"""

from __future__ import annotations

from typing import Final

ERROR_RANGES: Final = (
    (0x00, 0x08, "control"),
    (0x0B, 0x0C, "control"),
    (0x0E, 0x1F, "control"),
    (0x7F, 0x9F, "control"),
    (0x202A, 0x202E, "bidirectional control"),
    (0x2066, 0x2069, "bidirectional control"),
    (0xFDD0, 0xFDEF, "noncharacter"),
    (0xFFF9, 0xFFFB, "interlinear annotation"),
    *((plane << 16 | 0xFFFE, plane << 16 | 0xFFFF, "noncharacter") for plane in range(17)),
    (0xE0000, 0xE007F, "tag"),
    (0xE0100, 0xE01EF, "variation selector"),
)
"""Nothing that a person writes into instructions on purpose. TAB, LF and CR are no part of it."""

WARNING_RANGES: Final = (
    (0x00AD, 0x00AD, "soft hyphen"),
    (0x034F, 0x034F, "filler"),
    (0x061C, 0x061C, "direction mark"),
    (0x115F, 0x1160, "filler"),
    (0x17B4, 0x17B5, "filler"),
    (0x180B, 0x180F, "format control"),
    (0x200B, 0x200D, "zero width"),
    (0x200E, 0x200F, "direction mark"),
    (0x2028, 0x2029, "separator"),
    (0x2060, 0x2065, "zero width"),
    (0x206A, 0x206F, "format control"),
    (0x2800, 0x2800, "filler"),
    (0x3164, 0x3164, "filler"),
    (0xE000, 0xF8FF, "private use"),
    (0xFE00, 0xFE0D, "variation selector"),
    (0xFEFF, 0xFEFF, "byte order mark"),
    (0xFFA0, 0xFFA0, "filler"),
    (0x13430, 0x1345F, "format control"),
    (0x1BCA0, 0x1BCA3, "format control"),
    (0x1D173, 0x1D17A, "format control"),
    (0xF0000, 0xFFFFD, "private use"),
    (0x100000, 0x10FFFD, "private use"),
)
"""Honest in some scripts and in emoji, a hiding place elsewhere. U+00A0, U+FE0E and U+FE0F are in
neither tier."""

JOINER_SCRIPTS: Final = (
    (0x0590, 0x08FF),
    (0x0900, 0x109F),
    (0x1780, 0x18AF),
    (0xA840, 0xA87F),
    (0xFB1D, 0xFDFF),
    (0xFE70, 0xFEFC),
    (0x10A00, 0x11FFF),
)
"""Scripts that are written with joiners, direction marks or format controls of their own."""

PICTOGRAPHS: Final = (
    (0x00A9, 0x00A9),
    (0x00AE, 0x00AE),
    (0x203C, 0x203C),
    (0x2049, 0x2049),
    (0x20E3, 0x20E3),
    (0x2122, 0x2BFF),
    (0x3030, 0x303D),
    (0x3297, 0x3299),
    (0xFE0E, 0xFE0F),
    (0x1F000, 0x1FAFF),
)
"""Pictures, keycaps, skin tones and the selectors behind them: what a joiner may stand between."""

IDEOGRAPHS: Final = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF))
"""One variation selector behind one of them names a glyph."""

FLAG_TAGS: Final = ("gbeng", "gbsct", "gbwls")
"""The tag sequences behind U+1F3F4 that are flags of general use."""


def is_within(code_point: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    """Whether the code point lies in one of the ranges."""
    return any(first <= code_point <= last for first, last in ranges)


def name_kind(code_point: int) -> str:
    """What the table calls the code point; `character` if it does not have it."""
    for first, last, kind in (*ERROR_RANGES, *WARNING_RANGES):
        if first <= code_point <= last:
            return kind
    return "character"

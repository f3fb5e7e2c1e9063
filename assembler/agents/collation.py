"""The order of names in JavaScript's `localeCompare`, as far as names need it. Pure.

Compared first without case and accents, then by accents, then small letters before great ones
(Unicode collation, root locale). Signs stand before digits, and these before letters.
"""

from __future__ import annotations

import unicodedata
from typing import Final, TypeAlias

CollationKey: TypeAlias = tuple[tuple[tuple[int, int], ...], tuple[int, ...], tuple[bool, ...], str]

_SIGNS: Final = "\t\n\x0b\x0c\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"
_RANKS: Final = {sign: rank for rank, sign in enumerate(_SIGNS)}


def collation_key(name: str) -> CollationKey:
    """What a name is sorted by; equal for equal names alone."""
    plain = unicodedata.normalize("NFD", name)
    letters = [mark for mark in plain if not unicodedata.combining(mark)]
    accents = tuple(ord(mark) for mark in plain if unicodedata.combining(mark))
    first = tuple(part for mark in letters for part in _rank(mark))
    is_great = tuple(mark != mark.lower() for mark in letters for _ in mark.casefold())
    return first, accents, is_great, name


def _rank(mark: str) -> list[tuple[int, int]]:
    if mark in _RANKS:
        return [(0, _RANKS[mark])]
    if mark.isdigit():
        return [(1, unicodedata.digit(mark, ord(mark)))]
    return [(2, ord(small)) for small in mark.casefold()]

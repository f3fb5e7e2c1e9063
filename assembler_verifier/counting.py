"""Count a text in the unit of a budget, where that needs no vocabulary.

Rules: FORMATS 2.7 and the pairs of unit and counter in FORMATS 4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Count: TypeAlias = Callable[[bytes], int]
"""Counts bytes of UTF-8."""


def counter_of(name: str) -> Count | None:
    """How the named counter counts; nothing for `declared` and for vocabularies."""
    match name:
        case "code-points":
            return _count_code_points
        case "utf8-bytes":
            return len
        case _:
            return None


def _count_code_points(data: bytes) -> int:
    return len(data.decode())

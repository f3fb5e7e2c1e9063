"""Names of counters that need no vocabulary, and units in words."""

from __future__ import annotations

from typing import Final

DECLARED: Final = "declared"
"""The counter that sums declared sizes and counts nothing."""


def plural(unit: str) -> str:
    """`token` as `tokens`, `code-point` as `code points`."""
    return unit.replace("-", " ") + "s"

"""Names of counters that need no vocabulary, and what a counter counts, in words."""

from __future__ import annotations

from typing import Final

DECLARED: Final = "declared"
"""The counter that sums declared sizes and counts nothing."""

COUNTER_UNITS: Final = {"code-points": "code-point", "utf8-bytes": "byte"}


def counter_unit(counter: str) -> str:
    """The unit that a counter counts."""
    return COUNTER_UNITS.get(counter, "token")


def plural(unit: str) -> str:
    """`token` as `tokens`, `code-point` as `code points`."""
    return unit.replace("-", " ") + "s"

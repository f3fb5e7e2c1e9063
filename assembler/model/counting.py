"""Names of counters that need no vocabulary."""

from __future__ import annotations

from typing import Final

DECLARED: Final = "declared"
"""The counter that sums declared sizes and counts nothing."""

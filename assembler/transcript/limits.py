"""What the input of a run is held against.

Source: docs/formats/trace.md, section "Verdict".
"""

from __future__ import annotations

from typing import Final, NamedTuple

SUMMARY_ALLOWANCE_TOKENS: Final = 1_000
"""Room that is kept for a summary, unless the invoker says otherwise; about 700 words."""


class Limits(NamedTuple):
    """What the input is held against, in tokens."""

    ceiling: int
    trigger: int
    """Above it a rewrite is due; at most the ceiling."""
    allowance: int
    """What a summary may take."""

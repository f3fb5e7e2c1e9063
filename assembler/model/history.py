"""What is asked of a repository's past: where a file went, and why that may not be known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

NOT_IN_CLONE: Final = "NOT-IN-CLONE"
"""The problem of an entry of the past whose folder this clone does not have."""


class Renamed(NamedTuple):
    """Where a file stands now that is gone from its path."""

    path: str
    similarity: int | None = None
    """Percent, as git told it; None: the very same bytes."""


class Renames(NamedTuple):
    """What git says of files that are gone."""

    found: Mapping[tuple[str, str], Renamed] = {}
    """By commit and path."""
    why_not: str | None = None
    """Why nothing is known, where git could not be asked for all."""

"""Findings that are known and not told, and who says so."""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple

from assembler.model.finding import Finding

NEVER_QUIET: Final = frozenset({"ASM702", "ASM703", "ASM705"})
"""What is said of the profile and of a change of policy: by these nobody quiets them."""


class Quieted(NamedTuple):
    """One finding that is not told and decides nothing."""

    finding: Finding
    by: Literal["profile", "baseline"]
    reason: str
    """The exception's, or in which baseline it stands."""

    def to_json(self) -> dict[str, Any]:
        """The finding with its reason."""
        return {**self.finding.to_json(), "reason": self.reason}

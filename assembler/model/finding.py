"""A finding: one thing that a room saw and that somebody should know, as a value.

Findings are data, never exceptions; a message holds names, sizes and places, never content of a
file that was not admitted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from assembler.model.catalogue import RULES

Severity: TypeAlias = Literal["error", "warning", "note"]

SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "note")
"""From the gravest down."""


# A named tuple: each dataclass would add half a millisecond to the start of every command.
class Finding(NamedTuple):
    """One finding; the members are those of the JSON output."""

    code: str
    """`ASMnnn`, never used for anything else later."""
    slug: str
    severity: Severity
    path: str | None
    """Root-relative; None where no file is meant."""
    line: int | None
    column: int | None
    """From 1, in code points."""
    message: str
    fix: str | None
    """A command or an edit."""
    data: Mapping[str, Any]
    """The figures of the message, as plain JSON values."""

    @property
    def agents(self) -> list[str]:
        """The agents that it is about, where it is about some."""
        one = self.data.get("agent")
        return [*self.data.get("agents", ()), *([one] if one else [])]

    def to_json(self) -> dict[str, Any]:
        """The members as the output formats have them."""
        return {
            "code": self.code,
            "slug": self.slug,
            "severity": self.severity,
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "message": self.message,
            "fix": self.fix,
            "data": dict(self.data),
        }


def make_finding(
    code: str,
    path: str | None,
    message: str,
    *,
    line: int | None = None,
    column: int | None = None,
    fix: str | None = None,
    data: Mapping[str, Any] | None = None,
    severity: Severity | None = None,
) -> Finding:
    """A finding with the slug and the severity that the catalogue gives its code.

    Args:
        code: of the catalogue.
        path: root-relative, or None.
        message: names, sizes, places.
        line: from 1.
        column: from 1, in code points.
        fix: a command or an edit.
        data: the figures, as JSON values.
        severity: only where the catalogue leaves two.

    Raises:
        KeyError: the catalogue does not have the code.
    """
    slug, usual = RULES[code]
    return Finding(
        code=code,
        slug=slug,
        severity=severity or usual,
        path=path,
        line=line,
        column=column,
        message=message,
        fix=fix,
        data=data if data is not None else {},
    )


def finding_order(finding: Finding) -> tuple[str, int, int, str, str]:
    """Sorts findings of many files: by place, then code."""
    return (
        finding.path or "",
        finding.line or 0,
        finding.column or 0,
        finding.code,
        finding.message,
    )

"""A finding below a table, for a person: its place and what it says, and how to mend it."""

from __future__ import annotations

from collections.abc import Sequence

from assembler.cli.output import escape
from assembler.model.finding import Finding


def finding_words(finding: Finding, more: Sequence[str] = ()) -> list[str]:
    """The lines of one finding.

    Args:
        finding: with the place as it is to be shown.
        more: lines between what it says and its fix, escaped already.
    """
    parts = [escape(finding.path or "")]
    parts += [str(part) for part in (finding.line, finding.column) if part is not None]
    head = f"{finding.code} {finding.slug}  {':'.join(parts)}   {escape(finding.message)}"
    fix = [f"fix: {escape(finding.fix)}"] if finding.fix else []
    return [head, *more, *fix]

"""The findings that came and went between two places in time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from assembler.cli.output import escape
from assembler.model.finding import SEVERITIES, Finding
from assembler.model.names import first_few

if TYPE_CHECKING:
    from assembler.compare.sight_changes import ItemChange, SightChanges

MAX_LINE_CHARACTERS: Final = 300
"""Of one finding in a list; JSON has it whole."""


def findings_line(changes: SightChanges) -> str:
    """The findings that came and went."""
    new, fixed = _spell_findings(changes.findings_new), _spell_findings(changes.findings_fixed)
    excepted = _spell_findings(changes.findings_excepted)
    more = f"; now excepted: {excepted}" if changes.findings_excepted else ""
    return f"new findings: {new}; fixed: {fixed}{more}"


def _spell_findings(findings: Sequence[Finding]) -> str:
    parts = []
    for severity in SEVERITIES:
        codes = [finding.code for finding in findings if finding.severity == severity]
        if codes:
            word = severity if len(codes) == 1 else f"{severity}s"
            parts.append(f"{len(codes):,} {word} ({', '.join(sorted({*codes}))})")
    return ", ".join(parts) or "none"


def codes_by_item(changes: SightChanges) -> dict[str | None, set[str]]:
    """Codes of new findings by path, and those about agents by `AGENT:PATH`."""
    codes: dict[str | None, set[str]] = {}
    for finding in changes.findings_new:
        for key in _keys_of(finding):
            codes.setdefault(key, set()).add(finding.code)
    return codes


def item_key(change: ItemChange) -> str | None:
    """What findings about an item are kept by: an agent's own name of it, else its path."""
    return change.id if change.item.kind == "agent" else change.item.path


def beside_rows(changes: SightChanges) -> list[str]:
    """The first few new findings that stand beside no changed item, each with its place."""
    rows = {item_key(change) for change in changes.changes}
    apart = [finding for finding in changes.findings_new if rows.isdisjoint(_keys_of(finding))]
    lines = []
    for finding in apart:
        place = "" if finding.path is None else f"{escape(finding.path)}: "
        line = f"{finding.code} {place}{escape(finding.message)}"
        cut = line[:MAX_LINE_CHARACTERS]
        lines.append(line if cut == line else f"{cut}...")
    return first_few(lines)


def _keys_of(finding: Finding) -> list[str | None]:
    paths = (finding.path, *finding.data.get("lost_files", ()))
    return [f"{agent}:{path}" for agent in finding.agents for path in paths] or [*paths]

"""The work record: where the work stands, and what the other sections can't say of themselves.

Stale statements that were dropped, facts that could not be settled, searches without a hit.
Facts only, in a fixed order; which candidates enter is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assembler.model.candidate import Absent, Candidate


def write_work_record(
    *,
    changed: str | None,
    next_step: str | None,
    evidence: Sequence[Candidate],
) -> bytes:
    """The text of the work record.

    Args:
        changed: what has been changed so far, in the task's words.
        next_step: what comes next, in the task's words.
        evidence: everything that was offered as evidence.
    """
    lines = [f"Changed so far: {changed or 'not told'}."]
    for item in sorted(evidence, key=lambda candidate: candidate.id):
        lines.extend(_lines_of(item))
    if next_step is not None:
        lines.append(f"Next: {next_step}")
    return ("\n".join(lines) + "\n").encode("utf-8")


def _lines_of(item: Candidate) -> Iterable[str]:
    stale = [
        entry.source
        for entry in item.freshness
        if entry.current is not None and entry.current != entry.seen
    ]
    unknown = [entry.source for entry in item.freshness if entry.current is None]
    if stale:
        again = f"; read again: {item.refreshed_by}" if item.refreshed_by is not None else ""
        changed = ", ".join(stale)
        yield f"Rejected as stale: {item.id}, written at {item.revision}; {changed} changed{again}."
    if unknown:
        yield f"Unresolved: {item.id} can't be checked, {', '.join(unknown)} could not be read."
    if item.replaces and isinstance(item.content, Absent):
        yield f"Unresolved: {item.id} could not be read again in place of {item.replaces[0]}."

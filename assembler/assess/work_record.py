"""The work record: where the work stands, and what the other sections can't say of themselves.

Stale statements that were dropped, facts that could not be settled, searches without a hit.
Facts only, in a fixed order; which candidates enter is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from assembler.assess.conflicts import write_conflicts
from assembler.model.candidate import Absent, Candidate
from assembler.model.names import write_name


def write_work_record(
    *,
    changed: str | None,
    next_step: str | None,
    evidence: Sequence[Candidate],
    told: Mapping[str, Sequence[str]] | None = None,
) -> bytes:
    """The text of the work record.

    Args:
        changed: what has been changed so far, in the task's words.
        next_step: what comes next, in the task's words.
        evidence: what was offered as evidence and is not sealed or denied.
        told: lines of an item that its facts don't give, by its id; names in them are spelled.
    """
    lines = [f"Changed so far: {changed or 'not told'}."]
    ordered = sorted(evidence, key=lambda candidate: candidate.id)
    for item in ordered:
        lines.extend(_lines_of(item))
        lines.extend((told or {}).get(item.id, ()))
    lines.extend(write_conflicts(ordered))
    if next_step is not None:
        lines.append(f"Next: {next_step}")
    return ("\n".join(lines) + "\n").encode("utf-8")


def _lines_of(item: Candidate) -> Iterable[str]:
    """Facts that hold whatever is selected; names are third-party text and spelled as such."""
    name = write_name(item.id)
    stale = [
        write_name(entry.source)
        for entry in item.freshness
        if entry.current is not None and entry.current != entry.seen
    ]
    unknown = [write_name(entry.source) for entry in item.freshness if entry.current is None]
    if stale:
        made_at = f", made at {write_name(item.revision)}" if item.revision is not None else ""
        again = item.refreshed_by
        offered = f"; offered again: {write_name(again)}" if again is not None else ""
        yield f"Stale: {name}{made_at}; {', '.join(stale)} changed{offered}."
    if unknown:
        yield f"Unresolved: {name} can't be checked, {', '.join(unknown)} could not be read."
    if item.replaces and item.kind == "source" and isinstance(item.content, Absent):
        replaced = write_name(item.replaces[0])
        yield f"Unresolved: {name} could not be read again in place of {replaced}."
    if item.kind == "search" and item.id.startswith("records:"):
        yield f"Unresolved: no record holds on {write_name(item.id.removeprefix('records:'))}."

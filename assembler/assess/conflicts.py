"""What the input says of evidence that contradicts other evidence; it rejects nobody.

Pure. Authority is the order of the trust words and comes from the source, never from a text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from assembler.model.candidate import Candidate, Inline
from assembler.model.names import first_few, write_name
from assembler.model.trust import TRUST_WORDS

MAX_LINES: Final = 20
"""Conflicts that are told one by one; of all others only the number."""


def write_conflicts(evidence: Sequence[Candidate]) -> list[str]:
    """Lines of the work record: conflicts first, then what was written to replace what.

    Args:
        evidence: what was offered and may be spoken of, sorted by id.
    """
    readable = {item.id: item for item in evidence if isinstance(item.content, Inline)}
    lines = [
        _write_conflict(item, readable[name])
        for item in readable.values()
        for name in item.conflicts_with
        if name in readable and item.id < name
    ]
    replaced = [
        f"Replaced: {write_name(item.id)} says that it replaces {write_name(name)}."
        for item in readable.values()
        if item.kind == "record"
        for name in item.replaces
        if name in readable
    ]
    return [*_bounded(lines, "conflicts"), *_bounded(replaced, "replacements")]


def _write_conflict(one: Candidate, other: Candidate) -> str:
    shared = sorted(set(one.topics) & set(other.topics))
    about = f" on {', '.join(first_few([*map(write_name, shared)]))}" if shared else ""
    first, second = write_name(one.id), write_name(other.id)
    rank = TRUST_WORDS.index(one.trust) - TRUST_WORDS.index(other.trust)
    if rank == 0:
        verdict = f"both are {one.trust}, of equal authority"
    else:
        higher, lower = (one, other) if rank < 0 else (other, one)
        verdict = (
            f"{write_name(higher.id)} ({higher.trust}) has more authority than "
            f"{write_name(lower.id)} ({lower.trust})"
        )
    return f"Conflict: {first} and {second} differ{about}; {verdict}."


def _bounded(lines: Sequence[str], what: str) -> Iterable[str]:
    more = len(lines) - MAX_LINES
    return [*lines[:MAX_LINES], f"And {more:,} more {what}."] if more > 0 else lines

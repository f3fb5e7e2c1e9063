"""Tests and observations that name the revision they saw: whether it is the one that the run reads.

It decides nothing: an observation is of one execution. Row and work record say where it is from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from assembler.discover.evidence import join_words
from assembler.model.candidate import Candidate
from assembler.model.names import write_name
from assembler.ports import History

OBSERVED: Final = "tool-observation"
SHOWN_DIGITS: Final = 12


def compare_revisions(
    candidates: Sequence[Candidate], current: str | None, history: History
) -> tuple[list[Candidate], dict[str, tuple[str, ...]]]:
    """The candidates, those of another revision saying so, and lines of the work record by id.

    Args:
        candidates: what was handed in.
        current: full id of the commit that the run reads, or of HEAD for worktree and index.
        history: the commits of this clone.
    """
    named = {item.revision for item in candidates if item.kind == OBSERVED} - {None}
    commits = history.resolve(sorted(str(name) for name in named))
    compared: list[Candidate] = []
    told: dict[str, tuple[str, ...]] = {}
    for item in candidates:
        if item.kind != OBSERVED or item.revision is None or commits[item.revision] == current:
            compared.append(item)
            continue
        commit = commits[item.revision]
        rest = "which is not in this clone"
        if commit is not None:
            rest = f"which is {commit[:SHOWN_DIGITS]}, the run reads {str(current)[:SHOWN_DIGITS]}"
        found_by = join_words(item.discovered_by, f"made at {item.revision}, {rest}")
        compared.append(item._replace(discovered_by=found_by))
        name, revision = write_name(item.id), write_name(item.revision)
        told[item.id] = (f"Of another revision: {name}, made at {revision}, {rest}.",)
    return compared, told

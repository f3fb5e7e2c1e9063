"""The tree that a command reads: of a repository or a plain folder, at one place in time."""

from __future__ import annotations

from collections.abc import Mapping

from assembler.adapters.git import GitRepository
from assembler.adapters.trees import open_tree
from assembler.front.places import Workplace
from assembler.ports import SourceTree


def open_workplace_tree(
    workplace: Workplace, git: GitRepository | None, at: str, environment: Mapping[str, str]
) -> SourceTree:
    """The tree at `worktree`, `index` or a revision.

    With `index` it is the one that a git hook names, where it names one; git means that path
    from the worktree's root.

    Raises:
        UsageError: as `open_tree`.
    """
    named = environment.get("GIT_INDEX_FILE") if at == "index" else None
    index_file = workplace.root / named if named else None
    return open_tree(workplace.places, git, at, index_file=index_file)

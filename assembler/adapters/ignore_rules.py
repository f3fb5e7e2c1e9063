"""What git ignores in a worktree, and by which line of which file: facts, decided by git.

In: a repository's git. Out: the port `Ignores`, for a worktree and for what is none.
Never here: the content of an ignored file; git's own configuration in effect (the files that it
names are read as data, see `git_private`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assembler.adapters.git_listing import is_hostile
from assembler.adapters.listed_tree import paths_of
from assembler.errors import UsageError
from assembler.model.tree import IgnoredFiles, IgnoreRule

if TYPE_CHECKING:
    from assembler.adapters.git import GitRepository

MAX_IGNORED: Final = 500_000
"""Paths kept of a listing; a folder of build output may hold any number."""


class WorktreeIgnores:
    """Implements `Ignores` for the files of a repository on disk."""

    def __init__(self, git: GitRepository) -> None:
        self._git = git
        self._files: IgnoredFiles | None = None

    def list_files(self) -> IgnoredFiles:
        """Every file that git ignores here; one process, once."""
        if self._files is None:
            self._files = self._list()
        return self._files

    def _list(self) -> IgnoredFiles:
        found: list[bytes] = []
        is_cut = False
        try:
            for block in self._git.list_ignored():
                found += block.split(b"\0")[:-1]
                if len(found) > MAX_IGNORED:
                    is_cut = True
                    break
        except UsageError:
            # What is ignored must not fail a run that can be made without it.
            is_cut = True
        files = (path for path in found[:MAX_IGNORED] if not path.endswith(b"/"))
        return IgnoredFiles(paths_of(path for path in files if not is_hostile(path)), is_cut)

    def rules(self, paths: Collection[str]) -> Mapping[str, IgnoreRule] | None:
        """The rule of each path; one process where there is a path."""
        try:
            found = self._git.ignore_rules([path.encode("utf-8") for path in paths])
        except UsageError:
            return None
        return {path.decode("utf-8"): rule for path, rule in found.items()}


class NothingIgnored:
    """Implements `Ignores` for a commit, the index, and a folder without git."""

    def list_files(self) -> IgnoredFiles:
        """None."""
        return IgnoredFiles(())

    def rules(self, paths: Collection[str]) -> Mapping[str, IgnoreRule] | None:
        """None."""
        del paths
        return {}


def parse_ignored(
    blocks: Iterable[bytes], own_names: Mapping[Path, str]
) -> dict[bytes, IgnoreRule]:
    """The answers of `check-ignore -v -z`, those left out that a `!` takes back.

    Args:
        blocks: the output in pieces.
        own_names: what to call files outside the worktree.
    """
    fields = b"".join(blocks).split(b"\0")[:-1]
    rules: dict[bytes, IgnoreRule] = {}
    for file, line, pattern, path in zip(*(iter(fields),) * 4, strict=True):
        if pattern.startswith(b"!"):
            continue
        shown = file.decode("utf-8", "backslashreplace")
        rules[path.removeprefix(b"./")] = IgnoreRule(
            file=own_names.get(Path(shown), shown),
            line=int(line),
            pattern=pattern.decode("utf-8", "backslashreplace"),
        )
    return rules

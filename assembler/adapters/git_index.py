"""What index and worktree of a repository hold, by the names that git prints.

The half of `git.py` that no object is needed for: listings, what git ignores and by which rule.
Never here: an opened file, a comparison with the worktree.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from assembler.adapters.git_listing import (
    IndexFiles,
    IndexStat,
    WorktreeFiles,
    parse_index,
    parse_intent_to_add,
    parse_recorded,
    parse_worktree,
)
from assembler.adapters.git_private import PrivateGitDir
from assembler.adapters.git_process import GitRunner, Patience
from assembler.adapters.ignore_rules import parse_ignored
from assembler.adapters.named_paths import unignore
from assembler.adapters.repository import RepositoryPlaces
from assembler.errors import UsageError
from assembler.model.tree import IgnoreRule

IGNORE_SECONDS: Final = 5.0
"""Longest wait for the rules of some paths; git's own matching is exponential."""

MAX_LISTING_BYTES: Final = 256 << 20
"""A tree of trees can name more files than any disk holds (a "git bomb")."""

MAX_ARGUMENT_BYTES: Final = 64 << 10
"""Paths handed to git as arguments; beyond it the whole tree is listed."""


class IndexListings(ABC):
    """Listings of one repository, each by one process; `GitRepository` starts them."""

    places: RepositoryPlaces
    _private: PrivateGitDir
    _listing_seconds: float

    def __init__(self) -> None:
        self._stats: dict[Path | None, tuple[dict[bytes, IndexStat], int]] = {}
        self._begun: tuple[frozenset[str], Iterator[bytes]] | None = None
        """Names of which a listing of the worktree was begun, and what git prints of it."""

    def list_index(self, index_file: Path | None = None) -> IndexFiles:
        """What the index holds.

        Args:
            index_file: GIT_INDEX_FILE of a hook, relative to the root; None: the repository's.

        Raises:
            UsageError: `path-missing`, `path-unreadable` about `index_file`; `git-failed`,
                `git-timeout`, `size-limit`, `hostile-path`.
        """
        return parse_index(self._ls_files(["-s"], index_file))

    def list_stats(self, index_file: Path | None = None) -> tuple[dict[bytes, IndexStat], int]:
        """The index with what git recorded of each file, and when the index was written, in ns.

        No process where `list_recorded` was asked.

        Raises:
            UsageError: as `list_index`.
        """
        known = self._stats.get(index_file)
        if known is None:
            written_ns = self._written_ns(index_file)
            _, stats = parse_recorded(self._ls_files(["-t", "-s", "--debug"], index_file))
            known = self._stats[index_file] = stats, written_ns
        return known

    def list_recorded(self, index_file: Path | None = None) -> WorktreeFiles:
        """As `list_worktree`; what `list_stats` says comes with it.

        Raises:
            UsageError: as `list_index`.
        """
        written_ns = self._written_ns(index_file)
        options = ["-t", "-s", "-c", "-o", "--exclude-standard", "--debug"]
        files, stats = parse_recorded(self._ls_unignored(options, index_file))
        self._stats[index_file] = stats, written_ns
        return files

    def _written_ns(self, index_file: Path | None) -> int:
        index = self._private.index(index_file)
        return index.stat().st_mtime_ns if index.exists() else 0

    @property
    def has_modes(self) -> bool:
        """Whether the file system tells which files may be run (`core.fileMode`)."""
        return self._private.has_modes

    @property
    def has_links(self) -> bool:
        """Whether links are checked out as links (`core.symlinks`)."""
        return self._private.has_links

    def list_worktree(self, index_file: Path | None = None) -> WorktreeFiles:
        """Tracked files, and others that no `.gitignore` or `info/exclude` names.

        Raises:
            UsageError: as `list_index`.
        """
        options = ["-t", "-s", "-c", "-o", "--exclude-standard"]
        return parse_worktree(self._ls_unignored(options, index_file))

    def list_with_ignored(
        self, names: Collection[str], index_file: Path | None = None
    ) -> Iterator[bytes]:
        """As `list_worktree`, paths alone, and what is ignored if its name is one of these.

        Returns:
            Blocks of paths that end with NUL each; an untracked repository ends with `/`.

        Raises:
            UsageError: as `list_index`, but for `hostile-path`; also after some blocks.
        """
        begun, self._begun = self._begun, None
        if begun is not None and index_file is None and begun[0] == frozenset(names):
            return begun[1]
        options = ["-c", "-o", "--exclude-standard", *unignore(sorted(names))]
        return self._ls_unignored(options, index_file)

    def begin_with_ignored(self, names: Collection[str]) -> None:
        """Start what `list_with_ignored` of the same names waits for, of the repository's index.

        Git walks all folders for it, which takes it as long as a caller has other things to do.

        Raises:
            UsageError: `git-missing`, `git-failed`.
        """
        self._begun = frozenset(names), self.list_with_ignored(names)

    def list_ignored(self, index_file: Path | None = None) -> Iterator[bytes]:
        """Files that are in no index and that git ignores, also in folders ignored as a whole.

        Returns:
            Blocks of paths that end with NUL each; a repository of its own ends with `/`.

        Raises:
            UsageError: as `list_index`, but for `hostile-path`; also after some blocks.
        """
        return self._ls_unignored(["-o", "-i", "--exclude-standard"], index_file)

    def ignore_rules(
        self, paths: Sequence[bytes], index_file: Path | None = None
    ) -> dict[bytes, IgnoreRule]:
        """The rule by which git ignores each of the paths, left out where it does not.

        What is in the index is never ignored. Git takes a name with `*`, `?` or `[` for a glob
        here: where that glob has a tracked file, the name is not told as ignored.

        Args:
            paths: with no link on the way.
            index_file: as of `list_index`.

        Raises:
            UsageError: as `list_index`; `git-failed` too for a path in a submodule.
        """
        if not paths:
            return {}
        self._private.take_excludes()
        index = self._private.index(index_file)
        blocks = self._git().records(
            ["check-ignore", "-v", "-z", "--stdin"],
            limit_bytes=MAX_LISTING_BYTES,
            timeout_seconds=min(IGNORE_SECONDS, self._listing_seconds),
            extra={
                "GIT_INDEX_FILE": str(index),
                "GIT_WORK_TREE": str(self.places.root),
                "GIT_LITERAL_PATHSPECS": "0",
            },
            # `check-ignore` refuses literal pathspecs, and behind `./` nothing is magic.
            asked=b"".join(b"./%s\0" % path for path in sorted(set(paths))),
            accepted=(0, 1),  # 1: none of them is ignored
        )
        return parse_ignored(blocks, self._private.exclude_files())

    def intent_to_add(self, paths: Sequence[bytes], index_file: Path | None = None) -> set[bytes]:
        """Those of the paths that `git add -N` announced: an index entry and no content.

        Raises:
            UsageError: as `list_index`.
        """
        if not paths:
            return set()
        # Too many for a command line: the whole index is listed.
        asked = paths if sum(map(len, paths)) <= MAX_ARGUMENT_BYTES else ()
        announced = parse_intent_to_add(self._ls_files(["--debug"], index_file, asked))
        return announced.intersection(paths)

    def _ls_unignored(self, options: list[str], index_file: Path | None) -> Iterator[bytes]:
        """A listing that reads what is ignored, which a repository can make endless."""
        self._private.take_excludes()
        patience = Patience(IGNORE_SECONDS, self._refuse_slow_ignores)
        return self._ls_files(options, index_file, patience=patience)

    def _refuse_slow_ignores(self) -> None:
        """Name the file that git does not come to an end with, if one looks like it.

        Raises:
            UsageError: `git-timeout`.
        """
        # Hardly any repository has one.
        from assembler.adapters.slow_ignores import find_slow_ignores

        found = find_slow_ignores(self.places.root, self._private.exclude_files())
        if found is not None:
            place, why = found
            raise UsageError(
                "git-timeout",
                f"git does not come to an end with what is ignored: {why}",
                where=place,
                next_step="mend or remove it",
            )

    def _ls_files(
        self,
        options: list[str],
        index_file: Path | None,
        paths: Sequence[bytes] = (),
        *,
        patience: Patience | None = None,
    ) -> Iterator[bytes]:
        index = self._private.index(index_file)
        extra = {"GIT_INDEX_FILE": str(index), "GIT_WORK_TREE": str(self.places.root)}
        return self._list(
            ["ls-files", "-z", "--full-name", *options, "--", *paths], extra, patience
        )

    @abstractmethod
    def _list(
        self,
        arguments: Sequence[str | bytes],
        extra: dict[str, str],
        patience: Patience | None = None,
    ) -> Iterator[bytes]:
        """What git prints, within the bounds of a listing."""

    @abstractmethod
    def _git(self) -> GitRunner:
        """Starts processes in the private git directory."""

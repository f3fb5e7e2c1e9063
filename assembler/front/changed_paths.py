"""The paths that a run finds changed: what differs from a commit where its evidence is from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from assembler.adapters.changed_files import Changes
from assembler.adapters.folder_tree import FolderTree
from assembler.adapters.git import GitRepository
from assembler.adapters.trees import IndexTree, RevisionTree, WorktreeTree
from assembler.authorize.read_scope import ReadScope, authorize_policy
from assembler.errors import UsageError
from assembler.model.digest import git_blob_id
from assembler.model.evidence import ChangedListing
from assembler.model.limits import MAX_ITEM_BYTES
from assembler.model.line_ends import is_checkout_of
from assembler.model.tree import Authorized, Entry, EntryKind, Unreadable
from assembler.ports import PatternSet, SourceTree

_BATCH: Final = 200
"""Files compared at once; the first that differs ends the search."""
MAX_COMPARED_FILES: Final = 5_000
"""Opened for one list of what is changed: a copy of a repository may have new times at all."""
MAX_COMPARED_BYTES: Final = 64 * 1024 * 1024


class ChangedPaths:
    """Looks only when asked, and once. A commit differs from nothing: it is what it is."""

    def __init__(self, tree: SourceTree, git: GitRepository | None, scope: ReadScope) -> None:
        """Look at a tree.

        Args:
            tree: where the evidence of the run is from.
            git: of the repository; None: nothing is known to be changed.
            scope: what a deny rule closes is not opened, and counts as changed only where its
                name or the index says so.
        """
        self._tree = tree
        self._git = git
        self._scope = scope
        self._changes: Changes | None = None
        self._same: dict[str, bool] = {}

    def find(self, patterns: PatternSet | None) -> str | None:
        """A changed path that the patterns match, or any without patterns; None: there is none.

        Always the same one of the same state: those told by their names before those that had
        to be compared, each by path.
        """
        changes = self._look()
        told = next((path for path in changes.told if _matches(path, patterns)), None)
        if told is not None:
            return told
        asked = (path for path in changes.unsure if _matches(path, patterns))
        while batch := list(islice(asked, _BATCH)):
            found = self._first_differing(batch, changes.unsure)
            if found is not None:
                return found
        return None

    def list_changed(self, since: str | None, limit: int) -> ChangedListing:
        """The first changed paths in order.

        Args:
            since: a revision; None: HEAD, or of a commit its first parent.
            limit: most paths.

        Raises:
            UsageError: `revision-missing` for a revision that the caller names.
        """
        words, base, problem = self._base(since)
        if problem is not None:
            return ChangedListing(since=words, limit=limit, problem=problem)
        is_head = base is None and not isinstance(self._tree, RevisionTree)
        changes = self._look() if is_head else self._compare_with(base)
        differing, uncompared = self._differing(changes.unsure, limit + 1)
        paths = sorted({*changes.told, *differing})
        return ChangedListing(
            since=words,
            limit=limit,
            paths=tuple(paths[:limit]),
            more=len(paths) > limit or len(changes.unnamable) > limit,
            unnamable=changes.unnamable[:limit],
            submodules=changes.submodules,
            uncompared=uncompared,
        )

    def _base(self, since: str | None) -> tuple[str, str | None, str | None]:
        """What is compared with: in words, the commit's full id, why there is none."""
        assert self._git is not None  # a run has a repository
        if since is not None:
            return since, self._git.resolve(since).id, None
        if not isinstance(self._tree, RevisionTree):
            return "HEAD", None, None
        words = "its first parent"
        parents = self._git.resolve(self._tree.at).parents
        if not parents:
            return words, None, None
        try:
            return words, self._git.resolve(parents[0]).id, None
        except UsageError:
            return words, None, "it is not in this clone, which is shallow or partial"

    def _compare_with(self, base: str | None) -> Changes:
        tree = self._tree
        assert isinstance(tree, WorktreeTree | IndexTree | RevisionTree)
        return tree.changes(base)

    def _differing(self, unsure: Mapping[str, str], wanted: int) -> tuple[list[str], int]:
        """Those that differ, until enough are found, and how many a bound left alone."""
        found: list[str] = []
        paths = list(unsure)
        left_bytes = MAX_COMPARED_BYTES
        for start in range(0, min(len(paths), MAX_COMPARED_FILES), _BATCH):
            batch = paths[start : min(start + _BATCH, MAX_COMPARED_FILES)]
            left_bytes -= sum(entry.size_bytes or 0 for entry in self._tree.look_up(batch).values())
            if left_bytes < 0:
                return found, len(paths) - start
            same = self._compare(batch, unsure)
            found += [path for path in batch if not same[path]]
            if len(found) >= wanted:
                return found, 0
        return found, max(0, len(paths) - MAX_COMPARED_FILES)

    def _look(self) -> Changes:
        if self._changes is None:
            tree = self._tree
            self._changes = (
                tree.changes() if isinstance(tree, WorktreeTree | IndexTree) else Changes()
            )
        return self._changes

    def _first_differing(self, paths: Sequence[str], blobs: Mapping[str, str]) -> str | None:
        new = [path for path in paths if path not in self._same]
        self._same.update(self._compare(new, blobs))
        return next((path for path in paths if not self._same[path]), None)

    def _compare(self, paths: Sequence[str], blobs: Mapping[str, str]) -> dict[str, bool]:
        """Whether each path has HEAD's bytes."""
        entries = self._tree.look_up(paths)
        files = dict(self._authorized(entries.values()))
        # As they are on disk: the tree of a worktree asks git once more for each CRLF.
        assert self._git is not None  # without it there are no paths to compare
        contents = FolderTree(self._git.places.root).read(
            files.values(), limit_bytes=MAX_ITEM_BYTES
        )
        same = {}
        for path in paths:
            entry = entries[path]
            if entry.link_text is not None:
                same[path] = (
                    git_blob_id(entry.link_text.encode(), object_format=self._object_format)
                    == blobs[path]
                )
            elif path in files:
                found = contents[path]
                same[path] = not isinstance(found, Unreadable) and is_checkout_of(
                    found, blobs[path], object_format=self._object_format
                )
            else:
                same[path] = entry.kind is EntryKind.FILE  # closed by a rule
        return same

    def _authorized(self, entries: Iterable[Entry]) -> Iterator[tuple[str, Authorized]]:
        for entry in entries:
            if entry.kind is EntryKind.FILE and entry.link_text is None:
                permission = authorize_policy(entry, self._scope, "comparison")
                if isinstance(permission, Authorized):
                    yield entry.path, permission

    @property
    def _object_format(self) -> str:
        return "sha1" if self._git is None else self._git.object_format


def _matches(path: str, patterns: PatternSet | None) -> bool:
    return patterns is None or patterns.match(path) is not None

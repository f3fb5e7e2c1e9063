"""The paths that a run finds changed: what differs from HEAD where its evidence is from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from assembler.adapters.changed_files import Changes
from assembler.adapters.folder_tree import FolderTree
from assembler.adapters.git import GitRepository
from assembler.adapters.trees import IndexTree, WorktreeTree
from assembler.authorize.read_scope import ReadScope, authorize_policy
from assembler.model.digest import git_blob_id
from assembler.model.limits import MAX_ITEM_BYTES
from assembler.model.tree import Authorized, Entry, EntryKind, Unreadable
from assembler.ports import PatternSet, SourceTree

_BATCH: Final = 200
"""Files compared at once; the first that differs ends the search."""


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
                same[path] = self._has_blob(entry.link_text.encode(), blobs[path])
            elif path in files:
                found = contents[path]
                same[path] = not isinstance(found, Unreadable) and self._has_text(
                    found, blobs[path]
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

    def _has_text(self, data: bytes, blob_id: str) -> bool:
        """Whether the bytes are the blob's, with the line ends that a checkout may write."""
        return self._has_blob(data, blob_id) or (
            b"\r\n" in data and self._has_blob(data.replace(b"\r\n", b"\n"), blob_id)
        )

    def _has_blob(self, data: bytes, blob_id: str) -> bool:
        object_format = "sha1" if self._git is None else self._git.object_format
        return git_blob_id(data, object_format=object_format) == blob_id


def _matches(path: str, patterns: PatternSet | None) -> bool:
    return patterns is None or patterns.match(path) is not None

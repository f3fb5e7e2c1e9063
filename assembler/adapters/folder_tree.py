"""A folder as it is on disk, without git.

In: a root folder. Out: the `SourceTree` of the ports. Never here: a link out of the root followed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from assembler.adapters import filesystem
from assembler.model.tree import (
    Authorized,
    Beginning,
    Entry,
    Listing,
    NamedPaths,
    Unreadable,
)

WORKTREE: Final = "worktree"

MAX_FOLDER_DEPTH: Final = 64
MAX_FOLDER_ENTRIES: Final = 200_000
"""Of a walk without git; git's own listing has a bound of its own."""


class FolderTree:
    """A folder as it is on disk, without git."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @property
    def at(self) -> str:
        """`worktree`."""
        return WORKTREE

    @property
    def revision(self) -> str | None:
        """None: there are no commits."""
        return None

    def look_up(self, paths: Sequence[str]) -> Mapping[str, Entry]:
        """What stands at each path; opens folders only."""
        return filesystem.look_up(self._root, paths)

    def names_in(self, folders: Sequence[str], *, most_names: int) -> Mapping[str, frozenset[str]]:
        """What each folder holds, by name; opens folders only."""
        return filesystem.names_in(self._root, folders, most_names=most_names)

    def list_under(self, folders: Sequence[str], *, max_depth: int, max_entries: int) -> Listing:
        """Files below the folders, `.git` passed over."""
        return filesystem.list_under(
            self._root, folders, max_depth=max_depth, max_entries=max_entries
        )

    def list_files(self) -> Listing:
        """Every file below the root, bounded; nothing is ignored."""
        return self.list_under([""], max_depth=MAX_FOLDER_DEPTH, max_entries=MAX_FOLDER_ENTRIES)

    def list_paths(self) -> tuple[str, ...]:
        """The paths of `list_files`."""
        return tuple(entry.path for entry in self.list_files().entries)

    def list_named(self, names: Collection[str]) -> NamedPaths:
        """Where the names stand below the root, bounded as `list_files`."""
        from assembler.adapters.named_paths import find_named

        found = self.list_files()
        paths = [*(entry.path.encode() for entry in found.entries), *found.unnamable, b""]
        return find_named([b"\0".join(paths)], names, is_cut=found.truncated)

    def read(
        self, files: Iterable[Authorized], *, limit_bytes: int
    ) -> Mapping[str, bytes | Unreadable]:
        """The bytes of each file as they are now."""
        return filesystem.read_authorized(self._root, files, limit_bytes=limit_bytes)

    def read_beginnings(
        self, files: Iterable[Authorized], *, most_bytes: int
    ) -> Mapping[str, bytes | Beginning | Unreadable]:
        """The bytes of each file as they are now; of a larger one the first."""
        return filesystem.read_beginnings(self._root, files, most_bytes=most_bytes)

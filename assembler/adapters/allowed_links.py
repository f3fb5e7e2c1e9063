"""A worktree, with the links out of it that the host allows.

In: a tree of files on disk, and real paths outside it. Out: the `SourceTree` of the ports.
Never here: a link that leads anywhere else, followed. What lies outside has an absolute
`real_path`, so that nobody takes it for the repository's.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from assembler.adapters.following_tree import FollowingTree
from assembler.adapters.root_folder import RootFolder
from assembler.adapters.widened_tree import WidenedTree
from assembler.model.tree import (
    Authorized,
    Beginning,
    Entry,
    EntryKind,
    Listing,
    Unreadable,
)
from assembler.ports import SourceTree


class AllowedLinks(WidenedTree):
    """The tree of a worktree in which some links lead out."""

    def __init__(self, tree: SourceTree, root: Path, allowed: Sequence[Path]) -> None:
        super().__init__(tree)
        self._following = FollowingTree(root)
        self._prefix = f"{os.path.realpath(root)}/"
        # A place inside would be the repository's own word: a link of it could lead anywhere.
        places = {os.path.normpath(path): os.path.realpath(path) for path in allowed}
        self._allowed = tuple(
            real
            for named, real in places.items()
            if not any(f"{place}/".startswith(self._prefix) for place in (named, real))
        )

    def look_up(self, paths: Sequence[str]) -> Mapping[str, Entry]:
        """As the tree itself; of a link to an allowed place what stands there."""
        found = dict(self._tree.look_up(paths))
        outside = [path for path, entry in found.items() if entry.kind is EntryKind.OUTSIDE_LINK]
        for path, entry in self._following.look_up(outside).items():
            place = entry.real_path or os.path.realpath(self._prefix + path)
            if self._is_allowed(place):
                found[path] = entry
        return found

    def list_under(self, folders: Sequence[str], *, max_depth: int, max_entries: int) -> Listing:
        """As the tree itself."""
        return self._tree.list_under(folders, max_depth=max_depth, max_entries=max_entries)

    def read(
        self, files: Iterable[Authorized], *, limit_bytes: int
    ) -> Mapping[str, bytes | Unreadable]:
        """The bytes of each file; those outside at the place where their links led."""
        inside: list[Authorized] = []
        contents: dict[str, bytes | Unreadable] = {}
        with RootFolder(Path("/"), any_name=True) as system:
            for file in files:
                place = file.entry.real_path
                if place is None or not place.startswith("/"):
                    inside.append(file)
                    continue
                contents[file.entry.path] = system.read(
                    place[1:], limit_bytes=limit_bytes, size_bytes=file.entry.size_bytes
                )
        return {**contents, **self._tree.read(inside, limit_bytes=limit_bytes)}

    def read_beginnings(
        self, files: Iterable[Authorized], *, most_bytes: int
    ) -> Mapping[str, bytes | Beginning | Unreadable]:
        """As the tree itself: instructions, which alone may lie outside, are read whole."""
        return self._tree.read_beginnings(files, most_bytes=most_bytes)

    def _is_allowed(self, real_path: str) -> bool:
        """Whether the place is one of those that are allowed, or lies in one."""
        return any(
            real_path == place or real_path.startswith(f"{place.rstrip('/')}/")
            for place in self._allowed
        )

"""List what is below some folders of a root, bounded and without recursion.

In: an open root, folder names, bounds. Out: a `Listing`.
Never here: a followed link, an opened file, the inside of a `.git`.
"""

from __future__ import annotations

import os
import stat
from typing import Final, NamedTuple

from assembler.adapters.open_file import error_symbol
from assembler.adapters.root_folder import RootFolder, kind_of, list_names
from assembler.model.tree import Entry, EntryKind, Listing

MAX_NAMES: Final = 200_000
"""Names taken of one folder, and folders entered in one walk; both bound what no entry bounds."""


class _Waiting(NamedTuple):
    """Something in a folder that was listed, in its turn to be taken in."""

    shown: bytes
    real: bytes
    mode: int
    size_bytes: int
    depth: int
    """Folders between an asked folder and this."""


class FolderWalk:
    """Takes in one thing after the other in the order of paths, so that a bound cuts alike."""

    def __init__(self, folder: RootFolder, *, max_depth: int, max_entries: int) -> None:
        self._folder = folder
        self._max_depth = max_depth
        self._max_entries = max_entries
        self._entries: dict[str, Entry] = {}
        self._unnamable: set[bytes] = set()
        self._truncated = False
        self._entered = 0

    def enter(self, name: str) -> None:
        """Take in all below one asked folder."""
        top = self._folder.look_up(name)
        if top.kind is EntryKind.ERROR:
            self._entries[name] = top
        if top.kind is not EntryKind.DIRECTORY or top.real_path is None:
            return
        waiting = [_Waiting(name.encode(), top.real_path.encode(), stat.S_IFDIR, 0, 0)]
        while waiting:
            item = waiting.pop()
            if stat.S_ISDIR(item.mode):
                waiting.extend(reversed(self._list(item)))
            elif self._is_full():
                self._truncated = True
                return
            else:
                self._take(item)

    def listing(self) -> Listing:
        """All that was found, by path."""
        entries = sorted(self._entries.values(), key=lambda entry: entry.path)
        return Listing(
            entries=tuple(entries),
            unnamable=tuple(sorted(self._unnamable)),
            truncated=self._truncated,
        )

    def _is_full(self) -> bool:
        return len(self._entries) + len(self._unnamable) >= self._max_entries

    def _list(self, place: _Waiting) -> list[_Waiting]:
        """What a folder holds, in the order of the paths that come of it."""
        self._entered += 1
        if place.depth > self._max_depth or self._entered > MAX_NAMES:
            self._truncated = True
            return []
        try:
            parent = self._folder.open_path(place.real, to_list=True)
            found = [self._look(place, name, parent) for name in self._names(parent)]
        except OSError as error:
            self._add(place, EntryKind.ERROR, problem=error_symbol(error))
            return []
        items = [item for item in found if item is not None]
        return sorted(items, key=lambda item: item.real + b"/" * stat.S_ISDIR(item.mode))

    def _names(self, parent: int) -> list[bytes]:
        """The names in a folder, `.git` left out.

        Raises:
            OSError: the folder can't be listed.
        """
        names = list_names(parent, most_names=MAX_NAMES + 1)
        if len(names) > MAX_NAMES:
            self._truncated = True
        return [name for name in names if name != b".git"]

    def _look(self, place: _Waiting, name: bytes, parent: int) -> _Waiting | None:
        """One thing in a folder; None if it is gone again.

        Raises:
            OSError: the folder may be listed and not searched.
        """
        try:
            status = os.stat(name, dir_fd=parent, follow_symlinks=False)
        except FileNotFoundError:
            return None
        shown = place.shown + b"/" + name if place.shown else name
        real = place.real + b"/" + name if place.real else name
        depth = place.depth + 1 if stat.S_ISDIR(status.st_mode) else place.depth
        return _Waiting(shown, real, status.st_mode, status.st_size, depth)

    def _take(self, item: _Waiting) -> None:
        if not stat.S_ISLNK(item.mode):
            self._add(item, kind_of(item.mode))
            return
        folder, _, name = item.real.rpartition(b"/")
        try:
            target = os.readlink(name, dir_fd=self._folder.open_path(folder))
        except OSError as error:
            self._add(item, EntryKind.ERROR, problem=error_symbol(error))
            return
        self._add(item, EntryKind.LINK, link_text=target.decode("utf-8", "backslashreplace"))

    def _add(
        self,
        item: _Waiting,
        kind: EntryKind,
        *,
        link_text: str | None = None,
        problem: str | None = None,
    ) -> None:
        try:
            path, real_path = item.shown.decode("utf-8"), item.real.decode("utf-8")
        except UnicodeDecodeError:
            self._unnamable.add(item.shown)
            return
        self._entries[path] = Entry(
            path=path,
            kind=kind,
            real_path=real_path if kind in {EntryKind.FILE, EntryKind.OTHER} else None,
            size_bytes=item.size_bytes if kind is EntryKind.FILE else None,
            link_text=link_text,
            problem=problem,
        )

"""A folder as an agent reads it: links are followed wherever they lead.

In: a root folder and root-relative paths. Out: entries and bytes, each by the path asked for.
Never here: an opened FIFO, socket or device; more of a huge file than its beginning. What lies
outside the root has an absolute `real_path`, so that nobody takes it for the repository's.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from assembler.adapters.folder_tree import FolderTree
from assembler.adapters.root_folder import RootFolder
from assembler.model.tree import Authorized, Beginning, Entry, EntryKind, Unreadable

_WHOLE_SYSTEM: Final = Path("/")


class FollowingTree(FolderTree):
    """The files below a root, and those that its links lead to."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._prefix = f"{os.path.realpath(root)}/".replace("//", "/")

    def look_up(self, paths: Sequence[str]) -> Mapping[str, Entry]:
        """What stands at each path, or where its links lead; opens folders only."""
        found = dict(super().look_up(paths))
        outside = [path for path, entry in found.items() if _needs_system(entry)]
        if outside:
            with RootFolder(_WHOLE_SYSTEM, any_name=True) as system:
                for path in outside:
                    found[path] = self._follow(path, found[path], system)
        return found

    def read_beginnings(
        self, files: Iterable[Authorized], *, most_bytes: int
    ) -> Mapping[str, bytes | Beginning | Unreadable]:
        """The bytes of each file at the place where its links led; of a larger one the first."""
        contents: dict[str, bytes | Beginning | Unreadable] = {}
        with RootFolder(_WHOLE_SYSTEM, any_name=True) as system:
            for file in files:
                entry = file.entry
                place = entry.path if entry.real_path is None else entry.real_path
                absolute = place if place.startswith("/") else self._prefix + place
                contents[entry.path] = system.read_beginning(absolute[1:], most_bytes=most_bytes)
        return contents

    def _follow(self, path: str, entry: Entry, system: RootFolder) -> Entry:
        """The entry that the whole file system has; its real path is absolute."""
        there = system.look_up((self._prefix + path)[1:])
        real_path = None if there.real_path is None else f"/{there.real_path}"
        if real_path is not None and real_path.startswith(self._prefix):
            real_path = real_path.removeprefix(self._prefix)
        return there._replace(path=path, real_path=real_path, link_text=entry.link_text)


def _needs_system(entry: Entry) -> bool:
    """What only the whole file system can tell: a way out of the root, or one that is no text."""
    return entry.kind is EntryKind.OUTSIDE_LINK or entry.problem == "EILSEQ"

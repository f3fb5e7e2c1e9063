"""Which files of two trees stand in one of them alone, by their names, folder by folder.

In: ids of trees, and how a folder is read. Out: paths that are gone, and paths that are new.
Never here: the content of a file; a folder that both have with one id.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from assembler.adapters.git_listing import MODE_TREE, TreeEntries
from assembler.errors import UsageError

MAX_ONE_SIDED: Final = 50_000
"""New and gone files of all pairs together, each of which the read grant is asked about."""
MAX_COMPARED_FOLDERS: Final = 20_000
"""Folders of all pairs together: few objects can hold more folders than anyone can look at."""


class OneSided(NamedTuple):
    """What a pair of trees does not share."""

    gone: set[bytes]
    """Files and submodules of the first at whose path the second has none."""
    new: set[bytes]
    """Those of the second at whose path the first has none."""


class OneSidedNames:
    """Compares pairs of trees, within bounds that hold for all of them together."""

    def __init__(self, read_folder: Callable[[str], TreeEntries | None]) -> None:
        """Compare nothing yet.

        Args:
            read_folder: the entries of a folder by its id; None where its object is missing.
        """
        self._read_folder = read_folder
        self._names = 0
        self._folders = 0

    def compare(self, old: str, new: str) -> OneSided:
        """The names of files that one of two trees has.

        Args:
            old: full id of a tree.
            new: full id of another.

        Raises:
            UsageError: `git-failed` for a folder that is missing or damaged; `size-limit`.
        """
        found = OneSided(set(), set())
        waiting: list[tuple[bytes, str | None, str | None]] = [(b"", old, new)]
        while waiting:
            above, before_id, after_id = waiting.pop()
            before, after = self._entries(before_id), self._entries(after_id)
            for name in before.keys() | after.keys():
                was, now = before.get(name), after.get(name)
                if was == now:
                    continue
                path = above + name
                before_folder, after_folder = _folder_id(was), _folder_id(now)
                if before_folder is not None or after_folder is not None:
                    waiting.append((path + b"/", before_folder, after_folder))
                was_file = was is not None and before_folder is None
                is_file = now is not None and after_folder is None
                if was_file and not is_file:
                    found.gone.add(path)
                if is_file and not was_file:
                    found.new.add(path)
            if self._names + len(found.gone) + len(found.new) > MAX_ONE_SIDED:
                raise UsageError("size-limit", f"over {MAX_ONE_SIDED:,} files are new or gone")
        self._names += len(found.gone) + len(found.new)
        return found

    def _entries(self, tree_id: str | None) -> TreeEntries:
        if tree_id is None:
            return {}
        self._folders += 1
        if self._folders > MAX_COMPARED_FOLDERS:
            raise UsageError("size-limit", f"over {MAX_COMPARED_FOLDERS:,} folders differ")
        entries = self._read_folder(tree_id)
        if entries is None:
            raise UsageError("git-failed", "a folder of a commit is missing or damaged")
        return entries


def _folder_id(entry: tuple[str, str] | None) -> str | None:
    return entry[1] if entry is not None and entry[0] == MODE_TREE else None

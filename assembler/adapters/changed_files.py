"""Which paths of a worktree, an index or a commit differ from a commit; git compares nothing.

In: listings of the commit, which is HEAD by default, and of the index. Out: paths that differ by
name, kind or recorded blob, and those whose bytes have to be looked at. Never here: an opened file.
A file is known to be unchanged where the index has the commit's blob for it and its size and time
are those that git recorded then, which is git's own rule ("racy git": not if the index is no
younger).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from assembler.adapters.git import GitRepository
from assembler.adapters.git_listing import (
    MODE_SUBMODULE,
    IndexFiles,
    IndexStat,
    TreeEntries,
    WorktreeFiles,
)
from assembler.adapters.listed_tree import paths_of
from assembler.adapters.root_folder import RootFolder
from assembler.model.utf8 import first_bad_byte

SKIP_WORKTREE: Final = 1 << 30
"""`CE_SKIP_WORKTREE`: a sparse checkout leaves the file out on purpose."""


class Changes(NamedTuple):
    """What differs from HEAD, or from another commit."""

    told: tuple[str, ...] = ()
    """Paths that differ without a look at their bytes, sorted."""
    unsure: Mapping[str, str] = {}
    """The commit's blob of each path whose bytes have to be compared, by path, sorted."""
    unnamable: tuple[bytes, ...] = ()
    """Those of the first that are not UTF-8, sorted."""


def listed_changes(
    base: TreeEntries, entries: TreeEntries, conflicted: Iterable[bytes] = ()
) -> Changes:
    """What one listing has that the other has not, and the other way round."""
    both = {*base, *entries}
    differing = {path for path in both if base.get(path) != entries.get(path)}
    return _told({*differing, *conflicted}, {})


def index_changes(git: GitRepository, index: IndexFiles, base: str | None = None) -> Changes:
    """What the index holds that the commit does not, and the other way round.

    Args:
        git: of the repository.
        index: what it holds.
        base: full id of the commit; None: HEAD.

    Raises:
        UsageError: as `list_tree`.
    """
    return listed_changes(_entries_of(git, base), index.entries, index.conflicted)


def worktree_changes(
    git: GitRepository,
    files: WorktreeFiles,
    index_file: Path | None = None,
    base: str | None = None,
) -> Changes:
    """What the files on disk have that the commit does not, and the other way round.

    Args:
        git: of the repository.
        files: what git names in the worktree.
        index_file: GIT_INDEX_FILE of a hook.
        base: full id of the commit; None: HEAD.

    Raises:
        UsageError: as `list_index`.
    """
    head = _entries_of(git, base)
    stats, written_ns = git.list_stats(index_file)
    told = {path for path in files.untracked if not path.endswith(b"/")}
    if base is not None:
        # It may be a file of that commit which no index has any more.
        told -= head.keys()
    told.update(files.conflicted)
    unsure: dict[bytes, str] = {}
    with RootFolder(git.places.root) as folder:
        for path in sorted({*head, *stats} - told):
            found = _stat(folder, path)
            entry = stats.get(path)
            if path not in head:
                told.update([path] if found is not None else [])
            elif found is None:
                is_sparse = entry is not None and bool(entry.flags & SKIP_WORKTREE)
                is_same = entry is not None and not _is_another(entry, head[path])
                told.update([] if is_sparse and is_same else [path])
            elif stat.S_ISDIR(found.st_mode):
                told.update([] if head[path][0] == MODE_SUBMODULE else [path])
            elif not _is_recorded(entry, found, written_ns):
                unsure[path] = head[path][1]
            elif entry is not None and _is_another(entry, head[path]):
                told.add(path)
    return _told(told, unsure)


def _told(told: Collection[bytes], unsure: Mapping[bytes, str]) -> Changes:
    return Changes(
        told=paths_of(told),
        unsure={path: unsure[path.encode()] for path in paths_of(unsure)},
        unnamable=tuple(path for path in sorted(told) if first_bad_byte(path) is not None),
    )


def _entries_of(git: GitRepository, base: str | None) -> TreeEntries:
    if base is not None:
        return git.list_tree(base)
    head = git.head()
    return {} if head is None else git.list_tree(head.id)


def _stat(folder: RootFolder, path: bytes) -> os.stat_result | None:
    """What stands at the path itself; None for nothing, and behind a link to a folder."""
    above, _, name = path.rpartition(b"/")
    try:
        return os.stat(name, dir_fd=folder.open_path(above), follow_symlinks=False)
    except OSError:
        return None


def _is_another(entry: IndexStat, base: tuple[str, str]) -> bool:
    """Whether the index has other bytes or another kind of thing; may it be run is neither."""
    return entry.blob_id != base[1] or entry.mode[:3] != base[0][:3]


def _is_recorded(entry: IndexStat | None, found: os.stat_result, written_ns: int) -> bool:
    """Whether the file is as git left it when the index got its blob."""
    if entry is None or entry.mtime_ns >= written_ns:
        return False
    return entry.mtime_ns == found.st_mtime_ns and entry.size_bytes == found.st_size

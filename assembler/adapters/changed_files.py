"""Which paths of a worktree or an index differ from HEAD; git compares nothing.

In: listings of HEAD and of the index. Out: paths that differ by name, kind or recorded blob, and
those whose bytes have to be looked at. Never here: an opened file.
A file is known to be unchanged where the index has HEAD's blob for it and its size and time are
those that git recorded then, which is git's own rule ("racy git": not if the index is no younger).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
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

SKIP_WORKTREE: Final = 1 << 30
"""`CE_SKIP_WORKTREE`: a sparse checkout leaves the file out on purpose."""


class Changes(NamedTuple):
    """What differs from HEAD."""

    told: tuple[str, ...] = ()
    """Paths that differ without a look at their bytes, sorted."""
    unsure: Mapping[str, str] = {}
    """HEAD's blob of each path whose bytes have to be compared, by path, sorted."""


def index_changes(git: GitRepository, index: IndexFiles) -> Changes:
    """What the index holds that HEAD does not, and the other way round.

    Raises:
        UsageError: as `list_tree`.
    """
    head = _head_entries(git)
    both = {*head, *index.entries}
    differing = [path for path in both if head.get(path) != index.entries.get(path)]
    return Changes(told=paths_of({*differing, *index.conflicted}))


def worktree_changes(
    git: GitRepository, files: WorktreeFiles, index_file: Path | None = None
) -> Changes:
    """What the files on disk have that HEAD does not, and the other way round.

    Args:
        git: of the repository.
        files: what git names in the worktree.
        index_file: GIT_INDEX_FILE of a hook.

    Raises:
        UsageError: as `list_index`.
    """
    head = _head_entries(git)
    stats, written_ns = git.list_stats(index_file)
    told = {path for path in files.untracked if not path.endswith(b"/")}
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
                told.update([] if is_sparse else [path])
            elif stat.S_ISDIR(found.st_mode):
                told.update([] if head[path][0] == MODE_SUBMODULE else [path])
            elif not _is_recorded(entry, head[path], found, written_ns):
                unsure[path] = head[path][1]
    return Changes(
        told=paths_of(told),
        unsure={path: unsure[path.encode()] for path in paths_of(unsure)},
    )


def _head_entries(git: GitRepository) -> TreeEntries:
    head = git.head()
    return {} if head is None else git.list_tree(head.id)


def _stat(folder: RootFolder, path: bytes) -> os.stat_result | None:
    """What stands at the path itself; None for nothing, and behind a link to a folder."""
    above, _, name = path.rpartition(b"/")
    try:
        return os.stat(name, dir_fd=folder.open_path(above), follow_symlinks=False)
    except OSError:
        return None


def _is_recorded(
    entry: IndexStat | None, head: tuple[str, str], found: os.stat_result, written_ns: int
) -> bool:
    """Whether the file is as git left it when the index got HEAD's blob for it."""
    if entry is None or (entry.mode, entry.blob_id) != head or entry.mtime_ns >= written_ns:
        return False
    return entry.mtime_ns == found.st_mtime_ns and entry.size_bytes == found.st_size

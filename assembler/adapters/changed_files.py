"""Which paths of a worktree, an index or a commit differ from a commit; git compares nothing.

In: listings of the commit, which is HEAD by default, and of the index. Out: paths that differ by
name, kind, mode or recorded blob, and those whose bytes have to be looked at. Never here: an opened
file of the worktree.
A file is known to be unchanged where the index has the commit's blob for it and its size and times
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
    MODE_LINK,
    MODE_SUBMODULE,
    MODES_OF_FILES,
    IndexFiles,
    IndexStat,
    TreeEntries,
    TreeEntry,
    WorktreeFiles,
)
from assembler.adapters.inner_head import read_inner_head
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
    submodules: frozenset[str] = frozenset()
    """Those of the first where a submodule is checked out."""


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
            else:
                differs = _differs(
                    git, path, head[path], entry=entry, found=found, written_ns=written_ns
                )
                if differs is None:
                    unsure[path] = head[path][1]
                elif differs:
                    told.add(path)
    changes = _told(told, unsure)
    inner = {
        path for path in changes.told if head.get(path.encode(), ("", ""))[0] == MODE_SUBMODULE
    }
    with RootFolder(git.places.root) as folder:
        at_hand = {path for path in inner if _is_folder(_stat(folder, path.encode()))}
    return changes._replace(submodules=frozenset(at_hand))


def _is_folder(found: os.stat_result | None) -> bool:
    return found is not None and stat.S_ISDIR(found.st_mode)


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


def _differs(
    git: GitRepository,
    path: bytes,
    base: TreeEntry,
    *,
    entry: IndexStat | None,
    found: os.stat_result,
    written_ns: int,
) -> bool | None:
    """Whether what stands there is another thing than the commit has; None: its bytes tell."""
    if stat.S_ISDIR(found.st_mode):
        return base[0] != MODE_SUBMODULE or base[1] != _checked_out(git, path, base, entry)
    if _mode_now(git, base, entry, found) != _plain_mode(base[0]):
        return True
    if not _is_recorded(entry, found, written_ns):
        return None
    return entry is not None and entry.blob_id != base[1]


def _checked_out(git: GitRepository, path: bytes, base: TreeEntry, entry: IndexStat | None) -> str:
    """The commit of a submodule; of one that is not checked out the one that the index has."""
    own = read_inner_head(git.places.root / os.fsdecode(path))
    if own is not None:
        return own
    return entry.blob_id if entry is not None and entry.mode == MODE_SUBMODULE else base[1]


def _mode_now(
    git: GitRepository, base: TreeEntry, entry: IndexStat | None, found: os.stat_result
) -> str:
    """The mode that `git add` would record; of what it would not take a word."""
    if stat.S_ISLNK(found.st_mode):
        return MODE_LINK
    if not stat.S_ISREG(found.st_mode):
        return "none"
    recorded = base[0] if entry is None else entry.mode
    if recorded == MODE_LINK and not git.has_links:
        return recorded
    if recorded in MODES_OF_FILES and not git.has_modes:
        return _plain_mode(recorded)
    return "100755" if found.st_mode & stat.S_IXUSR else "100644"


def _plain_mode(mode: str) -> str:
    """Old repositories have files that a group may write; to git that is no difference."""
    return "100644" if mode == "100664" else mode


def _is_another(entry: IndexStat, base: TreeEntry) -> bool:
    """Whether the index has other bytes or another kind of thing."""
    return entry.blob_id != base[1] or _plain_mode(entry.mode) != _plain_mode(base[0])


def _is_recorded(entry: IndexStat | None, found: os.stat_result, written_ns: int) -> bool:
    """Whether the file is as git left it when the index got its blob."""
    if entry is None or entry.mtime_ns >= written_ns:
        return False
    # The time of the last change to the file itself, which nobody can set back.
    is_untouched = entry.ctime_ns == found.st_ctime_ns
    is_alike = entry.size_bytes == found.st_size % (1 << 32)
    return is_untouched and is_alike and entry.mtime_ns == found.st_mtime_ns

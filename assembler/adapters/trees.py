"""The places that files are read from: worktree, index, a commit, or a plain folder.

In: a repository's places and its git. Out: the `SourceTree` of the ports, four times.
Never here: a comparison made by git; a file of the worktree where a commit was asked for.
"""

from __future__ import annotations

import os
import stat
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from assembler.adapters.changed_files import (
    Changes,
    index_changes,
    listed_changes,
    worktree_changes,
)
from assembler.adapters.folder_tree import WORKTREE, FolderTree
from assembler.adapters.git import GitRepository
from assembler.adapters.git_listing import MODE_LINK, MODE_SUBMODULE, IndexFiles, WorktreeFiles
from assembler.adapters.listed_tree import ListedTree, paths_of
from assembler.adapters.named_paths import find_named
from assembler.adapters.repository import RepositoryPlaces
from assembler.adapters.root_folder import RootFolder
from assembler.errors import UsageError
from assembler.model.digest import git_blob_id
from assembler.model.limits import MAX_ITEM_BYTES
from assembler.model.line_ends import (
    has_only_crlf,
    has_only_lf,
    limit_of_blob,
    with_line_feeds,
)
from assembler.model.tree import (
    Authorized,
    Beginning,
    Entry,
    EntryKind,
    Listing,
    NamedPaths,
    Unreadable,
)
from assembler.ports import SourceTree

INDEX: Final = "index"


def open_tree(
    places: RepositoryPlaces,
    git: GitRepository | None,
    at: str,
    *,
    index_file: Path | None = None,
) -> SourceTree:
    """The tree to read from.

    Args:
        places: the repository or folder.
        git: its git; None where there are no objects.
        at: `worktree`, `index`, or the name of a commit.
        index_file: GIT_INDEX_FILE of a hook; read by `index`, and for what `worktree` tracks.

    Raises:
        UsageError: `not-a-repository` for `index` and commits without git; `revision-missing`,
            `unborn-branch`, `git-failed`, `git-timeout`.
    """
    if git is None:
        if at == WORKTREE:
            return FolderTree(places.root)
        raise UsageError("not-a-repository", "not a git repository", where=str(places.root))
    if at == WORKTREE:
        return WorktreeTree(git, index_file=index_file)
    if at == INDEX:
        return IndexTree(git, index_file=index_file)
    return RevisionTree(git, git.resolve(at).id)


class WorktreeTree(FolderTree):
    """The files of a repository as they are on disk, with what git knows of their names."""

    def __init__(self, git: GitRepository, *, index_file: Path | None = None) -> None:
        super().__init__(git.places.root)
        self._git = git
        self._index_file = index_file
        self._files: WorktreeFiles | None = None

    @property
    def revision(self) -> str | None:
        """The full id of HEAD; None on a branch without a commit."""
        head = self._git.head()
        return None if head is None else head.id

    @property
    def object_format(self) -> str:
        """`sha1` or `sha256`: what `git_blob_id` takes to compare with `head_blob_ids`."""
        return self._git.object_format

    def list_files(self) -> Listing:
        """Every tracked file, there or not, and every other that is not ignored.

        Kinds and blobs are those of git's index; `look_up` says what really stands at a path,
        and that the two differ (a link that was checked out as a file, a file that is gone).
        """
        files = self._listed()
        unnamable: list[bytes] = []
        entries: list[Entry] = []
        with RootFolder(self._root) as folder:
            for name in files.paths:
                try:
                    path = name.rstrip(b"/").decode("utf-8")
                except UnicodeDecodeError:
                    unnamable.append(name)
                    continue
                entries.append(_worktree_entry(path, name, files, folder))
        entries.sort(key=lambda entry: entry.path)
        return Listing(entries=tuple(entries), unnamable=tuple(unnamable))

    def list_paths(self) -> tuple[str, ...]:
        """The paths of `list_files` without the rest of an entry, which costs more."""
        return paths_of(name.rstrip(b"/") for name in self._listed().paths)

    def list_named(self, names: Collection[str]) -> NamedPaths:
        """Where the names stand: tracked files, there or not, and others, ignored or not.

        Nothing in a folder that is ignored as a whole, or in a repository inside this one.
        """
        return find_named(self._git.list_with_ignored(names, self._index_file), names)

    def untracked_paths(self) -> frozenset[str]:
        """Those of `list_files` that are in no index."""
        return frozenset(paths_of(name.rstrip(b"/") for name in self._listed().untracked))

    def changes(self, base: str | None = None) -> Changes:
        """What differs from a commit, else from HEAD; two processes, the names with them.

        Three where the names were asked for before.
        """
        if self._files is None:
            self._files = self._git.list_recorded(self._index_file)
        return worktree_changes(self._git, self._listed(), self._index_file, base)

    def conflicted_paths(self) -> tuple[str, ...]:
        """Tracked paths that a merge left in conflict."""
        return paths_of(self._listed().conflicted)

    def read(
        self, files: Iterable[Authorized], *, limit_bytes: int
    ) -> Mapping[str, bytes | Unreadable]:
        """The bytes of each file as they are now, line ends as git has them.

        A checkout may write CRLF where git stores LF. Such a file is no other file: where its
        bytes with LF are HEAD's, or HEAD's file has LF alone and this one CRLF alone, those are
        what is read. That goes by the file itself, by whatever links it is reached.
        """
        asked = list(files)
        found = dict(super().read(asked, limit_bytes=limit_bytes))
        places = {file.entry.path: file.entry.real_path or file.entry.path for file in asked}
        written = {
            path: data
            for path in places
            # One character is looked for a hundred times faster than two.
            if isinstance(data := found[path], bytes) and b"\r" in data and b"\r\n" in data
        }
        blob_ids = self.head_blob_ids(sorted({places[path] for path in written}))
        for path, data in written.items():
            blob_id = blob_ids[places[path]]
            if blob_id is not None:
                found[path] = self._as_stored(data, blob_id)
        return found

    def _as_stored(self, data: bytes, blob_id: str) -> bytes:
        """The bytes of a file with the line ends that git has in its blob."""
        plain = with_line_feeds(data)
        if git_blob_id(plain, object_format=self.object_format) == blob_id:
            return plain
        is_same = git_blob_id(data, object_format=self.object_format) == blob_id
        if is_same or not has_only_crlf(data):
            return data
        # One at a time, so that never more than one of them is held.
        stored = self._git.read_blobs([blob_id], limit_bytes=limit_of_blob(data))[blob_id]
        return plain if isinstance(stored, bytes) and has_only_lf(stored) else data

    def head_blob_ids(self, paths: Sequence[str]) -> dict[str, str | None]:
        """The blob that HEAD has at each path; None where it has no file. One process."""
        revision = self.revision if paths else None
        if revision is None:
            return dict.fromkeys(paths)
        found = self._git.blob_ids(revision, [path.encode() for path in dict.fromkeys(paths)])
        return {path: found[path.encode()] for path in paths}

    def _listed(self) -> WorktreeFiles:
        if self._files is None:
            self._files = self._git.list_worktree(self._index_file)
        return self._files


class _GitTree(ABC):
    """What index and commit have in common: a listing, and blobs."""

    def __init__(self, git: GitRepository) -> None:
        self._git = git
        self._tree: ListedTree | None = None

    def look_up(self, paths: Sequence[str]) -> Mapping[str, Entry]:
        """What stands at each path; reads links and nothing else."""
        return self._listed().look_up(paths)

    def names_in(self, folders: Sequence[str], *, most_names: int) -> Mapping[str, frozenset[str]]:
        """What each folder holds, by name."""
        return self._listed().names_in(folders, most_names=most_names)

    def list_under(self, folders: Sequence[str], *, max_depth: int, max_entries: int) -> Listing:
        """Files below the folders."""
        return self._listed().list_under(folders, max_depth=max_depth, max_entries=max_entries)

    def list_files(self) -> Listing:
        """Every file."""
        return self._listed().list_files()

    def list_paths(self) -> tuple[str, ...]:
        """The paths of `list_files` without the rest of an entry, which costs more."""
        return self._listed().list_paths()

    def list_named(self, names: Collection[str]) -> NamedPaths:
        """Where the names stand."""
        return find_named([b"\0".join([*self._listed().names, b""])], names)

    def read(
        self, files: Iterable[Authorized], *, limit_bytes: int
    ) -> Mapping[str, bytes | Unreadable]:
        """The bytes of each file's blob, verified against its id."""
        return self._listed().read(files, limit_bytes=limit_bytes)

    def read_beginnings(
        self, files: Iterable[Authorized], *, most_bytes: int
    ) -> Mapping[str, bytes | Beginning | Unreadable]:
        """The same; of a larger one the first bytes, of a blob over `MAX_ITEM_BYTES` nothing."""
        return {
            path: found
            if isinstance(found, Unreadable) or len(found) <= most_bytes
            else Beginning(found[:most_bytes], len(found))
            for path, found in self.read(files, limit_bytes=MAX_ITEM_BYTES).items()
        }

    def _listed(self) -> ListedTree:
        if self._tree is None:
            self._tree = self._list()
        return self._tree

    @abstractmethod
    def _list(self) -> ListedTree:
        """The listing that all of this reads from."""

    def _read_blobs(
        self, blob_ids: Iterable[str], limit_bytes: int
    ) -> Mapping[str, bytes | Unreadable]:
        return self._git.read_blobs(blob_ids, limit_bytes=limit_bytes)


class RevisionTree(_GitTree):
    """The files of one commit."""

    def __init__(self, git: GitRepository, commit_id: str) -> None:
        super().__init__(git)
        self._commit_id = commit_id

    @property
    def at(self) -> str:
        """The full id of the commit."""
        return self._commit_id

    @property
    def revision(self) -> str | None:
        """The same."""
        return self._commit_id

    def changes(self, base: str | None) -> Changes:
        """What differs from another commit; None: from nothing, so that every path does."""
        entries = {} if base is None else self._git.list_tree(base)
        return listed_changes(entries, self._git.list_tree(self._commit_id))

    def _list(self) -> ListedTree:
        return ListedTree(self._git.list_tree(self._commit_id), self._read_blobs)


class IndexTree(_GitTree):
    """The files of the next commit, as the index has them."""

    def __init__(self, git: GitRepository, *, index_file: Path | None = None) -> None:
        super().__init__(git)
        self._index_file = index_file
        self._index: IndexFiles | None = None
        self._announced: set[bytes] | None = None
        self._empty_blob = git_blob_id(b"", object_format=git.object_format)

    @property
    def at(self) -> str:
        """`index`."""
        return INDEX

    @property
    def revision(self) -> str | None:
        """The full id of HEAD; None on a branch without a commit."""
        head = self._git.head()
        return None if head is None else head.id

    def look_up(self, paths: Sequence[str]) -> Mapping[str, Entry]:
        """What stands at each path; a path that was only announced (`add -N`) is missing."""
        found = dict(self._listed().look_up(paths))
        empty = {
            path: entry.real_path.encode()
            for path, entry in found.items()
            if entry.blob_id == self._empty_blob and entry.real_path is not None
        }
        for path, real_path in empty.items():
            if real_path in self._announced_paths():
                found[path] = Entry(path=path, kind=EntryKind.MISSING)
        return found

    def _announced_paths(self) -> set[bytes]:
        """Paths that were only announced: all at once, so that git is asked once a run."""
        if self._announced is None:
            entries = self._read_index().entries.items()
            empty = sorted(path for path, (_, blob) in entries if blob == self._empty_blob)
            self._announced = self._git.intent_to_add(empty, self._index_file)
        return self._announced

    def changes(self, base: str | None = None) -> Changes:
        """What differs from a commit, else from HEAD; one process more than the index."""
        return index_changes(self._git, self._read_index(), base)

    def conflicted_paths(self) -> tuple[str, ...]:
        """Paths that a merge left in conflict; `look_up` gives them the problem `UNMERGED`."""
        return paths_of(self._read_index().conflicted)

    def _read_index(self) -> IndexFiles:
        if self._index is None:
            self._index = self._git.list_index(self._index_file)
        return self._index

    def _list(self) -> ListedTree:
        index = self._read_index()
        return ListedTree(index.entries, self._read_blobs, conflicted=index.conflicted)


def _worktree_entry(path: str, name: bytes, files: WorktreeFiles, folder: RootFolder) -> Entry:
    if name.endswith(b"/"):
        return Entry(path=path, kind=EntryKind.OTHER, real_path=path)
    entry = files.tracked.get(name)
    if entry is None:
        return _untracked_entry(path, name, folder)
    mode, blob_id = entry
    if mode == MODE_LINK:
        return Entry(path=path, kind=EntryKind.LINK)
    if mode == MODE_SUBMODULE:
        return Entry(path=path, kind=EntryKind.OTHER, real_path=path)
    return Entry(path=path, kind=EntryKind.FILE, real_path=path, blob_id=blob_id)


def _untracked_entry(path: str, name: bytes, folder: RootFolder) -> Entry:
    """An entry of a file that no index describes, so that the disk is asked."""
    try:
        parent = folder.open_folder(name.split(b"/")[:-1])
        mode = os.stat(os.path.basename(name), dir_fd=parent, follow_symlinks=False).st_mode  # noqa: PTH119
    except OSError:
        return Entry(path=path, kind=EntryKind.MISSING)
    if stat.S_ISLNK(mode):
        return Entry(path=path, kind=EntryKind.LINK)
    kind = EntryKind.FILE if stat.S_ISREG(mode) else EntryKind.OTHER
    return Entry(path=path, kind=kind, real_path=path)

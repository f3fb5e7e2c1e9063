"""Read files of any commit of a repository through the processes that are open anyway.

In: names of commits, paths. Out: entries and blobs, folders and blobs hashed again; renames.
Never here: a checkout, a process for each file or commit, a fetch.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from assembler.adapters.git import GitRepository
from assembler.adapters.git_listing import (
    MODE_TREE,
    RenamedFile,
    TreeEntries,
    TreeEntry,
    is_hostile,
    parse_folder,
)
from assembler.adapters.git_trees import MAX_COMPARED_TREES
from assembler.adapters.linked_names import FOLDER, BlobReader, LinkedNames
from assembler.adapters.one_sided import OneSidedNames
from assembler.adapters.root_folder import is_utf8
from assembler.errors import UsageError
from assembler.model.history import NOT_IN_CLONE, Renamed, Renames
from assembler.model.limits import MAX_ITEM_BYTES
from assembler.model.tree import Authorized, Entry, EntryKind, Unreadable


class GitHistory:
    """The commits of one clone, each folder read once."""

    def __init__(self, git: GitRepository, *, current: str | None) -> None:
        """Look at a repository's past.

        Args:
            git: of the repository.
            current: full id of the commit that the run reads, or of HEAD for worktree and index;
                files that are gone are looked for in it.
        """
        self._git = git
        self._current = current
        self._tree_ids: dict[str, str] = {}
        self._names: dict[str, str | None] = {}
        self._folders: dict[str, TreeEntries | None] = {}
        self._commits: dict[str, _PastTree] = {}

    @property
    def object_format(self) -> str:
        """`sha1` or `sha256`."""
        return self._git.object_format

    def resolve(self, names: Iterable[str]) -> Mapping[str, str | None]:
        """The full id of the commit of each name; None where this clone has none."""
        for name in dict.fromkeys(names):
            if name not in self._names:
                commit = self._git.find_commit(name)
                self._names[name] = None if commit is None else commit.id
                if commit is not None:
                    self._tree_ids[commit.id] = commit.tree
        return self._names

    def look_up(self, asked: Collection[tuple[str, str]]) -> Mapping[tuple[str, str], Entry]:
        """What stood at each path of each commit (full id, of `resolve`).

        What is below a submodule is `OTHER`; `ERROR` with the problem `NOT_IN_CLONE` where a
        folder's object is missing or damaged.
        """
        found: dict[tuple[str, str], Entry] = {}
        for commit_id, path in asked:
            if is_hostile(path.encode("utf-8")):
                found[commit_id, path] = Entry(path, EntryKind.ERROR, problem="EINVAL")
            else:
                found[commit_id, path] = self._commit(commit_id).find(path)
        return found

    def read(self, files: Iterable[Authorized]) -> Mapping[str, bytes | Unreadable]:
        """The bytes of each file by its blob id."""
        blob_ids = {file.entry.blob_id for file in files if file.entry.blob_id is not None}
        return self._read_blobs(blob_ids, MAX_ITEM_BYTES)

    def sizes(self, blob_ids: Sequence[str]) -> Mapping[str, int | Unreadable]:
        """The size in bytes of each blob, nothing of it read."""
        return self._git.blob_sizes(blob_ids)

    def find_renames(
        self, gone: Mapping[str, Collection[str]], *, is_open: Callable[[str], bool]
    ) -> Renames:
        """Where files of commits stand in the current one; by content where not by name.

        Args:
            gone: paths by the full id of the commit that has them.
            is_open: whether a path may be read; the content of another one is compared with none.
        """
        if self._current is None or not gone:
            return Renames()
        self.resolve([self._current])
        now = self._tree_ids.get(self._current)
        commits = sorted(gone)[:MAX_COMPARED_TREES]
        why = None if len(commits) == len(gone) else f"more than {MAX_COMPARED_TREES} revisions"
        asked: dict[str, set[bytes]] = {}
        for commit in commits:
            paths = {path.encode("utf-8") for path in gone[commit]}
            asked.setdefault(self._tree_ids[commit], set()).update(paths)
        try:
            by_tree = {} if now is None else self._renames(asked, now, is_open)
        except UsageError as error:
            return Renames(why_not=error.message)
        found = {
            (commit, path): renamed
            for commit in commits
            for path, renamed in _of_paths(by_tree.get(self._tree_ids[commit], ()), gone[commit])
        }
        return Renames(found, why)

    def _renames(
        self, asked: Mapping[str, set[bytes]], now: str, is_open: Callable[[str], bool]
    ) -> Mapping[str, Sequence[RenamedFile]]:
        """Renames by tree, of the trees that lack a file which was asked for and have a new one."""
        names = OneSidedNames(self._folder)
        pairs: list[tuple[str, str]] = []
        one_sided: set[bytes] = set()
        for tree_id in sorted(asked.keys() - {now}):
            found = names.compare(tree_id, now)
            if found.new and not asked[tree_id].isdisjoint(found.gone):
                pairs.append((tree_id, now))
                one_sided |= found.gone | found.new
        if not pairs:
            return {}
        return self._git.renames(pairs, one_sided=one_sided, closed=_closed(one_sided, is_open))

    def _commit(self, commit_id: str) -> _PastTree:
        if commit_id not in self._commits:
            tree_id = self._tree_ids[commit_id]
            self._commits[commit_id] = _PastTree(tree_id, self._folder, self._read_blobs)
        return self._commits[commit_id]

    def _folder(self, tree_id: str) -> TreeEntries | None:
        if tree_id not in self._folders:
            data = self._git.read_tree(tree_id)
            id_bytes = 20 if self.object_format == "sha1" else 32
            self._folders[tree_id] = (
                parse_folder(data, id_bytes=id_bytes) if isinstance(data, bytes) else None
            )
        return self._folders[tree_id]

    def _read_blobs(
        self, blob_ids: Iterable[str], limit_bytes: int
    ) -> Mapping[str, bytes | Unreadable]:
        return self._git.read_blobs(blob_ids, limit_bytes=limit_bytes)


class _FolderMissingError(Exception):
    """A look-up met a folder whose object is not there, or is not what its id says."""


class _PastTree(LinkedNames):
    """The files of one commit, folder by folder."""

    def __init__(
        self,
        tree_id: str,
        read_folder: Callable[[str], TreeEntries | None],
        read_blobs: BlobReader,
    ) -> None:
        super().__init__(read_blobs)
        self._read_folder = read_folder
        self._tree_ids = {b"": tree_id}

    def find(self, path: str) -> Entry:
        """What stood at a path."""
        try:
            return self.look_up([path])[path]
        except _FolderMissingError:
            return Entry(path, EntryKind.ERROR, problem=NOT_IN_CLONE)

    def _look(self, name: bytes) -> str:
        if not name:
            return FOLDER
        mode, object_id = self._entry(name)
        if mode != MODE_TREE:
            return mode
        self._tree_ids[name] = object_id
        return FOLDER

    def _entry(self, name: bytes) -> TreeEntry:
        """A way is looked at from its top, so the folder around it is known."""
        above, _, last = name.rpartition(b"/")
        entries = self._read_folder(self._tree_ids[above])
        if entries is None:
            raise _FolderMissingError
        return entries.get(last, ("", ""))


def _closed(paths: Iterable[bytes], is_open: Callable[[str], bool]) -> set[bytes]:
    """Those that may not be read, and those that no rule can be asked about."""
    return {path for path in paths if not is_utf8(path) or not is_open(path.decode("utf-8"))}


def _of_paths(
    renamed: Iterable[RenamedFile], paths: Collection[str]
) -> Iterator[tuple[str, Renamed]]:
    asked = {path.encode("utf-8"): path for path in paths}
    for file in renamed:
        if file.old in asked and not is_hostile(file.new):
            try:
                yield asked[file.old], Renamed(file.new.decode("utf-8"), file.similarity)
            except UnicodeDecodeError:
                continue

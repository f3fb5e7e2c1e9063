"""What commits of a repository hold, by the names that git prints, and which of them moved.

The half of `git.py` that lists trees. Never here: an opened file, content.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from assembler.adapters.git_index import MAX_ARGUMENT_BYTES, IndexListings
from assembler.adapters.git_listing import (
    MODE_SUBMODULE,
    MODE_TREE,
    RenamedFile,
    TreeEntries,
    parse_renames,
    parse_tree,
)
from assembler.adapters.git_objects import FULL_ID, ObjectReader
from assembler.errors import UsageError

MOST_ASKED_PATHS: Final = 40
"""One by one these are told sooner than a process that lists them can be started."""
MAX_COMPARED_TREES: Final = 24
"""Pairs of one comparison: their ids fit one page of a pipe, SHA-256 too."""
MAX_COMPARED_FILES: Final = 400
"""Gone or new files of a pair that git compares by their content; equal ones it always finds."""
MAX_RENAMES_BYTES: Final = 16 << 20
RENAMES_SECONDS: Final = 10.0


class TreeListings(IndexListings):
    """Listings of commits, each by one process; `GitRepository` starts them."""

    _objects: ObjectReader

    def __init__(self) -> None:
        super().__init__()
        self._trees: dict[str, TreeEntries] = {}
        """Whole trees that were listed, by commit: a run compares at most two or three."""
        self._blob_ids: dict[str, dict[bytes, str | None]] = {}
        """What was asked of a commit, so that a second question for the same is no process."""
        self._begun_paths: tuple[str, frozenset[bytes], Iterator[bytes]] | None = None
        """Paths of a commit of which a listing was begun, and what git prints of it."""

    def list_tree(self, commit_id: str, prefixes: Sequence[bytes] = ()) -> TreeEntries:
        """Every file of the commit, or those at and below the prefixes; not to be changed.

        Raises:
            UsageError: `git-failed` (also for a missing tree), `git-timeout`, `size-limit`,
                `hostile-path`.
        """
        if prefixes:
            return self._ls_tree(["-r"], commit_id, prefixes)
        if commit_id not in self._trees:
            self._trees[commit_id] = self._ls_tree(["-r"], commit_id, ())
        return self._trees[commit_id]

    def blob_ids(self, commit_id: str, paths: Sequence[bytes]) -> dict[bytes, str | None]:
        """The blob at each path of the commit; None where no file is.

        One process at most, and none where the commit was listed or objects are being read.

        Raises:
            UsageError: as `list_tree`.
        """
        known = self._blob_ids.setdefault(commit_id, {})
        unknown = [path for path in paths if path not in known]
        begun = self._begun_paths
        if unknown and begun and begun[0] == commit_id and begun[1].issuperset(unknown):
            self._begun_paths = None
            known.update(_files_at(begun[1], parse_tree(begun[2])))
        elif unknown:
            known.update(self._find_blob_ids(commit_id, unknown))
        return {path: known[path] for path in paths}

    def _find_blob_ids(self, commit_id: str, paths: Sequence[bytes]) -> dict[bytes, str | None]:
        is_few = len(paths) <= MOST_ASKED_PATHS  # git walks from the root for each of them
        if commit_id not in self._trees and is_few and self._objects.can_ask(paths):
            return self._objects.blobs_at(commit_id, paths)
        short = sum(map(len, paths)) <= MAX_ARGUMENT_BYTES
        if commit_id in self._trees or not short:
            entries = self.list_tree(commit_id)
        else:
            entries = self._ls_tree([], commit_id, paths)
        return _files_at(paths, entries)

    def begin_blob_ids(self, commit_id: str, paths: Sequence[bytes]) -> None:
        """Start what `blob_ids` of these paths, or of some of them, waits for.

        Few of them need no process, and too many can't be given to one.

        Raises:
            UsageError: `git-missing`, `git-failed`.
        """
        is_short = sum(map(len, paths)) <= MAX_ARGUMENT_BYTES
        if len(paths) > MOST_ASKED_PATHS and is_short and commit_id not in self._trees:
            records = self._list(_ls_tree_arguments([], commit_id, paths), {})
            self._begun_paths = commit_id, frozenset(paths), records

    def renames(
        self,
        tree_pairs: Sequence[tuple[str, str]],
        *,
        one_sided: set[bytes],
        closed: set[bytes],
    ) -> dict[str, list[RenamedFile]]:
        """Files of other names in the second tree of each pair, by the first; one process.

        Args:
            tree_pairs: full ids, at most `MAX_COMPARED_TREES` pairs.
            one_sided: the paths that one side of a pair has.
            closed: those of them that git does not open.

        Raises:
            UsageError: `git-failed` (also for a missing tree), `git-timeout`, `size-limit` (also
                where the open names beside closed ones are too many for a command line).
        """
        if any(not re.match(FULL_ID, tree_id) for pair in tree_pairs for tree_id in pair):
            raise ValueError("trees are named by their full ids")
        opened = _without(one_sided, closed) if closed else []
        if not tree_pairs or (closed and not opened):
            return {}
        if sum(map(len, opened)) > MAX_ARGUMENT_BYTES:
            raise UsageError("size-limit", "too many files are new or gone beside closed ones")
        blocks = self._git().records(
            ["diff-tree", "--stdin", "--no-ext-diff", "--no-textconv", "-r", "-z",
             "-M", f"-l{MAX_COMPARED_FILES}", "--diff-filter=R", "--", *opened],
            limit_bytes=MAX_RENAMES_BYTES,
            timeout_seconds=RENAMES_SECONDS,
            asked="".join(f"{old} {new}\n" for old, new in tree_pairs).encode("ascii"),
        )  # fmt: skip
        return parse_renames(b"".join(blocks))

    def _ls_tree(self, options: list[str], commit_id: str, paths: Sequence[bytes]) -> TreeEntries:
        if not re.match(FULL_ID, commit_id):
            raise ValueError("commit_id is a full object id")
        if sum(map(len, paths)) > MAX_ARGUMENT_BYTES:
            entries = self._ls_tree(options, commit_id, ())
            return {path: entry for path, entry in entries.items() if _is_at(path, paths)}
        return parse_tree(self._list(_ls_tree_arguments(options, commit_id, paths), {}))


def _files_at(paths: Iterable[bytes], entries: TreeEntries) -> dict[bytes, str | None]:
    """The blob at each path; None where no file is."""
    found: dict[bytes, str | None] = dict.fromkeys(paths)
    for path in found:
        mode, blob_id = entries.get(path, (MODE_TREE, ""))
        if mode not in {MODE_TREE, MODE_SUBMODULE}:
            found[path] = blob_id
    return found


def _ls_tree_arguments(
    options: list[str], commit_id: str, paths: Sequence[bytes]
) -> list[str | bytes]:
    return ["ls-tree", "-z", "--full-tree", *options, commit_id, "--", *paths]


def _without(named: set[bytes], closed: set[bytes]) -> list[bytes]:
    """The open paths, sorted; not one that git would take for the folder of a closed one."""
    folders = {path[: end.start()] for path in closed for end in re.finditer(b"/", path)}
    return sorted(named - closed - folders)


def _is_at(path: bytes, prefixes: Sequence[bytes]) -> bool:
    return any(path == prefix or path.startswith(prefix + b"/") for prefix in prefixes)

"""Where files stand now that are gone from their paths: the same bytes first, git's guess second.

In: old files, the tree of the run and the history. Out: one new path for each, or none.
Of two files with the same bytes neither is taken. A closed file is never opened for this, and
never named.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from assembler.authorize.read_scope import ReadScope, authorize_evidence
from assembler.model.digest import git_blob_id
from assembler.model.history import Renamed
from assembler.model.line_ends import is_checkout_of
from assembler.model.tree import Authorized, Denied, Entry, EntryKind, Unreadable
from assembler.offers.past import PastFile
from assembler.offers.reader import FileReader
from assembler.ports import History

MAX_UNTRACKED_FILES: Final = 2_000
"""Looked at for their size."""
MAX_COMPARED_FILES: Final = 200
"""Untracked files that are read because their size is that of a file that is gone, and as many
tracked ones because the index has its bytes."""
MAX_SAME_BLOB: Final = 50
"""Files with the same bytes; more of them are as good as two."""


class Moves(NamedTuple):
    """What became of files that are gone."""

    found: Mapping[PastFile, Renamed] = {}
    ambiguous: frozenset[PastFile] = frozenset()
    """Several files have their bytes."""
    why_not: str | None = None
    """Why git could not be asked for all of the others."""
    closed: Mapping[PastFile, str] = {}
    """The rule that closes the only path where git has their bytes; the path is never told."""

    def note(self, file: PastFile) -> str | None:
        """What a row says of the file's new place."""
        moved = self.found.get(file)
        if moved is not None:
            how = "the same bytes" if moved.similarity is None else f"{moved.similarity}% alike"
            return f"{file.file.entry.path} was renamed to {moved.path} ({how})"
        if file in self.ambiguous:
            return f"several files have the bytes of {file.file.entry.path}"
        if self.why_not is not None:
            return f"not looked for under another name: {self.why_not}"
        return None


def follow_gone(gone: Iterable[PastFile], reader: FileReader, history: History) -> Moves:
    """Where each of the files stands now.

    Args:
        gone: files whose paths hold no file where the run reads.
        reader: reads that tree, under its read grant.
        history: the commits of this clone; asked for renames at most once.
    """
    files = list(dict.fromkeys(gone))
    if not files:
        return Moves()
    # Nothing says of an empty file which one it is.
    sizes = history.sizes(sorted({file.blob_id for file in files}))
    files = [file for file in files if sizes[file.blob_id] != 0]
    found: dict[PastFile, Renamed] = {}
    several: set[PastFile] = set()
    closed: dict[PastFile, str] = {}
    same, kept_out = _find_same(files, reader, history)
    for file in files:
        paths = _new_paths(file, same[file.blob_id], history)
        if not paths and (out := _new_paths(file, list(kept_out[file.blob_id]), history)):
            closed[file] = kept_out[file.blob_id][out[0]]
        if len(paths) == 1:
            found[file] = Renamed(paths[0])
        elif paths:
            several.add(file)
    rest = [file for file in files if not (file in found or file in several or file in closed)]
    alike, why_not = _find_alike(rest, reader, history)
    return Moves({**found, **alike}, frozenset(several), why_not, closed)


def _find_alike(
    files: Sequence[PastFile], reader: FileReader, history: History
) -> tuple[dict[PastFile, Renamed], str | None]:
    """What git takes for the same file by its content, between two commits."""
    scope = reader.scope
    asked: dict[str, set[str]] = {}
    for file in files:
        if file.commit_id is not None:
            asked.setdefault(file.commit_id, set()).add(_place(file))
    renames = history.find_renames(asked, is_open=lambda path: scope.deny_rule(path) is None)
    alike = {
        file: renames.found[file.commit_id, _place(file)]
        for file in files
        if file.commit_id is not None and (file.commit_id, _place(file)) in renames.found
    }
    there = reader.tree.look_up([moved.path for moved in alike.values()])
    still = {file: moved for file, moved in alike.items() if _is_open(there[moved.path], scope)}
    return still, renames.why_not


def _place(file: PastFile) -> str:
    """The path of the file itself, behind any link."""
    return file.file.entry.real_path or file.file.entry.path


def _is_file(entry: Entry) -> bool:
    return entry.kind is EntryKind.FILE


def _is_open(entry: Entry, scope: ReadScope) -> bool:
    """Whether a file is there that may be read: where another one went is nobody's to know."""
    return _is_file(entry) and isinstance(authorize_evidence(entry, scope), Authorized)


def _new_paths(file: PastFile, paths: Sequence[str], history: History) -> list[str]:
    """Those of the paths that the old commit did not have: a copy of old is no rename."""
    if file.commit_id is None or len(paths) > MAX_SAME_BLOB:
        return list(paths)
    entries = history.look_up([(file.commit_id, path) for path in paths])
    return [path for path in paths if not _is_file(entries[file.commit_id, path])]


def _find_same(
    files: Sequence[PastFile], reader: FileReader, history: History
) -> tuple[dict[str, list[str]], dict[str, dict[str, str]]]:
    """Paths of files with the bytes of each old one, by its blob; and closed ones with the rule."""
    wanted: dict[str, list[str]] = {file.blob_id: [] for file in files}
    closed: dict[str, dict[str, str]] = {file.blob_id: {} for file in files}
    if not wanted:
        return wanted, closed
    untracked: list[str] = []
    for entry in reader.tree.list_files().entries:
        if entry.blob_id in wanted:
            wanted[entry.blob_id].append(entry.path)
        elif entry.blob_id is None and entry.kind is EntryKind.FILE:
            untracked.append(entry.path)
    # A listing names what git has; whether it is still there says the disk.
    there = reader.tree.look_up([path for paths in wanted.values() for path in paths])
    for blob_id, paths in wanted.items():
        present = [path for path in paths if _is_file(there[path])]
        for path in present:
            permission = authorize_evidence(there[path], reader.scope)
            if isinstance(permission, Denied):
                closed[blob_id][path] = permission.rule
        wanted[blob_id] = [path for path in present if path not in closed[blob_id]]
    if reader.tree.at == "worktree":
        _drop_rewritten(wanted, there, reader, history)
    for blob_id, path in _same_untracked(wanted, untracked, reader, history):
        wanted[blob_id].append(path)
    return wanted, closed


def _drop_rewritten(
    found: dict[str, list[str]],
    entries: Mapping[str, Entry],
    reader: FileReader,
    history: History,
) -> None:
    """Leave out tracked files whose bytes on disk are no more those that the index has.

    Only files that may be opened are. Of more than `MAX_COMPARED_FILES` in all, none of the
    further blobs is found: one of two files may not pass for the only one.
    """
    left_files = MAX_COMPARED_FILES
    for blob_id in sorted(found):
        paths = found[blob_id]
        if len(paths) > MAX_SAME_BLOB:
            continue  # as good as two, whatever they hold
        permissions = [authorize_evidence(entries[path], reader.scope) for path in paths]
        allowed = [file for file in permissions if isinstance(file, Authorized)]
        left_files -= len(allowed)
        contents = reader.read(allowed) if left_files >= 0 else {}
        rewritten = {
            file.entry.path
            for file in allowed
            if not _has_blob(contents.get(file.entry.path), blob_id, history)
        }
        found[blob_id] = [path for path in paths if path not in rewritten]


def _has_blob(data: bytes | Unreadable | None, blob_id: str, history: History) -> bool:
    return isinstance(data, bytes) and is_checkout_of(
        data, blob_id, object_format=history.object_format
    )


def _same_untracked(
    blob_ids: Iterable[str], paths: Sequence[str], reader: FileReader, history: History
) -> list[tuple[str, str]]:
    """Untracked files with the bytes of one of the blobs; only those of its size are opened."""
    blobs = sorted(blob_ids)
    sizes = set(history.sizes(blobs).values())
    entries = reader.tree.look_up(paths[:MAX_UNTRACKED_FILES])
    alike = [
        permission
        for entry in entries.values()
        if _is_file(entry)
        and entry.size_bytes in sizes
        and isinstance(permission := authorize_evidence(entry, reader.scope), Authorized)
    ]
    contents = reader.read(alike[:MAX_COMPARED_FILES])
    ids = {
        path: git_blob_id(data, object_format=history.object_format)
        for path, data in contents.items()
        if isinstance(data, bytes)
    }
    return [(blob_id, path) for path, blob_id in sorted(ids.items()) if blob_id in blobs]

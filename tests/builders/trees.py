"""Folders with instruction files and skills, and trees over them that say what was asked."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from assembler.adapters.folder_tree import FolderTree
from assembler.model.tree import Authorized, Entry, EntryKind, Listing, Unreadable

FOLDER = object()
FIFO = object()


class Link(str):
    """A link's text, where a plain string would be a file's."""

    __slots__ = ()


def write_tree(root: Path, files: Mapping[str, Any]) -> FolderTree:
    """Make files (str, bytes), links, folders and FIFOs below the root."""
    for name, spec in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if spec is FOLDER:
            path.mkdir(exist_ok=True)
        elif spec is FIFO:
            os.mkfifo(path)
        elif isinstance(spec, Link):
            path.symlink_to(str(spec))
        else:
            path.write_bytes(spec if isinstance(spec, bytes) else spec.encode())
    return FolderTree(root)


def case_file(spec: Any, replace: Callable[[str], str]) -> Any:
    """What a recorded case says of one file, as `write_tree` takes it."""
    if isinstance(spec, str):
        return replace(spec)
    if "symlink" in spec:
        return Link(replace(spec["symlink"]))
    if "dir" in spec:
        return FOLDER
    if "fifo" in spec:
        return FIFO
    if "b64" in spec:
        return base64.b64decode(spec["b64"])
    if "base64" in spec:
        return base64.b64decode(spec["base64"])
    if "repeat" in spec:
        return spec.get("head", "") + spec["repeat"] * spec["count"] + spec.get("tail", "")
    return replace(spec["text"])


class EntriesTree:
    """A tree of given entries: what is not given is missing. Counts what it is asked."""

    at = "worktree"
    revision = None

    def __init__(self, entries: Iterable[Entry] = (), *, folders: Iterable[str] = ()) -> None:
        self.look_ups: list[tuple[str, ...]] = []
        self._entries = {entry.path: entry for entry in entries}
        for folder in ("", *folders):
            self._entries.setdefault(
                folder, Entry(path=folder, kind=EntryKind.DIRECTORY, real_path=folder)
            )

    def look_up(self, paths: Sequence[str]) -> Mapping[str, Entry]:
        self.look_ups.append(tuple(paths))
        missing = EntryKind.MISSING
        return {path: self._entries.get(path, Entry(path=path, kind=missing)) for path in paths}

    def names_in(self, folders: Sequence[str], *, most_names: int) -> Mapping[str, frozenset[str]]:
        found: dict[str, set[str]] = {folder: set() for folder in folders}
        for path in self._entries:
            folder, _, name = path.rpartition("/")
            if folder in found and path:
                found[folder].add(name)
        return {folder: frozenset(names) for folder, names in found.items()}

    def list_under(self, folders: Sequence[str], *, max_depth: int, max_entries: int) -> Listing:
        raise AssertionError("not asked here")

    def list_files(self) -> Listing:
        raise AssertionError("not asked here")

    def read(
        self, files: Iterable[Authorized], *, limit_bytes: int
    ) -> Mapping[str, bytes | Unreadable]:
        raise AssertionError("nothing is opened here")


def read_entries(tree: FolderTree, entries: Iterable[Entry]) -> dict[str, bytes | Unreadable]:
    """The bytes of files that a test may read."""
    granted = [Authorized(entry=entry, grant="test") for entry in entries]
    return dict(tree.read(granted, limit_bytes=1 << 24))

"""A repository's tree, with folders of other places joined to it.

In: a tree, and folders outside it that the host allows, each under a label. Out: the `SourceTree`
of the ports, in which `LABEL/REST` is a path of that folder.
Never here: a link that leads to none of these places, followed. A link from one place into
another is: all of them are allowed.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from assembler.adapters.folder_tree import WORKTREE, FolderTree
from assembler.adapters.widened_tree import WidenedTree
from assembler.model.tree import (
    Authorized,
    Beginning,
    Entry,
    EntryKind,
    Listing,
    Unreadable,
)
from assembler.ports import SourceTree


class _Place(NamedTuple):
    """One of the places, and how its paths are told from those of the others."""

    prefix: str
    """Of its paths; empty for the repository, else the label and a slash."""
    folder: str | None
    """Absolute, links resolved; None where its links lead nowhere else."""
    tree: SourceTree

    def name(self, path: str) -> str:
        """A path of the place as the joined tree has it."""
        return self.prefix + path if path else self.prefix.rstrip("/")


class JoinedTree(WidenedTree):
    """A tree with folders of other places beside it."""

    def __init__(self, tree: SourceTree, root: Path, folders: Mapping[str, Path]) -> None:
        """Join folders to a tree.

        Args:
            tree: that of the repository.
            root: the folder of the repository.
            folders: absolute, by label (`~/.agents/skills`, `/etc/skills`). One that is missing
                holds nothing.
        """
        super().__init__(tree)
        # A commit is the same on every machine: its links lead to no place of this one.
        own = os.path.realpath(root) if tree.at == WORKTREE else None
        self._repository = _Place("", own, tree)
        self._others: list[_Place] = []
        self._absent: dict[str, Entry] = {}
        for label, folder in folders.items():
            problem = _problem_of(folder, label)
            if problem is None:
                real = os.path.realpath(folder)
                self._others.append(_Place(f"{label}/", real, FolderTree(Path(real))))
            else:
                self._absent[label] = problem

    def look_up(self, paths: Sequence[str]) -> Mapping[str, Entry]:
        """What stands at each path, links followed as long as they stay in one of the places."""
        found: dict[str, Entry] = {}
        for place, asked in self._by_place(paths):
            entries = place.tree.look_up([rest for _, rest in asked])
            for path, rest in asked:
                entry = entries[rest]
                if entry.kind is EntryKind.OUTSIDE_LINK:
                    found[path] = self._follow(path, rest, place, entry)
                else:
                    found[path] = _renamed(entry, path, place)
        found.update((path, self._absent_entry(path)) for path in paths if path not in found)
        return found

    def list_under(self, folders: Sequence[str], *, max_depth: int, max_entries: int) -> Listing:
        """Files below the folders; a folder behind a link is listed under the name asked for."""
        entries: dict[str, Entry] = {}
        unnamable: set[bytes] = set()
        truncated = False
        crossing = self._crossing(folders)
        near = [path for path in folders if path not in crossing]
        for place, asked in self._by_place(near):
            listing = place.tree.list_under(
                [rest for _, rest in asked],
                max_depth=max_depth,
                max_entries=max(0, max_entries - len(entries)),
            )
            truncated = truncated or listing.truncated
            unnamable.update(place.prefix.encode() + name for name in listing.unnamable)
            for entry in listing.entries:
                renamed = _renamed(entry, place.name(entry.path), place)
                entries[renamed.path] = renamed
        for path, (place, rest) in crossing.items():
            listing = place.tree.list_under(
                [rest], max_depth=max_depth, max_entries=max(0, max_entries - len(entries))
            )
            truncated = truncated or listing.truncated
            for entry in listing.entries:
                below = entry.path.removeprefix(rest).lstrip("/")
                renamed = _renamed(entry, f"{path}/{below}" if below else path, place)
                entries[renamed.path] = renamed
        entries.update((path, entry) for path, entry in self._broken(folders))
        return Listing(
            entries=tuple(sorted(entries.values(), key=lambda entry: entry.path)),
            unnamable=tuple(sorted(unnamable)),
            truncated=truncated,
        )

    def read(
        self, files: Iterable[Authorized], *, limit_bytes: int
    ) -> Mapping[str, bytes | Unreadable]:
        """The bytes of each file at the place where its links led when it was authorized."""
        contents: dict[str, bytes | Unreadable] = {}
        for tree, asked, names in self._files_by_place(files):
            found = tree.read(asked, limit_bytes=limit_bytes)
            contents.update((path, found[rest]) for path, rest in names)
        return contents

    def read_beginnings(
        self, files: Iterable[Authorized], *, most_bytes: int
    ) -> Mapping[str, bytes | Beginning | Unreadable]:
        """The same; of a larger file the first bytes."""
        contents: dict[str, bytes | Beginning | Unreadable] = {}
        for tree, asked, names in self._files_by_place(files):
            found = tree.read_beginnings(asked, most_bytes=most_bytes)
            contents.update((path, found[rest]) for path, rest in names)
        return contents

    def _by_place(self, paths: Iterable[str]) -> list[tuple[_Place, list[tuple[str, str]]]]:
        """The paths of each place, each with the rest of it there; absent places left out."""
        found: dict[str, tuple[_Place, list[tuple[str, str]]]] = {}
        for path in paths:
            split = self._split(path)
            if split is not None:
                place, rest = split
                found.setdefault(place.prefix, (place, []))[1].append((path, rest))
        return list(found.values())

    def _split(self, path: str) -> tuple[_Place, str] | None:
        """The place of a path and the rest of it there; None for an absent one."""
        for place in self._others:
            if path.startswith(place.prefix) or f"{path}/" == place.prefix:
                return place, path[len(place.prefix) :]
        if any(path == label or path.startswith(f"{label}/") for label in self._absent):
            return None
        return self._repository, path

    def _absent_entry(self, path: str) -> Entry:
        """What stands at a path of a place that is no folder."""
        label = next(name for name in self._absent if path == name or path.startswith(f"{name}/"))
        entry = self._absent[label]
        return entry if path == label else Entry(path=path, kind=EntryKind.MISSING)

    def _broken(self, folders: Sequence[str]) -> list[tuple[str, Entry]]:
        """The asked places that are there and can't be listed."""
        asked = [(path, self._absent[path]) for path in folders if path in self._absent]
        return [(path, entry) for path, entry in asked if entry.kind is EntryKind.ERROR]

    def _follow(self, path: str, rest: str, place: _Place, entry: Entry) -> Entry:
        """A link that leaves its place: what it leads to, if that lies in one of the others."""
        target = self._target(rest, place)
        if target is None:
            return _renamed(entry, path, place)
        other, there = target
        landed = other.tree.look_up([there])[there]
        if landed.kind is EntryKind.OUTSIDE_LINK:  # changed since: nothing is followed twice
            return _renamed(entry, path, place)
        return _renamed(landed, path, other)._replace(link_text=entry.link_text)

    def _target(self, rest: str, place: _Place) -> tuple[_Place, str] | None:
        """The place, and the path there, that a path's links lead to."""
        if place.folder is None:
            return None
        real = os.path.realpath(Path(place.folder) / rest)
        for other in (*self._others, self._repository):
            # A link into a commit would be one into the files beside it.
            if other is place or other.folder is None:
                continue
            if real == other.folder:
                return other, ""
            if real.startswith(f"{other.folder.rstrip('/')}/"):
                return other, real[len(other.folder.rstrip("/")) + 1 :]
        return None

    def _crossing(self, folders: Sequence[str]) -> dict[str, tuple[_Place, str]]:
        """The asked folders that links lead into another place."""
        found: dict[str, tuple[_Place, str]] = {}
        for path, entry in self.look_up(folders).items():
            here = self._split(path)
            if here is None or entry.kind is not EntryKind.DIRECTORY or entry.real_path is None:
                continue
            there = self._split(entry.real_path)
            if there is not None and there[0] is not here[0]:
                found[path] = there
        return found

    def _files_by_place(
        self, files: Iterable[Authorized]
    ) -> list[tuple[SourceTree, list[Authorized], list[tuple[str, str]]]]:
        """What to ask each place for, and the joined path of each of its paths."""
        found: dict[str, tuple[SourceTree, list[Authorized], list[tuple[str, str]]]] = {}
        for file in files:
            entry = file.entry
            split = self._split(entry.path if entry.real_path is None else entry.real_path)
            if split is None:  # only what stands in a place is ever authorized
                raise AssertionError(f"a file of no place: {entry.path}")
            place, rest = split
            there = Authorized(entry._replace(path=rest, real_path=rest), file.grant)
            _, asked, names = found.setdefault(place.prefix, (place.tree, [], []))
            asked.append(there)
            names.append((entry.path, rest))
        return list(found.values())


def _renamed(entry: Entry, path: str, place: _Place) -> Entry:
    """An entry of a place as the joined tree has it."""
    real_path = None if entry.real_path is None else place.name(entry.real_path)
    return entry._replace(path=path, real_path=real_path)


def _problem_of(folder: Path, label: str) -> Entry | None:
    """Why a place can't be joined: it is missing, no folder, or not to be reached."""
    try:
        mode = folder.stat().st_mode
    except FileNotFoundError:
        return Entry(path=label, kind=EntryKind.MISSING)
    except OSError as error:
        symbol = errno.errorcode.get(error.errno or 0, "EIO")
        return Entry(path=label, kind=EntryKind.ERROR, problem=symbol)
    if not stat.S_ISDIR(mode):
        return Entry(path=label, kind=EntryKind.ERROR, problem="ENOTDIR")
    return None

"""Where an agent looks for skills, commands and subagents, and what lies there. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from assembler.agents.disk import Disk, Start
from assembler.agents.places import folders_down, folders_up, is_below, join, parent, resolve
from assembler.agents.skill_rules import ScanRules, SkillPlace, SkillRules, SkillScope
from assembler.model.tree import Entry, EntryKind

MAX_FOLDERS: Final = 20_000
MAX_FILES: Final = 20_000
MAX_DEPTH: Final = 64


class SearchedFolder(NamedTuple):
    """A folder of a place, whether or not it is there."""

    path: str
    scope: SkillScope
    is_read: bool = True
    """False: it lies above the start, where the agent does not look."""


class FoundFile(NamedTuple):
    """A file of a searched folder."""

    path: str
    """By the way that the search took."""
    real_path: str
    root: str
    """The searched folder."""
    scope: SkillScope
    slug: str | None = None
    """Why the agent passes it over; None: it reads it."""
    reason: str | None = None


class Found(NamedTuple):
    """All that was found."""

    files: tuple[FoundFile, ...]
    """In the order of the search; within a folder by path."""
    bounds: tuple[tuple[str, str], ...] = ()
    """Folders that were not searched to the end, each with the reason."""


def find_folders(
    places: Sequence[SkillPlace], rules: SkillRules, start: Start, top: str
) -> Iterator[SearchedFolder]:
    """The folders that an agent searches, in its order; then those that it could be thought to.

    Args:
        places: of a description.
        rules: for the end of the walk.
        start: where the agent starts.
        top: of its walk.
    """
    above: list[SearchedFolder] = []
    for place in places:
        if any(start.is_set(name) for name in place.off_by):
            continue
        for base in _bases(place, rules, start, top):
            for folder in place.folders:
                yield SearchedFolder(_path(place, folder, base, start), place.scope)
        if place.base == "cwd" and start.repository is not None:
            above += [
                SearchedFolder(join(base, folder), place.scope, is_read=False)
                for base in folders_down(start.repository, start.cwd)[:-1]
                for folder in place.folders
            ]
    yield from above


def _bases(place: SkillPlace, rules: SkillRules, start: Start, top: str) -> list[str]:
    if place.base == "home":
        return [] if start.home is None else [start.home]
    if place.base == "cwd":
        return [start.cwd]
    folders = folders_down(top, start.cwd)[::-1]
    is_below_home = start.home is not None and is_below(start.cwd, start.home)
    if not rules.stops_below_home or not is_below_home or top != "/":
        return list(folders)
    return [folder for folder in folders if folder not in set(folders_up(start.home or "/"))]


def _path(place: SkillPlace, folder: str, base: str, start: Start) -> str:
    named = start.environment.get(place.variable) if place.variable is not None else None
    if named:
        return join(resolve(named, start.cwd), folder.partition("/")[2])
    return join(base, folder)


def find_skill_files(folders: Iterator[SearchedFolder], rules: SkillRules, disk: Disk) -> Found:
    """Every file of the folders that is called as a skill's is, also those that are passed over.

    Args:
        folders: in the order of the search; one that comes twice is searched once.
        rules: of the agent.
        disk: asked about names and kinds.
    """
    search = _Search(rules, disk)
    for folder in folders:
        search.take(folder)
    return Found(tuple(search.files), tuple(search.bounds))


class _Search:
    """A walk through the searched folders."""

    def __init__(self, rules: SkillRules, disk: Disk) -> None:
        self.files: list[FoundFile] = []
        self.bounds: list[tuple[str, str]] = []
        self._rules = rules
        self._scan: ScanRules = rules.scan
        self._disk = disk
        self._roots: set[str] = set()
        self._folders = 0

    def take(self, folder: SearchedFolder) -> None:
        """One folder with all that lies below it."""
        entry = self._disk.look_up([folder.path])[folder.path]
        real = entry.real_path or folder.path
        if entry.kind is not EntryKind.DIRECTORY or real in self._roots:
            return
        self._roots.add(real)
        before = len(self.files)
        self._walk(folder)
        self.files[before:] = sorted(self.files[before:], key=lambda file: file.path.split("/"))

    def _walk(self, folder: SearchedFolder) -> None:
        waiting: list[tuple[str, int, bool]] = [(folder.path, 0, False)]
        seen: set[str] = set()
        while waiting:
            path, depth, is_hidden = waiting.pop()
            real = self._disk.look_up([path])[path].real_path or path
            if real in seen:
                continue
            seen.add(real)
            self._folders += 1
            if self._folders > MAX_FOLDERS or len(self.files) > MAX_FILES or depth > MAX_DEPTH:
                self.bounds.append((folder.path, "more folders or files than are looked at here"))
                return
            names = self._disk.names_in(path)
            if names is None:
                self.bounds.append((path, "can't be listed, or holds too many names"))
                continue
            has_file = self._take_files(path, names, depth, folder, is_hidden=is_hidden)
            # One level more than the agent goes, to tell of what it misses there.
            if self._scan.any_depth or depth == 0 or (depth == 1 and not has_file):
                inner = self._inner(path, names)
                waiting += [(one, depth + 1, is_hidden or _is_hidden(one)) for one in inner]

    def _inner(self, path: str, names: Sequence[str]) -> list[str]:
        paths = [join(path, name) for name in names if name not in self._scan.skips]
        found = self._disk.look_up(paths)
        return [one for one in reversed(paths) if found[one].kind is EntryKind.DIRECTORY]

    def _take_files(
        self,
        path: str,
        names: Sequence[str],
        depth: int,
        folder: SearchedFolder,
        *,
        is_hidden: bool,
    ) -> bool:
        """Whether one of the names is that of a skill's file."""
        wanted = self._rules.file_name
        right = [name for name in names if name.lower() == wanted.lower()]
        for name in right:
            file = join(path, name)
            entry = self._disk.look_up([file])[file]
            why = self._why_not(name, entry, depth, folder, is_hidden=is_hidden)
            slug, reason = why or (None, None)
            real = entry.real_path or file
            self.files.append(FoundFile(file, real, folder.path, folder.scope, slug, reason))
        return bool(right)

    def _why_not(
        self, name: str, entry: Entry, depth: int, folder: SearchedFolder, *, is_hidden: bool
    ) -> tuple[str, str] | None:
        """Why a file is passed over, as slug and words."""
        if name != self._rules.file_name:
            return "wrong-case-name", f"the name is {self._rules.file_name}, letter for letter"
        if not folder.is_read:
            return "skills-not-read-here", "it is read only by an agent that starts in its folder"
        if entry.kind is not EntryKind.FILE:
            return "skill-file-skipped", f"it is {_kind_words(entry)}"
        if depth == 0 and not self._scan.takes_top:
            return "skill-place-skipped", "it lies in the folder of the skills itself"
        if depth > 1 and not self._scan.any_depth:
            return "skill-place-skipped", "it lies a folder too deep"
        if is_hidden and not self._scan.takes_hidden:
            return "skill-place-skipped", "it lies in a folder whose name begins with a dot"
        return None


def _is_hidden(path: str) -> bool:
    return posixpath.basename(path).startswith(".")


def _kind_words(entry: Entry) -> str:
    match entry.kind:
        case EntryKind.DIRECTORY:
            return "a folder"
        case EntryKind.DANGLING_LINK:
            return "a link that leads nowhere"
        case EntryKind.ERROR:
            return f"not to be looked at ({entry.problem})"
        case _:
            return "no regular file"


def find_beside(folders: Iterator[SearchedFolder], ending: str, disk: Disk) -> Found:
    """Every file with an ending, at any depth of the folders.

    Args:
        folders: in the order of the search.
        ending: of the names.
        disk: asked about names and kinds.
    """
    files: list[FoundFile] = []
    bounds: list[tuple[str, str]] = []
    roots: set[str] = set()
    for folder in folders:
        if not folder.is_read:
            continue
        waiting, before = [folder.path], len(files)
        while waiting:
            path = waiting.pop()
            entry = disk.look_up([path])[path]
            real = entry.real_path or path
            if entry.kind is not EntryKind.DIRECTORY or real in roots:
                continue
            roots.add(real)
            names = disk.names_in(path)
            if names is None or len(roots) > MAX_FOLDERS or len(files) > MAX_FILES:
                bounds.append((path, "not searched to its end"))
                continue
            found = disk.look_up([join(path, name) for name in names])
            for inner, there in found.items():
                if there.kind is EntryKind.DIRECTORY:
                    waiting.append(inner)
                elif inner.endswith(ending) and there.kind is EntryKind.FILE:
                    target = there.real_path or inner
                    files.append(FoundFile(inner, target, folder.path, folder.scope))
        files[before:] = sorted(files[before:], key=lambda file: file.path.split("/"))
    return Found(tuple(files), tuple(bounds))


def folder_name(file: FoundFile) -> str:
    """What a skill is called by the folder that it lies in."""
    return posixpath.basename(parent(file.path))


def name_by_path(file: FoundFile, ending: str, joint: str) -> str:
    """What a command or subagent is called by its path below the searched folder."""
    below = file.path[len(file.root) + 1 :].removesuffix(ending)
    return below.replace("/", joint)

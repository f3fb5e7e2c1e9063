"""Where an agent looks for skills, commands and subagents, and what lies there. Pure."""

from __future__ import annotations

import posixpath
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from assembler.agents.disk import Disk, Start
from assembler.agents.places import folders_down, folders_up, is_below, join, parent, resolve
from assembler.agents.skill_rules import ScanRules, SkillPlace, SkillRules, SkillScope
from assembler.model.tree import Entry, EntryKind

MAX_FOLDERS: Final = 20_000
MAX_FILES: Final = 20_000
MAX_DEPTH: Final = 64
MAX_WAYS: Final = 4
"""To one folder, by links, that are looked at; another one leads to the same files again."""


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
        if place.base == "cwd" and top != "/":
            above += [
                SearchedFolder(join(base, folder), place.scope, is_read=False)
                for base in folders_down(top, start.cwd)[:-1]
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


class _Waiting(NamedTuple):
    """A folder that is still to be looked at."""

    path: str
    depth: int
    is_hidden: bool
    above: tuple[str, ...]
    """The folders that led here, links resolved."""


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
        """The nearest folders first, so that a bound takes the deepest away."""
        waiting = deque([_Waiting(folder.path, 0, is_hidden=False, above=())])
        ways: dict[str, int] = {}
        is_deep = False
        while waiting:
            here = waiting.popleft()
            real = self._disk.look_up([here.path])[here.path].real_path or here.path
            ways[real] = ways.get(real, 0) + 1
            if real in here.above or ways[real] > MAX_WAYS:
                continue
            self._folders += 1
            if self._folders > MAX_FOLDERS or len(self.files) > MAX_FILES:
                self.bounds.append((folder.path, "more folders or files than are looked at here"))
                return
            if here.depth > MAX_DEPTH:
                is_deep = True
                continue
            names = self._disk.names_in(here.path)
            if names is None:
                self.bounds.append((here.path, "can't be listed, or holds too many names"))
                continue
            has_file = self._take_files(here, names, folder)
            if self._goes_on(here, has_file=has_file):
                waiting += self._inner(here, names, (*here.above, real))
        if is_deep:
            self.bounds.append((folder.path, f"folders more than {MAX_DEPTH} deep"))

    def _goes_on(self, here: _Waiting, *, has_file: bool) -> bool:
        """Whether to look one level deeper: once more than the agent, to tell of what it misses."""
        if here.is_hidden and not self._scan.takes_hidden:
            return False
        return self._scan.any_depth or here.depth == 0 or (here.depth == 1 and not has_file)

    def _inner(
        self, here: _Waiting, names: Sequence[str], above: tuple[str, ...]
    ) -> Iterator[_Waiting]:
        paths = [join(here.path, name) for name in names if name not in self._scan.skips]
        for path, entry in self._disk.look_up(paths).items():
            if entry.kind is EntryKind.DIRECTORY:
                is_hidden = here.is_hidden or posixpath.basename(path).startswith(".")
                yield _Waiting(path, here.depth + 1, is_hidden=is_hidden, above=above)

    def _take_files(self, here: _Waiting, names: Sequence[str], folder: SearchedFolder) -> bool:
        """Whether one of the names is that of a skill's file."""
        wanted = self._rules.file_name
        right = [name for name in names if name.lower() == wanted.lower()]
        for name in right:
            file = join(here.path, name)
            entry = self._disk.look_up([file])[file]
            slug, reason = self._why_not(name, entry, here, folder) or (None, None)
            real = entry.real_path or file
            self.files.append(FoundFile(file, real, folder.path, folder.scope, slug, reason))
        return bool(right)

    def _why_not(
        self, name: str, entry: Entry, here: _Waiting, folder: SearchedFolder
    ) -> tuple[str, str] | None:
        """Why a file is passed over, as slug and words."""
        if name != self._rules.file_name:
            return "wrong-case-name", f"the name is {self._rules.file_name}, letter for letter"
        if not folder.is_read:
            return "skills-not-read-here", "it is read only by an agent that starts in its folder"
        if entry.kind is not EntryKind.FILE:
            return "skill-file-skipped", f"it is {_kind_words(entry)}"
        if here.depth == 0 and not self._scan.takes_top:
            return "skill-place-skipped", "it lies in the folder of the skills itself"
        if here.depth > 1 and not self._scan.any_depth:
            return "skill-place-skipped", "it lies a folder too deep"
        if here.is_hidden and not self._scan.takes_hidden:
            return "skill-place-skipped", "it lies in a folder whose name begins with a dot"
        return None


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
            if len(roots) > MAX_FOLDERS or len(files) > MAX_FILES:
                bounds.append((folder.path, "more folders or files than are looked at here"))
                break
            names = disk.names_in(path)
            if names is None:
                bounds.append((path, "can't be listed, or holds too many names"))
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

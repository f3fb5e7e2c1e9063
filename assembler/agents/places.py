"""Where the places of a description are on this machine, and how the agent calls them. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from assembler.agents.disk import Disk, Start
from assembler.agents.rules import AgentRules, Place, Stop
from assembler.model.tree import EntryKind


def find_place(place: Place, start: Start, top: str) -> str | None:
    """The absolute path of a place; None where its base is not known.

    Args:
        place: of a description.
        start: of the agent.
        top: of its walk.
    """
    if place.unless is not None and start.environment.get(place.unless):
        return None
    if place.variable is not None and (named := start.environment.get(place.variable)):
        rest = place.path.partition("/")[2]
        return join(resolve(named, start.cwd), rest)
    base = {
        "home": start.home,
        "system": start.system_folder,
        "cwd": start.cwd,
        "root": top,
        "repository": start.repository,
        "none": None,
    }[place.base]
    return None if base is None else posixpath.normpath(join(base, place.path))


def join(folder: str, path: str) -> str:
    """A path below a folder; the folder itself for an empty one."""
    return posixpath.join(folder, path) if path else folder


def resolve(path: str, base: str) -> str:
    """An absolute path without `.` and `..`, by its words alone."""
    return posixpath.normpath(posixpath.join(base, path))


def parent(path: str) -> str:
    """The folder of an absolute path."""
    return posixpath.dirname(path)


def shown_path(path: str, start: Start, rules: AgentRules) -> str:
    """A path as the agent calls it: its system folder has the usual name, wherever it is read."""
    prefix = f"{start.system_folder}/"
    return f"{rules.system_folder}/{path[len(prefix) :]}" if path.startswith(prefix) else path


def is_below(path: str, folder: str) -> bool:
    """Whether an absolute path is a folder or lies in it."""
    return path == folder or path.startswith("/" if folder == "/" else f"{folder}/")


def folders_down(top: str, end: str) -> tuple[str, ...]:
    """The folders from one down to another, both included."""
    found = [end]
    while found[-1] != top and found[-1] != "/":
        found.append(parent(found[-1]))
    return tuple(reversed(found))


def find_top(stop: Stop, start: Start, markers: tuple[str, ...], disk: Disk) -> str:
    """Where a walk begins.

    Args:
        stop: of the walk.
        start: of the agent.
        markers: names that mark a top.
        disk: asked about markers alone.
    """
    if stop == "file-system":
        return "/"
    names = (".git",) if stop == "git-or-file-system" else markers
    marked = _nearest_marked(start.cwd, names, disk)
    if marked is not None:
        return marked
    return "/" if stop == "git-or-file-system" else start.cwd


def _nearest_marked(cwd: str, names: tuple[str, ...], disk: Disk) -> str | None:
    places = [(folder, join(folder, name)) for folder in folders_up(cwd) for name in names if name]
    found = disk.look_up([path for _, path in places])
    there = (EntryKind.FILE, EntryKind.DIRECTORY, EntryKind.OTHER)
    return next((folder for folder, path in places if found[path].kind in there), None)


def folders_up(cwd: str) -> Iterator[str]:
    """The folder and all above it, nearest first."""
    yield cwd
    while cwd != "/":
        cwd = parent(cwd)
        yield cwd

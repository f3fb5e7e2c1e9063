"""What lies around a repository on this machine: looked at by name, nothing opened."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from assembler.adapters.filesystem import look_up
from assembler.adapters.repository import MARKER, RepositoryPlaces, find_repository
from assembler.errors import UsageError
from assembler.front.places import Workplace, home_folder
from assembler.model.chain import Surroundings, WalkRules, folders_down_to, join_path
from assembler.model.tree import Entry, EntryKind


def look_around(
    workplace: Workplace, at: str, environment: Mapping[str, str], rules: WalkRules
) -> Surroundings:
    """The facts that a worktree has and a commit has not.

    Args:
        workplace: the repository.
        at: the place in time of the tree.
        environment: for HOME.
        rules: of the walk, for the names.
    """
    if at != "worktree":
        return Surroundings()
    root = workplace.root
    home = home_folder(environment)
    return Surroundings(
        hollow=_relative(workplace.places, root),
        root_is_home=workplace.is_repository
        and home is not None
        and os.path.realpath(home) == str(root),
        outer=_outer_files(workplace, rules) if workplace.is_repository else (),
        has_root=workplace.is_repository,
    )


def look_around_each(
    workplace: Workplace,
    at: str,
    environment: Mapping[str, str],
    rules: WalkRules,
    folders: Iterable[str],
) -> dict[str, Surroundings]:
    """The same for walks that end in several folders of one repository."""
    common = look_around(workplace, at, environment, rules)
    if at != "worktree":
        return dict.fromkeys(folders, common)
    root = str(workplace.root).rstrip("/")
    marked: dict[str, bool] = {"": False}
    found: dict[str, Surroundings] = {}
    for folder in folders:
        for way in folders_down_to(folder):
            if way not in marked:
                marked[way] = os.path.lexists(f"{root}/{way}/{MARKER}")
        places = None
        if any(marked[way] for way in folders_down_to(folder)):
            places = find_repository(workplace.root / folder)
        hollow = () if places is None else _relative(places, workplace.root)
        found[folder] = common._replace(hollow=hollow)
    return found


def _relative(places: RepositoryPlaces, root: Path) -> tuple[str, ...]:
    return tuple(sorted(path.relative_to(root).as_posix() for path in places.hollow))


def _outer_files(workplace: Workplace, rules: WalkRules) -> tuple[Entry, ...]:
    """The instruction files from the root of the repository around this one down to it."""
    root = workplace.root
    if root.parent == root:
        return ()
    try:
        outer = find_repository(root.parent)
    except UsageError:
        return ()
    if outer is None or outer.common_dir is None or not root.is_relative_to(outer.root):
        return ()
    inner = root.parent.relative_to(outer.root).as_posix()
    folders = folders_down_to("" if inner == "." else inner)
    paths = [join_path(folder, name) for folder in folders for name in rules.names]
    found = look_up(outer.root, paths)
    return tuple(
        entry._replace(path=os.path.relpath(outer.root / path, root), real_path=None)
        for path, entry in found.items()
        if entry.kind is EntryKind.FILE
    )

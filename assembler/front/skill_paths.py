"""The paths that `skills check` is asked about: which skill each of them speaks of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from assembler.errors import UsageError
from assembler.front.chains import is_own_root
from assembler.front.places import Workplace
from assembler.front.skill_search import AskedPath, is_root_name
from assembler.front.targets import path_missing
from assembler.model.chain import folders_down_to, join_path, parent_folder
from assembler.model.skill_places import SKILL_FILE
from assembler.model.tree import Entry, EntryKind
from assembler.ports import SourceTree

_NOT_FOLLOWED: Final = frozenset({EntryKind.OUTSIDE_LINK, EntryKind.DANGLING_LINK, EntryKind.ERROR})
_SPELLINGS: Final = (SKILL_FILE, SKILL_FILE.lower(), SKILL_FILE.capitalize())
"""The file's name, and those that are taken for it."""


def look_at_paths(
    workplace: Workplace, tree: SourceTree, paths: Sequence[str], cwd: Path, roots: Sequence[str]
) -> list[AskedPath]:
    """The named paths, root-relative, each skill once.

    Args:
        workplace: the repository.
        tree: where the paths have to be.
        paths: as they were given. A file inside a skill's folder stands for its SKILL.md.
        cwd: absolute; relative paths are read from it.
        roots: the names of folders of skills.

    Raises:
        UsageError: `path-missing`, `path-outside`; `skill-missing` for a file that is in no skill.
    """
    relative = {workplace.relative(path, base=cwd): path for path in paths}
    entries = tree.look_up(list(relative)) if relative else {}
    for path, as_given in relative.items():
        if entries[path].kind is EntryKind.MISSING:
            raise path_missing(as_given, path, tree)
    files = [path for path in relative if _may_be_inside(path, entries[path], roots)]
    owners = _find_owners(tree, files, roots)
    asked: dict[str, AskedPath] = {}
    for path, as_given in relative.items():
        kind = entries[path].kind
        is_folder = kind is EntryKind.DIRECTORY and path.rpartition("/")[2] != SKILL_FILE
        folder = path if is_folder else parent_folder(path)
        if tree.at == "worktree" and folder and is_own_root(workplace, folder):
            raise UsageError(
                "path-outside",
                f"{as_given} lies in a repository of its own",
                where=as_given,
                next_step="start there with -C",
            )
        named = owners.get(path, path)
        if named != path:
            item = AskedPath(named, parent_folder(named), as_given)
        elif kind in _NOT_FOLLOWED:
            item = AskedPath(path, path, as_given)
        elif is_folder or _is_skill_file(path):
            item = AskedPath(path, folder, as_given)
        else:
            raise no_skill(as_given, "no file of one: name a skill, or leave this file out")
        asked.setdefault(item.path, item)
    return list(asked.values())


def is_in_a_skill(tree: SourceTree, folder: str, roots: Sequence[str]) -> bool:
    """Whether a folder belongs to a skill further up."""
    return bool(_find_owners(tree, [join_path(folder, SKILL_FILE)], roots))


def no_skill(as_given: str, next_step: str = "name it, or a folder above it") -> UsageError:
    """The error for a path that no skill is at."""
    return UsageError(
        "skill-missing",
        f"no skill at {as_given}",
        where=as_given,
        next_step=f"a skill is a folder with a {SKILL_FILE}; {next_step}",
    )


def _may_be_inside(path: str, entry: Entry, roots: Sequence[str]) -> bool:
    """Whether the path may be a file of a skill, and not the skill."""
    if entry.kind is EntryKind.DIRECTORY or _is_skill_file(path):
        return False
    is_link_out = entry.kind in _NOT_FOLLOWED
    return not (is_link_out and is_root_name(parent_folder(path), roots))


def _is_skill_file(path: str) -> bool:
    return path.rpartition("/")[2].lower() == SKILL_FILE.lower()


def _find_owners(tree: SourceTree, files: Sequence[str], roots: Sequence[str]) -> dict[str, str]:
    """The SKILL.md of the skill that each file is part of; a file of none is not in it."""
    levels = {path: folders_down_to(parent_folder(path)) for path in files}
    folders = sorted({folder for above in levels.values() for folder in above})
    names = [join_path(folder, name) for folder in folders for name in _SPELLINGS]
    entries = tree.look_up(names) if names else {}
    found: dict[str, str] = {}
    for path, above in levels.items():
        skill = _pick_owner(above, entries, roots)
        if skill is not None:
            found[path] = skill
    return found


def _pick_owner(
    above: Sequence[str], entries: Mapping[str, Entry], roots: Sequence[str]
) -> str | None:
    """The outermost skill of the innermost folder of skills, where what is nested is no skill.

    Elsewhere the nearest.
    """
    skills = {
        folder: names[0]
        for folder in above
        if (
            names := [
                path
                for name in _SPELLINGS
                if entries[path := join_path(folder, name)].kind is not EntryKind.MISSING
            ]
        )
    }
    starts = [index for index, folder in enumerate(above) if is_root_name(folder, roots)]
    below = above[starts[-1] + 1 :] if starts else []
    outermost = next((folder for folder in below if folder in skills), None)
    nearest = next((folder for folder in reversed(above) if folder in skills), None)
    folder = outermost if outermost is not None else nearest
    return None if folder is None else skills[folder]

"""Where `skills check` looks: folders of skills at every level, and what lies at asked paths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assembler.discover.skill_rules import reject_skill
from assembler.discover.skill_search import SKIPPED_FOLDER, find_skills
from assembler.model.chain import folders_down_to, join_path, parent_folder
from assembler.model.paths import is_at_or_below
from assembler.model.skill import Skill, SkillFolder, SkillSearch
from assembler.model.skill_places import SKILL_FILE
from assembler.model.tree import EntryKind, NamedPaths
from assembler.ports import SourceTree


class AskedPath(NamedTuple):
    """A path of the command line."""

    path: str
    """Root-relative."""
    folder: str
    """The folder to look in: the path, or the one of a file."""
    as_given: str


class SeenSkills(NamedTuple):
    """Skills as they were built, none of them hidden yet, and the search that met them."""

    skills: Sequence[Skill]
    search: SkillSearch


def is_root_name(folder: str, roots: Sequence[str]) -> bool:
    """Whether a folder is, by its name, one of skills at some level."""
    return any(folder == root or folder.endswith(f"/{root}") for root in roots)


def search_roots(tree: SourceTree, roots: Sequence[str], named: NamedPaths) -> SkillSearch:
    """Look below every folder of skills of the tree.

    Args:
        tree: where to look.
        roots: the names of such folders, as `.agents/skills`.
        named: where SKILL.md and the first part of each root stand in the tree.
    """
    places = _places(tree, roots, named)
    search = find_skills(tree, places)
    return _with_folders(tree, search, named, [root for _, root in places])


def search_asked(
    tree: SourceTree, roots: Sequence[str], named: NamedPaths, asked: Sequence[AskedPath]
) -> SkillSearch:
    """Look at asked paths: each a SKILL.md, a skill's folder, or a folder above some.

    Args:
        tree: where to look.
        roots: as for `search_roots`; those at or below an asked folder are looked in too.
        named: the same.
        asked: what is there, as it was looked up.
    """
    every_name = named.paths | named.alike
    own = [(item.folder, item.folder) for item in asked]
    ways = [item.path for item in asked]
    below = [place for place in _places(tree, roots, named) if _is_below_any(place[1], ways)]
    loose = frozenset(folder for _, folder in own if not is_root_name(folder, roots))
    search = find_skills(tree, [*below, *own], loose=loose)
    if search.findings and not named.truncated:
        # Too much for a listing of everything: the names say where the skills are.
        by_name = _own_places(_skill_files(every_name, ways), asked)
        search = find_skills(tree, [*below, *by_name], loose=loose)
    else:
        known = {folder.entry.path for folder in search.folders}
        known |= {skill.path for skill in search.turned_away}
        more = _own_places(_skill_files(every_name, ways) - known, asked)
        search = find_skills(tree, [*below, *own, *more], loose=loose) if more else search
    files = [item.path for item in asked if item.path != item.folder]
    search = _with_folders(tree, search, named, ways, asked=[item.folder for item in asked])
    return _without_nested(_only_files(search, asked) if files else search, asked, below)


def find_elsewhere(
    tree: SourceTree, named: NamedPaths, search: SkillSearch, roots: Sequence[str]
) -> tuple[str, ...]:
    """Each SKILL.md of the tree that lies below no folder of skills and was not met, sorted.

    Args:
        tree: where to look.
        named: where SKILL.md and the first part of each root stand in the tree.
        search: of all folders of skills; those behind a link count by where it leads.
        roots: the names of such folders.
    """
    real_paths = {folder.entry.real_path or folder.entry.path for folder in search.folders}
    # A skill that is the root itself says nothing of the folders below it.
    folders = {parent_folder(path) for path in real_paths} - {""}
    places = sorted({root for _, root in _places(tree, roots, named)} | folders | real_paths)
    maybe = sorted(
        path
        for path in _skill_files(named.paths, [""])
        if path.endswith(SKILL_FILE) and not _is_below_any(path, places)
    )
    entries = tree.look_up(maybe) if maybe else {}
    return tuple(path for path in maybe if entries[path].kind is EntryKind.FILE)


def _places(tree: SourceTree, roots: Sequence[str], named: NamedPaths) -> list[tuple[str, str]]:
    """Scope and path of each folder of skills that is there, nearest first."""
    found: dict[str, str] = {}
    for root in roots:
        first = root.partition("/")[0]
        levels = {parent_folder(path) for path in named.paths if path.rpartition("/")[2] == first}
        for level in sorted(levels | {""}, key=lambda level: (-level.count("/"), level)):
            found.setdefault(join_path(level, root), level)
    entries = tree.look_up(list(found))
    missing = {EntryKind.MISSING, EntryKind.FILE}
    there = [(level, path) for path, level in found.items() if entries[path].kind not in missing]
    return sorted(there, key=lambda place: (-_depth(place[0]), place[1]))


def _own_places(files: Iterable[str], asked: Sequence[AskedPath]) -> list[tuple[str, str]]:
    """The folder of each SKILL.md as a place of its own, of the level of what was asked."""
    folders = sorted({parent_folder(path) for path in files})
    return [
        (next(item.folder for item in asked if is_at_or_below(folder, item.folder)), folder)
        for folder in folders
    ]


def _depth(folder: str) -> int:
    return folder.count("/") + bool(folder)


def _skill_files(paths: Iterable[str], ways: Sequence[str]) -> set[str]:
    """The SKILL.md, in any case, at or below some paths; what is installed left out."""
    # A path is below few of the ways: those are asked for by the folders above it.
    asked = frozenset(ways)
    return {
        path
        for path in paths
        if path.rpartition("/")[2].lower() == SKILL_FILE.lower()
        and any(
            way in asked and SKIPPED_FOLDER not in path[len(way) :].split("/")
            for way in folders_down_to(path)
        )
    }


def _with_folders(
    tree: SourceTree,
    search: SkillSearch,
    named: NamedPaths,
    ways: Sequence[str],
    *,
    asked: Sequence[str] = (),
) -> SkillSearch:
    """The search, with folders that are called SKILL.md: a listing of files has none."""
    maybe = _skill_files(named.paths, ways) | {join_path(folder, SKILL_FILE) for folder in asked}
    known = {folder.entry.path for folder in search.folders}
    asked_for = sorted(maybe - known - {skill.path for skill in search.turned_away})
    entries = tree.look_up(asked_for) if asked_for else {}
    more = []
    for path in asked_for:
        if entries[path].kind is EntryKind.DIRECTORY:
            folder = parent_folder(path)
            skill = Skill("rejected", path, folder, folder, folder)
            more.append(reject_skill(skill, "skill-unreadable", entries[path]))
    return search._replace(turned_away=(*search.turned_away, *more)) if more else search


def _only_files(search: SkillSearch, asked: Sequence[AskedPath]) -> SkillSearch:
    """Of a folder whose SKILL.md was named, that one alone."""
    whole = [item.path for item in asked if item.path == item.folder]
    files = {item.path for item in asked if item.path != item.folder}

    def is_asked(path: str) -> bool:
        return path in files or _is_below_any(path, whole)

    return search._replace(
        folders=tuple(folder for folder in search.folders if is_asked(folder.entry.path)),
        turned_away=tuple(skill for skill in search.turned_away if is_asked(skill.path)),
    )


def _without_nested(
    search: SkillSearch, asked: Sequence[AskedPath], places: Sequence[tuple[str, str]]
) -> SkillSearch:
    """The search, with skills inside the folder of an asked one told as its files.

    A folder of skills below it starts anew, and so does what was asked for by name.
    """
    roots = {root for _, root in places}
    starts = {item.folder for item in asked}
    owners = {folder.path for folder in search.folders} - roots
    folders: list[SkillFolder] = []
    nested: list[Skill] = []
    for folder in search.folders:
        if folder.path in starts or folder.root in roots or not _owner(folder.path, owners):
            folders.append(folder)
            continue
        skill = Skill("rejected", folder.entry.path, folder.path, folder.scope, folder.root)
        nested.append(reject_skill(skill, "skill-nested", folder.entry))
    return search._replace(folders=tuple(folders), turned_away=(*search.turned_away, *nested))


def _owner(folder: str, owners: set[str]) -> bool:
    """Whether a skill's folder lies above it."""
    return any(outer in owners for outer in folders_down_to(folder)[:-1])


def _is_below_any(path: str, folders: Sequence[str]) -> bool:
    return any(is_at_or_below(path, folder) for folder in folders)

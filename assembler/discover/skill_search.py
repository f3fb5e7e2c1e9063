"""Search for skills: what lies below the places that are looked in, links followed once.

In: a source tree and places. Out: folders with a SKILL.md, and whatever only looks like a skill.
Metadata first: the tree is asked for listings and for where links lead, and opens nothing.
Never here: a link followed out of the allowed places, a skill that vanishes without an answer.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from assembler.discover.skill_rules import reject_skill
from assembler.model.chain import folders_down_to, join_path, parent_folder
from assembler.model.finding import Finding, make_finding
from assembler.model.names import escape_bytes
from assembler.model.paths import is_at_or_below
from assembler.model.skill import Skill, SkillFolder, SkillSearch
from assembler.model.skill_places import SKILL_FILE
from assembler.model.tree import Entry, EntryKind, Listing

if TYPE_CHECKING:
    from assembler.ports import SourceTree

MAX_DEPTH: Final = 6
"""Folders below a skills folder, as in Codex."""
MAX_ENTRIES: Final = 20_000
"""Files in all skills folders together."""

SKIPPED_FOLDER: Final = "node_modules"
_THINGS: Final = (EntryKind.FILE, EntryKind.OTHER)
"""What belongs to a folder; of a FIFO or socket no digest can be told, and it is no file less."""
_BROKEN: Final = frozenset({EntryKind.OUTSIDE_LINK, EntryKind.DANGLING_LINK, EntryKind.ERROR})
_ROUNDS: Final = 8
"""Listings of what links lead to, each of those that the one before met."""
_LEADS_UP: Final = "leads up to a folder that this one lies in: never followed"


def find_skills(
    tree: SourceTree,
    places: Sequence[tuple[str, str]],
    *,
    loose: frozenset[str] = frozenset(),
) -> SkillSearch:
    """Look below each place for folders with a SKILL.md.

    A link to a folder is followed once, as long as it stays inside the root; a skill that two
    places share is found once, at the nearer one. Folders that begin with a dot and node_modules
    are passed over, but not links to one.

    Args:
        tree: where to look.
        places: scope and path, nearest first, as `skill_places` has them.
        loose: places that are no folders of skills: a link in one of them that is not followed is
            nobody's skill.
    """
    roots = [root for _, root in places]
    found = _Found(tree, roots)
    found.list_all()
    sorter = _Sorter(found.entries, found.resolved, found.upward)
    for scope, root in places:
        sorter.take(scope, root, is_loose=root in loose)
    sorter.take_unnamable(places, found.unnamable)
    return SkillSearch(
        tuple(sorter.folders),
        tuple(sorter.turned_away),
        (_bounded(),) if found.truncated else (),
        unnamable=tuple(sorted(found.unnamable)),
        missing=tuple(root for root in roots if found.resolved[root].kind is EntryKind.MISSING),
        truncated=found.truncated,
    )


class _Found:
    """All that lies below some folders, and behind the links in them."""

    def __init__(self, tree: SourceTree, roots: Sequence[str]) -> None:
        self.entries: dict[str, Entry] = {}
        self.resolved: dict[str, Entry] = {}
        self.upward: set[str] = set()
        """Links to a folder that holds one of those that were listed."""
        self.unnamable: set[bytes] = set()
        self.truncated = False
        self._tree = tree
        self._roots = roots
        self._listed: dict[str, str] = {}
        """Real path by the path that it is listed under."""
        self._real_listed: set[str] = set()

    def list_all(self) -> None:
        """List the roots, then in rounds what links lead to."""
        links = self._list(self._roots, also=self._roots)
        self._note(self._roots)
        for _ in range(_ROUNDS):
            linked = self._worth_listing(links)
            if not linked:
                return
            self._note(linked)
            links = self._list(linked)
        # A chain of folders of links: what lies behind the last of them is not known.
        self.truncated = self.truncated or bool(self._worth_listing(links))

    def _note(self, paths: Iterable[str]) -> None:
        for path in paths:
            real = self.resolved[path].real_path
            if real is not None:
                self._listed[path] = real
                self._real_listed.add(real)

    def _list(self, folders: Sequence[str], *, also: Sequence[str] = ()) -> list[str]:
        """Take in what lies below the folders; the links among it, which are looked up."""
        listing: Listing = self._tree.list_under(
            folders, max_depth=MAX_DEPTH, max_entries=MAX_ENTRIES
        )
        self.truncated = self.truncated or listing.truncated
        self.unnamable.update(listing.unnamable)
        new = [entry for entry in listing.entries if entry.path not in self.entries]
        self.entries.update((entry.path, entry) for entry in new)
        links = [entry.path for entry in new if entry.kind is EntryKind.LINK]
        if links or also:
            self.resolved.update(self._tree.look_up([*also, *links]))
        return links

    def _worth_listing(self, links: Iterable[str]) -> list[str]:
        """Links to folders that no listing has yet: none that leads up, or back in."""
        found: dict[str, str] = {}
        for path in links:
            entry = self.resolved[path]
            real = entry.real_path
            if entry.kind is not EntryKind.DIRECTORY or real is None:
                continue
            if is_at_or_below(self._real_folder_of(path), real):
                self.upward.add(path)
            elif not self._is_listed(real):
                found.setdefault(real, path)
        return sorted(found.values())

    def _real_folder_of(self, path: str) -> str:
        """Where the folder that holds a path really is."""
        above = parent_folder(path)
        for folder in reversed(folders_down_to(above)):
            if folder in self._listed:
                rest = above[len(folder) :].lstrip("/")
                real = self._listed[folder]
                return join_path(real, rest) if rest else real
        return above

    def _is_listed(self, real: str) -> bool:
        """Whether a folder was met when one above it was listed, and not passed over."""
        inside = join_path(real, SKILL_FILE)
        return any(
            folder in self._real_listed and _is_scanned(inside, folder)
            for folder in folders_down_to(real)
        )


class _Sorter:
    """Tells skill folders from what only looks like one."""

    def __init__(
        self,
        entries: Mapping[str, Entry],
        resolved: Mapping[str, Entry],
        upward: frozenset[str] | set[str],
    ) -> None:
        self._upward = upward
        self.folders: list[SkillFolder] = []
        self.turned_away: list[Skill] = []
        self._entries = entries
        self._resolved = resolved
        self._paths = sorted(entries)
        self._real_paths: dict[str, str] = {}
        self._seen: set[str] = set()

    def take(self, scope: str, root: str, *, is_loose: bool = False) -> None:
        """Sort what lies below one place."""
        # The place itself may be a link to nowhere, or not to be listed.
        asked = self._resolved[root]
        if asked.kind in _BROKEN:
            self._turn_away(scope, root, asked, "skill-unreadable")
        owners: set[str] = set()
        # Outer folders first, so that a skill inside another one is known as such.
        below = sorted(self._below(root), key=lambda path: (path.count("/"), path))
        paths = [path for path in below if _is_scanned(path, root)]
        for path in paths:
            if path not in self._seen:
                self._take_file(scope, root, path, owners)
        for path in () if is_loose else paths:
            if path not in self._seen and not _is_inside(path, root, owners):
                self._take_broken(scope, root, path)

    def take_unnamable(self, places: Sequence[tuple[str, str]], unnamable: Iterable[bytes]) -> None:
        """A SKILL.md on a path that no rule can speak of."""
        for raw in sorted(unnamable):
            path = escape_bytes(raw)
            place = next((item for item in places if path.startswith(f"{item[1]}/")), None)
            if place is None or not raw.endswith(f"/{SKILL_FILE}".encode()):
                continue
            entry = Entry(path, EntryKind.ERROR)
            skill = Skill("rejected", path, parent_folder(path), *place)
            self.turned_away.append(
                reject_skill(skill, "skill-unreadable", entry, "its path is not UTF-8")
            )

    def _take_file(self, scope: str, root: str, path: str, owners: set[str]) -> None:
        name = path.rpartition("/")[2]
        above, _, _ = path.partition(f"/{SKILL_FILE}/")
        if name == SKILL_FILE:
            self._seen.add(path)
            self._take_candidate(scope, root, path, owners)
        elif name.lower() == SKILL_FILE.lower():
            self._take_wrong_case(scope, root, path)
        elif above != path and not _is_inside(join_path(above, SKILL_FILE), root, owners):
            self._take_folder(scope, root, join_path(above, SKILL_FILE))

    def _take_folder(self, scope: str, root: str, path: str) -> None:
        """A folder that is called SKILL.md, told by what lies in it."""
        if path not in self._seen and path not in self._entries:
            self._seen.add(path)
            self._turn_away(scope, root, Entry(path, EntryKind.DIRECTORY), "skill-unreadable")

    def _take_candidate(self, scope: str, root: str, path: str, owners: set[str]) -> None:
        entry, folder = self._entry(path), parent_folder(path)
        if _is_inside(path, root, owners):
            self._turn_away(scope, root, entry, "skill-nested")
            return
        if entry.kind is not EntryKind.FILE:
            self._turn_away(scope, root, entry, "skill-unreadable")
            return
        if folder != root:
            owners.add(folder)
        first = self._real_paths.setdefault(entry.real_path or path, path)
        if first != path:
            same = Skill("shadowed", path, folder, scope, root, slug="same-file-twice", where=first)
            self.turned_away.append(same)
            return
        files, escaping = self._files(folder, path)
        self.folders.append(SkillFolder(folder, scope, root, entry, files, escaping))

    def _take_wrong_case(self, scope: str, root: str, path: str) -> None:
        if join_path(parent_folder(path), SKILL_FILE) not in self._entries:
            self._seen.add(path)
            self._turn_away(scope, root, self._entry(path), "wrong-case-name")

    def _take_broken(self, scope: str, root: str, path: str) -> None:
        """A link beside the skill folders that is not followed: nobody knows what it hides."""
        entry = self._entry(path)
        if entry.kind in _BROKEN:
            self._seen.add(path)
            self._turn_away(scope, root, entry, "skill-unreadable")
        elif path in self._upward:
            self._seen.add(path)
            skill = Skill("rejected", path, parent_folder(path), scope, root)
            rejected = reject_skill(skill, "skill-unreadable", entry, _LEADS_UP)
            self.turned_away.append(rejected)

    def _files(self, folder: str, skill_file: str) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
        """The files of a folder, apart from those that are links out of it."""
        home = self._real_folder(folder)
        files: list[Entry] = []
        escaping: list[Entry] = []
        for path in self._below(folder):
            entry = self._entry(path)
            is_inside = entry.real_path is not None and is_at_or_below(entry.real_path, home)
            is_closed = entry.kind is EntryKind.ERROR and entry.link_text is None
            if path == skill_file or is_closed or (entry.kind in _THINGS and is_inside):
                files.append(entry)
            elif entry.link_text is not None and not is_inside:
                escaping.append(entry)
        return tuple(files), tuple(escaping)

    def _real_folder(self, folder: str) -> str:
        """Where the folder really is: below the nearest asked or linked folder above it."""
        above = folder
        while above:
            entry = self._resolved.get(above)
            if entry is not None and entry.real_path is not None:
                return (entry.real_path + folder[len(above) :]).lstrip("/")
            above = parent_folder(above)
        return folder

    def _below(self, folder: str) -> list[str]:
        """The paths below the folder: neighbours in the order of text."""
        prefix = f"{folder}/" if folder else ""
        start = bisect_left(self._paths, prefix)
        return self._paths[start : bisect_left(self._paths, f"{prefix}\U0010ffff", lo=start)]

    def _entry(self, path: str) -> Entry:
        """What stands there, a link followed."""
        entry = self._entries[path]
        return self._resolved[path] if entry.kind is EntryKind.LINK else entry

    def _turn_away(self, scope: str, root: str, entry: Entry, slug: str) -> None:
        skill = Skill("rejected", entry.path, parent_folder(entry.path), scope, root)
        self.turned_away.append(reject_skill(skill, slug, entry))


def _bounded() -> Finding:
    return make_finding(
        "ASM216",
        None,
        f"skills folders are deeper than {MAX_DEPTH} levels or hold over {MAX_ENTRIES:,} files: "
        "what lies behind the bound is neither listed nor checked",
        fix="move what is no skill out of the folder",
        data={"max_depth": MAX_DEPTH, "max_entries": MAX_ENTRIES},
    )


def _is_scanned(path: str, root: str) -> bool:
    """Whether no folder between the two is hidden or node_modules."""
    between = path[len(root) :].lstrip("/").split("/")[:-1]
    return not any(part.startswith(".") or part == SKIPPED_FOLDER for part in between)


def _is_inside(path: str, root: str, owners: set[str]) -> bool:
    """Whether a path lies in the folder of a skill."""
    folders = folders_down_to(parent_folder(path), top=root)
    return any(outer in owners for outer in folders)

"""Find skills: which folders to look in, what stands there, and which skills are listed.

In: a source tree and the folder where the agent works; later the bytes of each SKILL.md and a
reader of front matter. Out: folders with their files, then one `Skill` for each.
Metadata first: the tree is asked for listings and for where links lead, and opens nothing.
Never here: a link followed out of the root, a skill that vanishes, a tool that is granted.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from assembler.discover.skill_rules import (
    check_skill,
    reject_skill,
    reject_unread,
    tell_too_large,
)
from assembler.errors import ConfigError
from assembler.model.chain import folders_down_to, join_path, parent_folder
from assembler.model.digest import sha256_hex
from assembler.model.finding import Finding, make_finding
from assembler.model.lines import whole_characters
from assembler.model.skill import (
    DEFAULT_SKILL_ROOTS,
    SKILL_FILE,
    FrontMatter,
    Skill,
    SkillFolder,
    SkillSearch,
    collapse,
    fold_name,
)
from assembler.model.tree import Beginning, Entry, EntryKind, Listing, Unreadable

if TYPE_CHECKING:
    from assembler.ports import SourceTree

MAX_DEPTH: Final = 6
"""Folders below a skills folder, as in Codex."""
MAX_ENTRIES: Final = 20_000
"""Files in all skills folders together."""

_SKIPPED_FOLDER: Final = "node_modules"
_THINGS: Final = (EntryKind.FILE, EntryKind.OTHER)
"""What belongs to a folder; of a FIFO or socket no digest can be told, and it is no file less."""
_STATES: Final = ("listed", "shadowed", "rejected")

FrontMatterReader = Callable[[bytes], FrontMatter]
"""Raises ConfigError with the kind of the error and LINE:COLUMN."""


def skill_roots(
    end: str, *, roots: Sequence[str] = DEFAULT_SKILL_ROOTS, top: str = ""
) -> tuple[tuple[str, str], ...]:
    """Scope and path of each place to look in, nearest first.

    Args:
        end: the folder where the agent works.
        roots: looked for in every folder from `top` down to `end`, in this order at each.
        top: where the walk starts.
    """
    levels = reversed(folders_down_to(end, top=top))
    return tuple(
        dict.fromkeys((level, join_path(level, name)) for level in levels for name in roots)
    )


def skill_places(
    cwd: str, *, roots: Sequence[str] = (), outside: Sequence[str] = ()
) -> tuple[tuple[str, str], ...]:
    """Every place of a run, nearest first: those of the repository, then those outside it.

    Args:
        cwd: the folder where the agent works.
        roots: folders beside `.agents/skills`, looked for at each level after it.
        outside: folders outside the repository, in the order in which they count.
    """
    names = tuple(dict.fromkeys((*DEFAULT_SKILL_ROOTS, *roots)))
    return (*skill_roots(cwd, roots=names), *((label, label) for label in outside))


def find_skills(tree: SourceTree, places: Sequence[tuple[str, str]]) -> SkillSearch:
    """Look below each place for folders with a SKILL.md.

    A link to a folder is followed once, as long as it stays inside the root; a skill that two
    places share is found once, at the nearer one. Folders that begin with a dot and node_modules
    are passed over.

    Args:
        tree: where to look.
        places: scope and path, nearest first, as `skill_roots` has them.
    """
    roots = [root for _, root in places]
    listing = tree.list_under(roots, max_depth=MAX_DEPTH, max_entries=MAX_ENTRIES)
    links = [entry.path for entry in listing.entries if entry.kind is EntryKind.LINK]
    resolved = dict(tree.look_up([*roots, *links]))
    linked = _linked_folders(resolved, links, roots)
    more = Listing(entries=())
    if linked:
        more = tree.list_under(linked, max_depth=MAX_DEPTH, max_entries=MAX_ENTRIES)
        inner = [entry.path for entry in more.entries if entry.kind is EntryKind.LINK]
        resolved |= tree.look_up(inner) if inner else {}
    entries = {entry.path: entry for entry in (*listing.entries, *more.entries)}
    sorter = _Sorter(entries, resolved)
    for scope, root in places:
        sorter.take(scope, root)
    truncated = listing.truncated or more.truncated
    return SkillSearch(
        tuple(sorter.folders),
        tuple(sorter.turned_away),
        (_bounded(),) if truncated else (),
        unnamable=(*listing.unnamable, *more.unnamable),
        missing=tuple(root for root in roots if resolved[root].kind is EntryKind.MISSING),
        truncated=truncated,
    )


def build_skills(
    search: SkillSearch,
    contents: Mapping[str, bytes | Beginning | Unreadable],
    read_front_matter: FrontMatterReader,
) -> tuple[Skill, ...]:
    """One `Skill` for each folder and each thing that was turned away.

    Args:
        search: what was found.
        contents: of each folder's `entry`, by path: its bytes, the first of them, or why there are
            none.
        read_front_matter: of `adapters/frontmatter`.

    Returns:
        The listed ones by name, then those behind a nearer one of their name, then the rejected.
    """
    built = [
        build_skill(folder, contents[folder.entry.path], read_front_matter)
        for folder in search.folders
    ]
    winners: dict[str, Skill] = {}
    skills = list(search.turned_away)
    for skill in built:
        if skill.state != "listed" or skill.name is None:
            skills.append(skill)
            continue
        winner = winners.setdefault(skill.name, skill)
        skills.append(skill if winner is skill else shadow_skill(skill, winner))
    return tuple(
        sorted(skills, key=lambda skill: (_STATES.index(skill.state), skill.name or "", skill.path))
    )


class _Sorter:
    """Tells skill folders from what only looks like one."""

    def __init__(self, entries: Mapping[str, Entry], resolved: Mapping[str, Entry]) -> None:
        self.folders: list[SkillFolder] = []
        self.turned_away: list[Skill] = []
        self._entries = entries
        self._resolved = resolved
        self._paths = sorted(entries)
        self._real_paths: dict[str, str] = {}
        self._seen: set[str] = set()

    def take(self, scope: str, root: str) -> None:
        """Sort what lies below one place."""
        # The place itself may be a link to nowhere, or not to be listed.
        asked = self._resolved[root]
        if asked.kind in {EntryKind.OUTSIDE_LINK, EntryKind.DANGLING_LINK, EntryKind.ERROR}:
            self._turn_away(scope, root, asked, "skill-unreadable")
        owners: set[str] = set()
        # Outer folders first, so that a skill inside another one is known as such.
        for path in sorted(self._below(root), key=lambda path: (path.count("/"), path)):
            if path in self._seen or not _is_scanned(path, root):
                continue
            name = path.rpartition("/")[2]
            if name == SKILL_FILE:
                self._seen.add(path)
                self._take_candidate(scope, root, path, owners)
            elif name.lower() == SKILL_FILE.lower():
                self._take_wrong_case(scope, root, path)
            elif parent_folder(path) == root:
                self._take_link(scope, root, path)

    def _take_candidate(self, scope: str, root: str, path: str, owners: set[str]) -> None:
        entry, folder = self._entry(path), parent_folder(path)
        if any(outer in owners for outer in folders_down_to(folder, top=root)):
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

    def _take_link(self, scope: str, root: str, path: str) -> None:
        """A link beside the skill folders that leads out: nobody knows what it hides."""
        entry = self._entry(path)
        if entry.kind in {EntryKind.OUTSIDE_LINK, EntryKind.DANGLING_LINK, EntryKind.ERROR}:
            self._seen.add(path)
            self._turn_away(scope, root, entry, "skill-unreadable")

    def _files(self, folder: str, skill_file: str) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
        """The files of a folder, apart from those that are links out of it."""
        home = self._real_folder(folder)
        files: list[Entry] = []
        escaping: list[Entry] = []
        for path in self._below(folder):
            entry = self._entry(path)
            is_inside = entry.real_path is not None and _is_below(entry.real_path, home)
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


def build_skill(
    folder: SkillFolder,
    content: bytes | Beginning | Unreadable,
    read_front_matter: FrontMatterReader,
    *,
    root_name: str | None = None,
) -> Skill:
    """One skill, listed or rejected; no bytes of a file make it fail.

    Args:
        folder: as it was found.
        content: the bytes of its `entry`, the first of a larger one, or why there are none.
        read_front_matter: of `adapters/frontmatter`.
        root_name: of the folder that the tree is of, for a skill that is the root itself.
    """
    skill = Skill(
        "listed",
        folder.entry.path,
        folder.path,
        folder.scope,
        folder.root,
        size_bytes=folder.entry.size_bytes,
        files=folder.files,
    )
    if isinstance(content, Unreadable):
        return reject_skill(skill, "skill-unreadable", folder.entry, content.reason)
    if isinstance(content, Beginning):
        skill = tell_too_large(skill._replace(size_bytes=content.size_bytes))
        content = whole_characters(content.data)
    else:
        skill = skill._replace(instructions_sha256=sha256_hex(content), size_bytes=len(content))
    try:
        front = read_front_matter(content)
    except ConfigError as error:
        return reject_unread(skill, error)
    name, description = front.members.get("name"), front.members.get("description")
    skill = skill._replace(
        name=fold_name(name) if isinstance(name, str) else None,
        description=collapse(description) if isinstance(description, str) else None,
        members=front.members,
        front_matter_sha256=sha256_hex(content[front.start : front.end]),
    )
    if skill.instructions_sha256 is None:
        content = content[: front.body]  # what is behind it never reaches an input
    folder_name = folder.path.rpartition("/")[2] or root_name
    return check_skill(skill, front, content, folder.escaping, folder_name=folder_name)


def shadow_skill(skill: Skill, winner: Skill) -> Skill:
    """A skill behind a nearer one of its name; equal bytes are no trouble worth a finding."""
    shadowed = skill._replace(state="shadowed", slug="skill-name-taken", where=winner.path)
    if skill.instructions_sha256 == winner.instructions_sha256:
        return shadowed
    finding = make_finding(
        "ASM207",
        skill.path,
        f"{skill.name} is the name of {winner.path} too, which is nearer and is used",
        fix="rename one of the two",
        data={"name": skill.name, "used": winner.path},
    )
    return shadowed._replace(findings=(*skill.findings, finding))


def _linked_folders(
    resolved: Mapping[str, Entry], links: Iterable[str], roots: Sequence[str]
) -> list[str]:
    """Links to folders that are worth a second listing: none that leads up or back in."""
    real_roots = [real for root in roots if (real := resolved[root].real_path) is not None]
    found: list[str] = []
    for path in links:
        real = resolved[path].real_path
        if resolved[path].kind is not EntryKind.DIRECTORY or real is None:
            continue
        if not any(_is_below(root, real) or _is_below(real, root) for root in real_roots):
            found.append(path)
    return found


def _bounded() -> Finding:
    return make_finding(
        "ASM216",
        None,
        f"skills folders are deeper than {MAX_DEPTH} levels or hold over {MAX_ENTRIES:,} files: "
        "what lies behind the bound is neither listed nor checked",
        fix="move what is no skill out of the folder",
        data={"max_depth": MAX_DEPTH, "max_entries": MAX_ENTRIES},
    )


def _is_below(path: str, folder: str) -> bool:
    return path == folder or not folder or path.startswith(f"{folder}/")


def _is_scanned(path: str, root: str) -> bool:
    """Whether no folder between the two is hidden or node_modules."""
    between = path[len(root) :].lstrip("/").split("/")[:-1]
    return not any(part.startswith(".") or part == _SKIPPED_FOLDER for part in between)

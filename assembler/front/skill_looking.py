"""Skills of a tree that is open, with everything that is wrong with them.

Nothing of configuration is loaded here: a gate that stands in front of every commit can't pay for
it where there is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from assembler.adapters.frontmatter import read_front_matter
from assembler.authorize.read_scope import ReadScope
from assembler.discover.skill_rules import about_tokens, reject_skill
from assembler.discover.skills import build_skill
from assembler.errors import UsageError
from assembler.front.skill_clashes import tell_clashes
from assembler.front.skill_paths import is_in_a_skill, no_skill
from assembler.front.skill_search import AskedPath, SeenSkills, search_asked, search_roots
from assembler.model.chain import join_path
from assembler.model.finding import Finding
from assembler.model.names import escape_bytes
from assembler.model.skill import MAX_SKILL_TOKENS, Skill, SkillSearch
from assembler.model.skill_pin import SkillPin
from assembler.model.skill_places import SKILL_FILE, all_roots, skill_names
from assembler.model.tree import Entry, EntryKind, NamedPaths
from assembler.offers.reader import FileReader
from assembler.offers.skill_search import read_heads
from assembler.offers.skill_tools import offer_tool_findings
from assembler.ports import SourceTree

COUNTER: Final = "o200k_base"


class SkillsFound(NamedTuple):
    """Skills of a repository, and everything that is wrong with them."""

    skills: tuple[Skill, ...]
    """By path: each SKILL.md, and what stands in the place of one."""
    findings: tuple[Finding, ...]
    seen: SeenSkills


def look_at_skills(
    ground: SkillGround,
    named: NamedPaths,
    asked: Sequence[AskedPath] = (),
    *,
    pins: Mapping[str, SkillPin],
    resident: Sequence[str],
    may_be_outside: bool,
    environment: Mapping[str, str],
) -> SkillsFound:
    """The skills of a tree that is open, with every finding.

    Args:
        ground: where to look.
        named: where the `skill_names`, and maybe others, stand.
        asked: the paths to look at; none: all.
        pins: of the lock, by name.
        resident: the resident tools of the profile.
        may_be_outside: whether a run looks for skills outside the repository too.
        environment: for the cache of counts.

    Raises:
        UsageError: `skill-missing`, or something could not be looked at.
    """
    seen = ground.see(named, asked)
    skills = tell_clashes(seen.skills, ground.roots)
    findings = (
        *seen.search.findings,
        *(item for skill in skills for item in skill.findings),
        *_too_long(skills, ground.reader, environment),
        *offer_tool_findings(skills, resident, ground.reader),
        *_about_pins(pins, seen, ground, named, may_be_outside=may_be_outside, is_all=not asked),
    )
    whole = tuple(skill for skill in skills if _is_skill_file(skill))
    return SkillsFound(whole, findings, seen)


def find_asking_skills(tree: SourceTree, scope: ReadScope, inside: Sequence[str]) -> list[Skill]:
    """Every skill of the repository's folders of skills that asks for tools.

    Args:
        tree: what is looked at.
        scope: the denies that hold there.
        inside: the profile's folders of skills in the repository.

    Raises:
        UsageError: something could not be looked at.
    """
    seen = see_all_skills(FileReader(tree, scope), all_roots(inside))
    return [skill for skill in seen.skills if skill.asks_for]


def see_all_skills(reader: FileReader, roots: tuple[str, ...]) -> SeenSkills:
    """Every skill below a folder of skills, at any level of the tree that the reader reads.

    Raises:
        UsageError: something could not be looked at.
    """
    ground = SkillGround(reader.tree, roots, reader, "")
    return ground.see_roots(reader.tree.list_named(skill_names(roots)))


class SkillGround(NamedTuple):
    """Where the check looks."""

    tree: SourceTree
    roots: tuple[str, ...]
    reader: FileReader
    root_name: str
    """Of the repository's folder, for a skill that is the root itself."""

    def see(self, named: NamedPaths, asked: Sequence[AskedPath]) -> SeenSkills:
        """The skills at the asked paths; all of the tree without one.

        Raises:
            UsageError: `skill-missing`, `path-not-utf8`, `size-limit`.
        """
        search = _search(self.tree, self.roots, named, asked)
        return self._read(search)

    def see_roots(self, named: NamedPaths) -> SeenSkills:
        """What lies in folders of skills, as far as it can be named."""
        return self._read(search_roots(self.tree, self.roots, named))

    def _read(self, search: SkillSearch) -> SeenSkills:
        return SeenSkills(_build(search, self.reader, self.root_name), search)


def _about_pins(
    pins: Mapping[str, SkillPin],
    seen: SeenSkills,
    ground: SkillGround,
    named: NamedPaths,
    *,
    may_be_outside: bool,
    is_all: bool,
) -> list[Finding]:
    if not pins:
        return []
    from assembler.front.skill_check_pins import find_broken_pins, find_broken_pins_of

    if not is_all:
        return find_broken_pins_of(
            seen, pins, lambda: ground.see_roots(named), ground.reader, ground.roots
        )
    return find_broken_pins(pins, seen, ground.reader, ground.roots, may_be_outside=may_be_outside)


def _too_long(
    skills: Sequence[Skill], reader: FileReader, environment: Mapping[str, str]
) -> list[Finding]:
    """Notes about tokens. No token is less than a byte: what is small is not counted at all."""
    large = [
        (skill, data)
        for skill in skills
        if len(data := reader.contents.get(skill.path, b"")) > MAX_SKILL_TOKENS
    ]
    if not large:
        return []
    from assembler.front.counting import counters

    with counters(environment) as open_counter:
        counts = open_counter(COUNTER).count_all([data for _, data in large])
    notes = (about_tokens(skill, count) for (skill, _), count in zip(large, counts, strict=True))
    return [note for note in notes if note is not None]


def _search(
    tree: SourceTree, roots: Sequence[str], named: NamedPaths, asked: Sequence[AskedPath]
) -> SkillSearch:
    """What the search meets.

    Raises:
        UsageError: `skill-missing`, `path-not-utf8`, `size-limit`.
    """
    if not asked:
        unnamable = [path for path in named.unnamable if path.endswith(SKILL_FILE.encode())]
        if unnamable:
            raise UsageError(
                "path-not-utf8",
                "a skill on a path that is not UTF-8, so that no rule can speak of it",
                where=escape_bytes(unnamable[0]),
                next_step="rename the folder",
            )
        if named.truncated:
            raise UsageError(
                "size-limit",
                "the folder holds more files than are listed without git",
                next_step="start deeper with -C, or inside a repository",
            )
        return search_roots(tree, roots, named)
    search = search_asked(tree, roots, named, asked)
    seen = [folder.entry.path for folder in search.folders]
    seen += [skill.path for skill in search.turned_away]
    missing: list[Skill] = []
    for item in asked:
        if any(path == item.path or path.startswith(_prefix(item.folder)) for path in seen):
            continue
        if item.path != item.folder or is_in_a_skill(tree, item.folder, roots):
            raise no_skill(item.as_given)
        missing.append(_without_file(item.folder))
    return search._replace(turned_away=(*search.turned_away, *missing)) if missing else search


def _without_file(folder: str) -> Skill:
    """A folder that was asked for as a skill and holds none: the file that makes one is missing."""
    path = join_path(folder, SKILL_FILE)
    skill = Skill("rejected", path, folder, folder, folder)
    entry = Entry(path, EntryKind.MISSING)
    words = f"there is no {SKILL_FILE} in this folder or below it"
    return reject_skill(skill, "skill-unreadable", entry, words)


def _prefix(folder: str) -> str:
    return f"{folder}/" if folder else ""


def _build(search: SkillSearch, reader: FileReader, root_name: str) -> list[Skill]:
    contents = read_heads(search, reader)
    built = [
        build_skill(
            folder,
            contents[folder.entry.path],
            read_front_matter,
            root_name=root_name,
        )
        for folder in search.folders
    ]
    # The same real file under a second name is the same skill.
    others = [skill for skill in search.turned_away if skill.slug != "same-file-twice"]
    return sorted((*built, *others), key=lambda skill: skill.path)


def _is_skill_file(skill: Skill) -> bool:
    """Whether it stands for a skill: not a link beside the folders, nor part of another skill."""
    return skill.slug != "skill-nested" and skill.path.lower().endswith(SKILL_FILE.lower())

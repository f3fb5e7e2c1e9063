"""Search for skills, read them, and set those aside that the host does not trust."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from assembler.discover.skill_search import find_skills
from assembler.discover.skills import (
    FrontMatterReader,
    HeadContent,
    build_skills,
    skill_places,
)
from assembler.model.finding import Finding, make_finding
from assembler.model.names import first_few
from assembler.model.skill import HEAD_BYTES, MAX_SKILL_BYTES, Skill, SkillSearch
from assembler.model.skill_pin import FolderDigest
from assembler.offers.reader import FileReader
from assembler.offers.skill_folders import digest_folders

if TYPE_CHECKING:
    from assembler.model.run import SkillTerms

DISTRUSTED: Final = "repository-untrusted"


class FoundSkills(NamedTuple):
    """Every skill that was found, judged, and what its folder holds."""

    skills: tuple[Skill, ...]
    scopes: tuple[str, ...]
    """The levels that were looked in, nearest first."""
    folders: Mapping[str, FolderDigest]
    """Of those that have files, by the path of SKILL.md."""
    findings: tuple[Finding, ...]
    missing: frozenset[str] = frozenset()
    """Places that were looked in and are not there."""

    @property
    def listed(self) -> dict[str, Skill]:
        """Those that are listed, by name."""
        listed = [skill for skill in self.skills if skill.state == "listed"]
        return {skill.name: skill for skill in listed if skill.name}


def search_skills(
    terms: SkillTerms,
    reader: FileReader,
    read_front_matter: FrontMatterReader,
    *,
    every_digest: bool = True,
) -> FoundSkills:
    """Look, read and judge.

    With `every_digest` each folder is read for its digest, else those that are pinned.

    Skills of a repository that the host does not trust are read for their names, and are never
    listed; they stand before no other of their name.
    """
    places = skill_places(terms.cwd, roots=terms.roots, outside=terms.outside)
    if terms.distrust is None:
        search = find_skills(reader.tree, places)
        contents = read_heads(search, reader)
        skills = build_skills(search, contents, read_front_matter)
        findings = [item for skill in skills for item in skill.findings]
    else:
        own, search = _search_apart(terms, places, reader)
        contents = read_heads(own, reader) | read_heads(search, reader)
        trusted = build_skills(search, contents, read_front_matter)
        distrusted = [
            _distrust(skill, terms.distrust)
            for skill in build_skills(own, contents, read_front_matter)
        ]
        skills = (*trusted, *distrusted)
        findings = [item for skill in trusted for item in skill.findings]
        findings += _tell_distrusted(distrusted, terms.distrust)
    return FoundSkills(
        skills=skills,
        scopes=tuple(dict.fromkeys(scope for scope, _ in places)),
        folders=digest_folders(
            [skill for skill in skills if skill.files],
            search,
            reader,
            wanted=lambda skill: every_digest or skill.name in terms.pins,
        ),
        findings=(*search.findings, *findings),
        missing=frozenset(search.missing),
    )


def _search_apart(
    terms: SkillTerms, places: Sequence[tuple[str, str]], reader: FileReader
) -> tuple[SkillSearch, SkillSearch]:
    """What is the repository's, also where a link of the host leads to it, and the rest.

    Two searches: in one, a link of the repository would be the nearer name of a skill outside.
    """
    inside = [place for place in places if place[0] not in terms.outside]
    own = find_skills(reader.tree, inside)
    others = find_skills(reader.tree, [place for place in places if place not in inside])
    lent = tuple(
        folder
        for folder in others.folders
        if not _is_below_any(folder.entry.real_path or "", terms.outside)
    )
    return (
        own._replace(folders=(*own.folders, *lent)),
        others._replace(
            folders=tuple(folder for folder in others.folders if folder not in lent),
            findings=(*own.findings, *others.findings),
            unnamable=(*own.unnamable, *others.unnamable),
            truncated=own.truncated or others.truncated,
            missing=(*own.missing, *others.missing),
        ),
    )


def _is_below_any(path: str, folders: Sequence[str]) -> bool:
    return any(path.startswith(f"{folder.rstrip('/')}/") for folder in folders)


def _distrust(skill: Skill, why: str) -> Skill:
    return skill._replace(
        state="rejected", slug=DISTRUSTED, where=f"{skill.path}: {why}", findings=()
    )


def _tell_distrusted(skills: Sequence[Skill], why: str) -> list[Finding]:
    """One finding for all of them."""
    if not skills:
        return []
    names = [skill.name or skill.path for skill in skills]
    message = (
        f"{len(names)} of the repository's skills are not used ({', '.join(first_few(names))})"
    )
    finding = make_finding(
        "ASM217",
        None,
        f"{message}: {why}",
        fix="name the folder under `repositories.trusted` of the host manifest, if you trust it",
        data={"skills": names, "why": why},
    )
    return [finding]


def read_heads(search: SkillSearch, reader: FileReader) -> dict[str, HeadContent]:
    """Each SKILL.md, asked for at once; of one that can't be read whole its beginning."""
    contents, denied = reader.read_beginnings(
        (folder.entry for folder in search.folders),
        "skills",
        limit_bytes=MAX_SKILL_BYTES,
        most_bytes=HEAD_BYTES,
    )
    return {**contents, **{item.path: item for item in denied}}

"""Skills: the catalog's lines, and the whole SKILL.md of each active one.

A skill adds nothing to any grant; what its front matter asks for is shown and never obeyed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from assembler.discover.skills import FrontMatterReader, build_skills, find_skills, skill_places
from assembler.model.candidate import Absent, Candidate, Inline
from assembler.model.digest import sha256_hex
from assembler.model.finding import Finding
from assembler.model.limits import bounded_name, bounded_place
from assembler.model.run import SkillTerms, TaskTerms
from assembler.model.skill import (
    Skill,
    SkillSearch,
    catalog_line,
    folder_sha256,
    named_skills,
)
from assembler.model.tree import Unreadable
from assembler.offers.reader import FileReader


class SkillOffer(NamedTuple):
    """The skills that were found, and their candidates."""

    skills: tuple[Skill, ...]
    candidates: tuple[Candidate, ...]
    required: tuple[str, ...]
    paths: Mapping[str, str]
    """Path in the repository of each candidate that comes from it, by id."""
    findings: tuple[Finding, ...]


def offer_skills(
    terms: SkillTerms,
    task: TaskTerms,
    reader: FileReader,
    read_front_matter: FrontMatterReader,
) -> SkillOffer:
    """Every skill that was found: listed, behind a nearer one, or rejected; and the active ones.

    Args:
        terms: where to look, and what task and profile activate.
        task: a `$NAME` in its words activates that skill.
        reader: reads SKILL.md and the files of its folder.
        read_front_matter: the parser.
    """
    places = skill_places(terms.cwd, roots=terms.roots, outside=terms.outside)
    search = find_skills(reader.tree, places)
    skills = build_skills(search, _read_all(search, reader), read_front_matter)
    listed = {skill.name: skill for skill in skills if skill.state == "listed" and skill.name}
    entries = [_entry(skill, reader) for skill in listed.values()]
    others = [_turned_away(skill) for skill in skills if skill.state != "listed"]
    active = _activations(terms, task, listed)
    instructions = [
        candidate
        for name, reason in active.items()
        if (candidate := _instructions(name, reason, skills, reader)) is not None
    ]
    candidates = (*entries, *others, *instructions)
    return SkillOffer(
        skills=skills,
        candidates=candidates,
        required=(
            *(candidate.id for candidate in entries),
            *(f"skill:{name}#instructions" for name in active),
        ),
        paths={
            f"skill:{name}{suffix}": skill.path
            for name, skill in listed.items()
            if skill.scope not in terms.outside
            for suffix in ("", "#instructions")
        },
        findings=(*search.findings, *(item for skill in skills for item in skill.findings)),
    )


def _read_all(search: SkillSearch, reader: FileReader) -> dict[str, bytes | Unreadable]:
    """Each SKILL.md, and the files beside it, asked for at once."""
    heads = [folder.entry for folder in search.folders]
    beside = [entry for folder in search.folders for entry in folder.files]
    contents, denied = reader.read_policy([*heads, *beside], "skills")
    closed = dict.fromkeys((item.path for item in denied), Unreadable("denied"))
    return {**contents, **closed}


def _activations(terms: SkillTerms, task: TaskTerms, listed: Mapping[str, Skill]) -> dict[str, str]:
    """Reason by name; twice activated is once rendered."""
    active: dict[str, str] = {}
    for name, reason in terms.active:
        active.setdefault(name, reason)
    words = " ".join(text for text in (task.objective, task.question) if text is not None)
    for name in named_skills(words, listed.keys()):
        active.setdefault(name, f"the task says ${name}")
    return active


def _entry(skill: Skill, reader: FileReader) -> Candidate:
    line = catalog_line(skill.name or "", skill.description or "")
    return Candidate(
        id=f"skill:{skill.name}",
        kind="skill-entry",
        section="tools",
        trust="authorized",
        content=Inline(line.encode("utf-8")),
        version=_digests(skill, reader),
        discovered_by=f"skills of {skill.root}",
    )


def _digests(skill: Skill, reader: FileReader) -> str:
    """Digests of the three levels; a folder with a file that can't be read has none."""
    parts = [
        f"front matter sha256:{skill.front_matter_sha256}",
        f"instructions sha256:{skill.instructions_sha256}",
    ]
    folder = {
        entry.path.removeprefix(f"{skill.folder}/"): sha256_hex(reader.contents[entry.path])
        for entry in skill.files
        if entry.path in reader.contents
    }
    if len(folder) == len(skill.files):
        parts.append(f"folder sha256:{folder_sha256(folder)}")
    return "; ".join(parts)


def _instructions(
    name: str, reason: str, skills: Sequence[Skill], reader: FileReader
) -> Candidate | None:
    """The whole SKILL.md of an active skill; None where nothing of that name was found."""
    of_that_name = [skill for skill in skills if skill.name == name]
    skill = next((item for item in of_that_name if item.state == "listed"), None)
    if skill is None and not of_that_name:
        return None
    found = of_that_name[0] if skill is None else skill
    return Candidate(
        id=f"skill:{name}#instructions",
        kind="skill",
        section="tools",
        trust="authorized" if skill is not None else "untrusted",
        content=_absent(found) if skill is None else Inline(reader.contents[found.path]),
        discovered_by=reason,
    )


def _turned_away(skill: Skill) -> Candidate:
    return Candidate(
        id=bounded_name(f"./{skill.path}", prefix="skill:"),
        kind="skill-entry",
        section="tools",
        trust="untrusted",
        content=_absent(skill),
        discovered_by=f"skills of {skill.root}",
    )


def _absent(skill: Skill) -> Absent:
    return Absent(
        "turned-away",
        code=skill.slug or "skill-unreadable",
        where=bounded_place(skill.where or skill.path),
    )

"""Skills: the catalog's lines, the SKILL.md of each active one, and the files it is asked for.

A skill adds nothing to any grant; what its front matter asks for is shown and never obeyed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from assembler.assess.skill_pins import check_pins
from assembler.discover.skills import FrontMatterReader
from assembler.model.candidate import Absent, Candidate, Inline
from assembler.model.finding import Finding
from assembler.model.limits import MAX_WORDS_BYTES, bounded_name, bounded_place
from assembler.model.run import SkillTerms, TaskTerms
from assembler.model.skill import MAX_SKILL_BYTES, Skill, named_skills
from assembler.model.skill_pin import FolderDigest, PinCheck
from assembler.offers.reader import FileReader
from assembler.offers.skill_catalog import CatalogOffer, PriceItem, offer_catalog
from assembler.offers.skill_folders import find_untold, spell_folder
from assembler.offers.skill_names import about_names, task_words
from assembler.offers.skill_pins import broken_content, offer_broken
from assembler.offers.skill_resources import ResourceOffer, offer_resources
from assembler.offers.skill_search import FoundSkills, search_skills
from assembler.offers.skill_tools import offer_tool_findings

BOUNDED: Final = "ASM216"


class SkillOffer(NamedTuple):
    """The skills that were found, and their candidates."""

    skills: tuple[Skill, ...]
    candidates: tuple[Candidate, ...]
    required: tuple[str, ...]
    paths: Mapping[str, str]
    """Path in the repository of each candidate that comes from it, by id."""
    findings: tuple[Finding, ...]
    pins: Mapping[str, PinCheck] = {}
    """What became of each skill's pin, by name."""
    folders: Mapping[str, FolderDigest] = {}
    """What the folders of the listed skills hold, by the path of SKILL.md."""


def offer_skills(
    terms: SkillTerms,
    task: TaskTerms,
    reader: FileReader,
    read_front_matter: FrontMatterReader,
    *,
    resident_tools: Collection[str] = (),
    price: PriceItem | None = None,
    every_digest: bool = True,
) -> SkillOffer:
    """Every skill that was found: listed, behind a nearer one, or rejected; and the active ones.

    Args:
        terms: where to look, what task and profile activate, and the pins.
        task: a `$NAME` in its words activates that skill.
        reader: reads SKILL.md and the files of its folder.
        read_front_matter: the parser.
        resident_tools: names of the resident tools there are.
        price: of a line as it will be rendered; needed where the catalog has a ceiling.
        every_digest: read every folder for its digest, and not the pinned ones alone.
    """
    found = search_skills(terms, reader, read_front_matter, every_digest=every_digest)
    listed = found.listed
    checks = check_pins(found.skills, found.folders, terms.pins)
    broken = {name for name, check in checks.items() if check.state == "broken"}
    broken_rows, broken_findings = offer_broken(checks, listed)
    sound = {name: skill for name, skill in listed.items() if name not in broken}
    active = _activations(terms, task, found.skills)
    instructions = [
        candidate
        for name, reason in active.items()
        if (candidate := _instructions(name, reason, found, checks.get(name), reader)) is not None
    ]
    catalog = _catalog(terms, found, list(sound.values()), active, price)
    active_skills = [sound[name] for name in active if name in sound]
    resources = offer_resources(terms.resources, active_skills, reader)
    others = [_turned_away(skill) for skill in found.skills if skill.state != "listed"]
    others += [_unsearched(finding) for finding in found.findings if finding.code == BOUNDED]
    return SkillOffer(
        skills=found.skills,
        candidates=(
            *catalog.lines,
            *catalog.lost,
            *broken_rows,
            *others,
            *instructions,
            *resources.candidates,
        ),
        required=_required(catalog, broken_rows, active, resources),
        paths=_paths(sound, resources, terms.outside),
        findings=(
            *found.findings,
            *find_untold(listed.values(), found.folders),
            *broken_findings,
            *catalog.findings,
            *offer_tool_findings(found.skills, resident_tools, reader),
            *about_names(terms, task, found, active, reader),
        ),
        pins=checks,
        folders=found.folders,
    )


def _required(
    catalog: CatalogOffer,
    broken: Sequence[Candidate],
    active: Mapping[str, str],
    resources: ResourceOffer,
) -> tuple[str, ...]:
    return (
        *(candidate.id for candidate in (*catalog.lines, *broken)),
        *(f"skill:{name}#instructions" for name in active),
        *resources.required,
    )


def _paths(
    sound: Mapping[str, Skill], resources: ResourceOffer, outside: Collection[str]
) -> dict[str, str]:
    """Paths in the repository; what comes from outside it is of no revision."""
    heads = {
        f"skill:{name}{suffix}": skill.path
        for name, skill in sound.items()
        if skill.scope not in outside
        for suffix in ("", "#instructions")
    }
    inside = {
        identifier: path
        for identifier, path in resources.paths.items()
        if not any(path.startswith(f"{label}/") for label in outside)
    }
    return {**heads, **inside}


def _activations(terms: SkillTerms, task: TaskTerms, skills: Sequence[Skill]) -> dict[str, str]:
    """Reason by name; twice activated is once rendered.

    Also of those that are not listed: a skill that is asked for and can't be had refuses.
    """
    active: dict[str, str] = {}
    for name, reason in terms.active:
        active.setdefault(name, reason)
    for name in named_skills(task_words(task), {skill.called for skill in skills if skill.is_one}):
        active.setdefault(name, f"the task says ${name}")
    return active


def _catalog(
    terms: SkillTerms,
    found: FoundSkills,
    sound: Sequence[Skill],
    active: Collection[str],
    price: PriceItem | None,
) -> CatalogOffer:
    return offer_catalog(
        sound,
        found.folders,
        scopes=found.scopes,
        kept={*terms.always, *active},
        ceiling=None if price is None else terms.ceiling,
        price=_no_price if price is None else price,
    )


def _no_price(_: Candidate) -> int:
    raise AssertionError("a catalog without a ceiling has no prices")


def _instructions(
    name: str, reason: str, found: FoundSkills, check: PinCheck | None, reader: FileReader
) -> Candidate | None:
    """The whole SKILL.md of an active skill; None where nothing of that name was found."""
    of_that_name = [skill for skill in found.skills if skill.is_one and skill.called == name]
    skill = found.listed.get(name)
    content: Inline | Absent
    if check is not None and check.state == "broken":
        content = broken_content(check, skill)
    elif skill is not None and skill.path not in reader.contents:
        words = f"{skill.path}: more than {MAX_SKILL_BYTES:,} bytes"
        content = Absent("turned-away", code="skill-unreadable", where=bounded_place(words))
    elif skill is not None:
        content = Inline(reader.contents[skill.path])
    elif of_that_name:
        content = _absent(of_that_name[0])
    else:
        return None
    is_in = isinstance(content, Inline)
    return Candidate(
        id=f"skill:{name}#instructions",
        kind="skill",
        section="tools",
        trust="authorized" if is_in else "untrusted",
        content=content,
        version=spell_folder(found.folders[skill.path]) if skill is not None and is_in else None,
        discovered_by=bounded_name(reason, most_bytes=MAX_WORDS_BYTES),
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


def _unsearched(finding: Finding) -> Candidate:
    """What lies behind the bound of the search: nobody knows which skills that are."""
    words = finding.message.partition(":")[0]
    return Candidate(
        # No path of a repository holds `//`.
        id="skill://unsearched",
        kind="skill-entry",
        section="tools",
        trust="untrusted",
        content=Absent("turned-away", code=finding.slug, where=bounded_place(words)),
        discovered_by="the search for skills",
    )


def _absent(skill: Skill) -> Absent:
    if skill.denied_by is not None:
        return Absent("denied", rule=skill.denied_by)
    return Absent(
        "turned-away",
        code=skill.slug or "skill-unreadable",
        where=bounded_place(skill.where or skill.path),
    )

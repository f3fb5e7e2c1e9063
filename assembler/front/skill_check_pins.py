"""Skills that `skills check` finds, beside their pins in the lock file.

Nothing is digested but folders of pinned skills. Which skill a pin speaks of: docs/formats/lock.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from assembler.assess.skill_pins import check_pin, check_pins
from assembler.front.skill_clashes import rank_root
from assembler.front.skill_search import SeenSkills
from assembler.model.finding import Finding
from assembler.model.skill import Skill
from assembler.model.skill_pin import PinCheck, SkillPin
from assembler.offers.reader import FileReader
from assembler.offers.skill_folders import digest_folders
from assembler.offers.skill_pins import offer_broken


def find_broken_pins(
    pins: Mapping[str, SkillPin],
    seen: SeenSkills,
    reader: FileReader,
    run_roots: Sequence[str],
    *,
    may_be_outside: bool,
) -> list[Finding]:
    """A finding for each pin that the repository does not answer.

    Args:
        pins: of the lock file, by name.
        seen: all skills of the repository.
        reader: of the same tree.
        run_roots: the folders of skills that a run from the root looks in.
        may_be_outside: whether a run looks outside the repository too, where nothing is read here:
            a skill that is not found may be there.
    """
    return _tell(pins, seen, reader, run_roots, told=None, tells_gone=not may_be_outside)


def find_broken_pins_of(
    asked: SeenSkills,
    pins: Mapping[str, SkillPin],
    see_all: Callable[[], SeenSkills],
    reader: FileReader,
    run_roots: Sequence[str],
) -> list[Finding]:
    """The same for some skills: what is pinned and not among them is nobody's question.

    Args:
        asked: what was asked for.
        pins: of the lock file, by name.
        see_all: finds all skills; called only where something is pinned.
        reader: of the same tree.
        run_roots: as for `find_broken_pins`.
    """
    if not pins:
        return []
    told = {skill.path for skill in asked.skills} | _real_paths(asked)
    return _tell(pins, see_all(), reader, run_roots, told=told, tells_gone=True)


def _tell(
    pins: Mapping[str, SkillPin],
    seen: SeenSkills,
    reader: FileReader,
    run_roots: Sequence[str],
    *,
    told: set[str] | None,
    tells_gone: bool,
) -> list[Finding]:
    listed = {name: find_answers(name, seen.skills, run_roots) for name in pins}
    asked = [skill for skills in listed.values() for skill in skills]
    folders = digest_folders(asked, seen.search, reader, wanted=lambda _: True)
    rejected = [skill for skill in seen.skills if skill.state != "listed"]
    real_paths = {folder.entry.path: folder.entry.real_path for folder in seen.search.folders}
    checks: dict[str, PinCheck] = {}
    found: dict[str, Skill] = {}
    for name in sorted(pins):
        means = listed[name] or [*_may_mean(name, seen.skills)]
        mine = [skill for skill in means if _is_told(skill, real_paths.get(skill.path), told)]
        if told is not None and not mine:
            continue
        if listed[name]:
            judged = {skill.path: check_pin(folders[skill.path], pins[name]) for skill in means}
            if all(check.state == "broken" for check in judged.values()):
                found[name] = mine[0]
                checks[name] = judged[mine[0].path]
        elif means or tells_gone:
            checks |= check_pins(rejected, {}, {name: pins[name]})
    return list(offer_broken(checks, found)[1])


def _is_told(skill: Skill, real_path: str | None, told: set[str] | None) -> bool:
    """Whether a skill, or a file of its folder that passes for one, was asked for."""
    if told is None:
        return True
    inside = skill.prefix
    return not told.isdisjoint({skill.path, real_path}) or any(
        path.startswith(inside) for path in told if inside
    )


def find_answers(name: str, skills: Sequence[Skill], run_roots: Sequence[str]) -> list[Skill]:
    """The skill that a run from the root lists; where there is none, all that deeper runs do."""
    named = [skill for skill in skills if skill.state == "listed" and skill.name == name]
    named.sort(key=lambda skill: (rank_root(skill, run_roots), skill.path))
    at_root = [skill for skill in named if skill.root in run_roots]
    return at_root[:1] or named


def _may_mean(name: str, skills: Iterable[Skill]) -> Iterable[Skill]:
    """Skills of the name; one whose front matter is not read has that of its folder."""
    return (skill for skill in skills if name in (skill.name, skill.folder.rpartition("/")[2]))


def _real_paths(seen: SeenSkills) -> set[str]:
    return {path for folder in seen.search.folders if (path := folder.entry.real_path) is not None}

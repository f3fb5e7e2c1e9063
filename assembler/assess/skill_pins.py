"""Compare skills with their pins: which folder is the locked one, and which files differ.

Pure: digests in, one judgement for each skill out. A folder whose digest can't be told never
passes for the pinned one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assembler.model.skill import Skill
from assembler.model.skill_pin import FolderDigest, PinCheck, SkillPin, compare_files


def check_pins(
    skills: Sequence[Skill], folders: Mapping[str, FolderDigest], pins: Mapping[str, SkillPin]
) -> dict[str, PinCheck]:
    """One judgement for each listed skill, and for each pin that nothing listed answers.

    Args:
        skills: all that were found.
        folders: what each listed skill's folder holds, by the path of its SKILL.md.
        pins: by name.

    Returns:
        By name, sorted.
    """
    listed = {skill.name: skill for skill in skills if skill.state == "listed" and skill.name}
    checks: dict[str, PinCheck] = {}
    for name in sorted({*listed, *pins}):
        pin = pins.get(name)
        if name in listed:
            checks[name] = check_pin(folders[listed[name].path], pin)
        elif pin is not None and pin.must_exist:
            checks[name] = PinCheck("broken", pin, problem=_why_gone(name, skills))
    return checks


def check_pin(folder: FolderDigest, pin: SkillPin | None) -> PinCheck:
    """The judgement of one folder that is there."""
    digest = folder.sha256
    if pin is None:
        return PinCheck("unlocked", folder_sha256=digest)
    if digest == pin.sha256:
        return PinCheck("locked", pin, digest)
    changed, added, removed = compare_files(folder, pin)
    if digest is None:
        path, reason = folder.untold[0]
        problem = f"its digest can't be told: {path} ({reason})"
    elif changed or added or removed:
        problem = "its folder differs"
    else:
        problem = "its folder differs, and the pin does not say of which files it was made"
    return PinCheck("broken", pin, digest, problem, changed, added, removed)


def _why_gone(name: str, skills: Sequence[Skill]) -> str:
    # What could not be read has no name but that of its folder.
    found = next(
        (skill for skill in skills if name in (skill.name, skill.folder.rpartition("/")[2])), None
    )
    if found is None:
        return "it is pinned, and no skill of that name is there"
    return f"it is pinned, and {found.path} is not listed ({found.slug})"

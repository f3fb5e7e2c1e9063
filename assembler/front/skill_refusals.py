"""Say of a refused skill what is wrong with it, and what to do."""

from __future__ import annotations

from typing import Final, NamedTuple

from assembler.config.lock import LOCK
from assembler.model.skill_pin import PinCheck
from assembler.offers.skills import SkillOffer

PIN_BROKEN: Final = "skill-pin-broken"
_WORDS: Final = {
    "repository-untrusted": (
        "can't be used",
        "if you trust it, name its folder under `repositories.trusted` of the host manifest",
    ),
    "skill-reference-escapes": (
        "leads out of the skill's folder, and was not opened",
        "move the file into the skill's folder, or take it out of task and profile",
    ),
    "skill-reference-missing": (
        "is not there",
        "correct the path: it is relative to the skill's folder",
    ),
    "skill-file-unreadable": (
        "can't be read",
        "put a regular file in its place, or take it out of task and profile",
    ),
}
_TELLING: Final = ("repository-untrusted", "skill-file-unreadable")
"""Codes whose rows say more than the words here."""


class Named(NamedTuple):
    """What a person is told of a refusal."""

    message: str
    where: str
    next_step: str | None


def name_skill(identifier: str, code: str, where: str, offer: SkillOffer) -> Named | None:
    """The cause of a refusal that is about a skill; None where it is about something else.

    Args:
        identifier: the required candidate's id.
        code: of its row.
        where: of its row.
        offer: what the run found of skills.
    """
    if not identifier.startswith("skill:"):
        return None
    named = identifier.removeprefix("skill:").removesuffix("#instructions")
    name = named.partition("/")[0]
    if code == PIN_BROKEN and name in offer.pins:
        return _name_pin(name, offer.pins[name], where)
    if code in _WORDS:
        problem, step = _WORDS[code]
        place, _, reason = where.partition(": ")
        why = f": {reason}" if code in _TELLING and reason else ""
        return Named(f"{named} {problem}{why}", place, step)
    skill = next((item for item in offer.skills if item.name == name), None)
    finding = next((item for item in skill.findings if item.slug == code), None) if skill else None
    if finding is None:
        return None
    return Named(f"the skill {name} can't be used: {finding.message}", where, finding.fix)


def _name_pin(name: str, check: PinCheck, where: str) -> Named:
    place = check.pin.place if check.pin is not None else LOCK
    message = f"the skill {name} is not what {place} pins: {check.spell()}"
    path = where.partition(":")[0]
    if check.folder_sha256 is None:
        step = f"put back what was pinned, or take {name} out of {place}"
    else:
        spelled = "sha256:" if place != LOCK else ""
        step = (
            f"look at the change (git diff HEAD -- {path}); if it is meant, write "
            f"{spelled}{check.folder_sha256} for {name} in {place}"
        )
    return Named(message, path, step)

"""Say of a refused skill what is wrong with it, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from assembler.config.defaults import LOCK
from assembler.model.candidate import Absent
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
_CODES_OF_WORDS: Final = {"denied": "access-denied"}
_TELLING: Final = ("repository-untrusted", "skill-file-unreadable")
"""Codes whose rows say more than the words here."""


class Named(NamedTuple):
    """What a person is told of a refusal."""

    message: str
    where: str
    next_step: str | None


class Refusal(NamedTuple):
    """A required row of skills without which there is no run."""

    id: str
    code: str
    where: str | None
    message: str
    next_step: str | None


def find_refusals(offer: SkillOffer) -> tuple[Refusal, ...]:
    """What `assemble` would refuse of an offer, each cause once.

    Args:
        offer: what a run would be offered.
    """
    candidates = {candidate.id: candidate for candidate in offer.candidates}
    found: dict[str, Refusal] = {}
    for identifier in offer.required:
        candidate = candidates.get(identifier)
        if candidate is None:
            named = name_missing([identifier], offer)
            told = Refusal(identifier, "required-missing", None, named.message, named.next_step)
            found.setdefault(told.message, told)
        elif isinstance(candidate.content, Absent):
            told = _refuse(identifier, candidate.content, offer)
            found.setdefault(told.message, told)
    return tuple(found.values())


def _refuse(identifier: str, content: Absent, offer: SkillOffer) -> Refusal:
    code = content.code or _CODES_OF_WORDS.get(content.word, content.word)
    where = content.where or content.rule or ""
    named = name_skill(identifier, code, where, offer)
    if named is None:
        return Refusal(identifier, code, where, f"{identifier}: {code}", None)
    return Refusal(identifier, code, named.where, named.message, named.next_step)


def name_missing(identifiers: Sequence[str], offer: SkillOffer) -> Named:
    """Say of skills that are nowhere who names them and where they were looked for."""
    names = [name.removesuffix("#instructions") for name in identifiers]
    message = f"no skill of that name was found: {', '.join(names)}"
    step: str | None = None
    for finding in offer.findings:
        if finding.slug == "skill-missing" and f"skill:{finding.data['skill']}" == names[0]:
            message += f" ({finding.data['place']} names it)"
            step = finding.fix
            break
    return Named(message, names[0], step)


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
    skill = next((item for item in offer.skills if item.is_one and item.called == name), None)
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
            f"{_how_to_look(path)}; if it is meant, write {spelled}{check.folder_sha256} for "
            f"{name} in {place} (`assembler skills show {name} -f json` has the whole entry)"
        )
    return Named(message, path, step)


def _how_to_look(path: str) -> str:
    """A command that shows the change, where git has one."""
    if path.startswith(("~/", "/")):
        return f"look at {path}"
    return f"look at the change (git log -p -- {path}, git diff HEAD -- {path})"

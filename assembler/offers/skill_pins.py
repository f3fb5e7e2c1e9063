"""Rows of skills that are not what was pinned: each refuses the run, active or not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from assembler.model.candidate import Absent, Candidate
from assembler.model.finding import Finding, make_finding
from assembler.model.limits import bounded_place
from assembler.model.skill import Skill
from assembler.model.skill_pin import PinCheck

CODE: Final = "skill-pin-broken"


def offer_broken(
    checks: Mapping[str, PinCheck], listed: Mapping[str, Skill]
) -> tuple[tuple[Candidate, ...], tuple[Finding, ...]]:
    """A turned-away row and a finding for each broken pin.

    Args:
        checks: by name.
        listed: the listed skills, by name.
    """
    broken = {name: check for name, check in checks.items() if check.state == "broken"}
    rows = tuple(_row(name, check, listed.get(name)) for name, check in broken.items())
    findings = tuple(_finding(name, check, listed.get(name)) for name, check in broken.items())
    return rows, findings


def broken_content(check: PinCheck, skill: Skill | None) -> Absent:
    """Why nothing of the skill enters."""
    return Absent(
        "turned-away", code=CODE, where=bounded_place(f"{_path(check, skill)}: {check.spell()}")
    )


def _row(name: str, check: PinCheck, skill: Skill | None) -> Candidate:
    # The last digest is read as that of the folder.
    digests = [("pinned", check.pin.sha256 if check.pin else None), ("folder", check.folder_sha256)]
    return Candidate(
        id=f"skill:{name}",
        kind="skill-entry",
        section="tools",
        trust="untrusted",
        content=broken_content(check, skill),
        version="; ".join(f"{word} sha256:{digest}" for word, digest in digests if digest) or None,
        discovered_by="pins" if skill is None else f"skills of {skill.root}",
    )


def _finding(name: str, check: PinCheck, skill: Skill | None) -> Finding:
    pin = check.pin
    return make_finding(
        "ASM210",
        _path(check, skill),
        f"{name} is not what {pin.place if pin else 'the pin'} has: {check.spell()}",
        fix="put it back, or take it out of the pins"
        if skill is None
        else "look at the change; if it is meant, pin the new digest",
        data={
            "skill": name,
            "pinned_sha256": None if pin is None else pin.sha256,
            "folder_sha256": check.folder_sha256,
            "changed": list(check.changed),
            "added": list(check.added),
            "removed": list(check.removed),
        },
    )


def _path(check: PinCheck, skill: Skill | None) -> str:
    if skill is not None:
        return skill.folder or skill.path
    return check.pin.place if check.pin is not None else ""

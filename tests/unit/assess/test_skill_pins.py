"""Pins of skills: what is locked, what is broken, and which files say so."""

from __future__ import annotations

from assembler.assess.skill_pins import check_pins
from assembler.model.skill import Skill, folder_sha256
from assembler.model.skill_pin import FolderDigest, PinCheck, SkillPin, make_folder_digest

FILES = {"SKILL.md": "a" * 64, "references/a.md": "b" * 64}
FOLDER = make_folder_digest(FILES)
LOCK = ".assembler/lock.json"


def skill(name: str = "x", state: str = "listed", **members: object) -> Skill:
    folder = f".agents/skills/{name}"
    return Skill(state, f"{folder}/SKILL.md", folder, "", ".agents/skills", name)._replace(  # type: ignore[arg-type]
        **members
    )


def check(folder: FolderDigest, pin: SkillPin | None) -> PinCheck:
    found = skill()
    return check_pins([found], {found.path: folder}, {} if pin is None else {"x": pin})["x"]


def test_pin__that_matches_is_locked() -> None:
    assert check(FOLDER, SkillPin(folder_sha256(FILES), LOCK)).state == "locked"


def test_skill__without_a_pin_is_unlocked() -> None:
    found = check(FOLDER, None)
    assert (found.state, found.pin, found.folder_sha256) == ("unlocked", None, folder_sha256(FILES))


def test_pin_with_files__names_what_differs() -> None:
    old = {"SKILL.md": "c" * 64, "gone.md": "d" * 64, "references/a.md": "b" * 64}
    pin = SkillPin(folder_sha256(old), LOCK, files=old)
    found = check(make_folder_digest({**FILES, "scripts/x.sh": "e" * 64}), pin)
    assert (found.state, found.changed, found.added, found.removed) == (
        "broken",
        ("SKILL.md",),
        ("scripts/x.sh",),
        ("gone.md",),
    )
    assert found.spell() == (
        "its folder differs; changed SKILL.md; added scripts/x.sh; removed gone.md"
    )


def test_pin_with_instructions__tells_of_skill_md_alone() -> None:
    changed = check(FOLDER, SkillPin("0" * 64, LOCK, instructions_sha256="9" * 64))
    assert changed.changed == ("SKILL.md",)
    same = check(FOLDER, SkillPin("0" * 64, LOCK, instructions_sha256="a" * 64))
    assert same.changed == ()
    assert "does not say of which files" in same.spell()


def test_pin_with_four_members__says_that_it_names_no_files() -> None:
    assert "does not say of which files" in check(FOLDER, SkillPin("0" * 64, LOCK)).spell()


def test_folder_without_a_digest__breaks_a_pin_even_of_its_other_files() -> None:
    folder = make_folder_digest(FILES, (("pipe", "no regular file"),))
    assert folder.sha256 is None
    found = check(folder, SkillPin(folder_sha256(FILES), LOCK, files=FILES))
    assert (found.state, found.folder_sha256, found.added) == ("broken", None, ("pipe",))
    assert "pipe (no regular file)" in found.spell()
    assert check(folder, None).state == "unlocked"


def test_pinned_skill__that_is_gone_or_not_listed_is_broken() -> None:
    pins = {"x": SkillPin("0" * 64, LOCK)}
    gone = check_pins([], {}, pins)["x"]
    assert gone.state == "broken"
    assert "no skill of that name is there" in gone.spell()
    rejected = skill(state="rejected", slug="skill-yaml")
    found = check_pins([rejected], {}, pins)["x"]
    assert found.state == "broken"
    assert "not listed (skill-yaml)" in found.spell()


def test_host_pin__asks_for_no_skill_that_this_repository_does_not_have() -> None:
    pins = {"x": SkillPin("0" * 64, "the host manifest", must_exist=False)}
    assert check_pins([], {}, pins) == {}

"""The search for skills: links are followed once, and nothing vanishes behind one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from assembler.discover.skill_search import find_skills
from assembler.discover.skills import skill_roots
from tests.builders.found_skills import HOME, skills_of, text
from tests.builders.trees import Link, write_tree


def test_linked_cycle__ends_and_lists_a_skill_once(tmp_path: Path) -> None:
    files = {
        f"{HOME}/alpha/SKILL.md": text("alpha"),
        f"{HOME}/alpha/self": Link(".."),
        f"{HOME}/up": Link("../.."),
    }
    skills = skills_of(tmp_path, files)

    assert [(skill.name, skill.path) for skill in skills] == [
        ("alpha", f"{HOME}/alpha/SKILL.md"),
        (None, f"{HOME}/up"),
    ]
    assert "leads up" in skills[1].findings[0].message


def test_link__to_a_folder_that_is_passed_over_is_followed(tmp_path: Path) -> None:
    files = {f"{HOME}/.store/pdf/SKILL.md": text("pdf"), f"{HOME}/pdf": Link(".store/pdf")}
    (skill,) = skills_of(tmp_path, files)

    assert (skill.state, skill.path) == ("listed", f"{HOME}/pdf/SKILL.md")


def test_links__inside_a_linked_folder_are_followed_too(tmp_path: Path) -> None:
    files = {
        "shared/csv/SKILL.md": text("csv"),
        "shared/team/csv": Link("../csv"),
        "shared/team/back": Link(".."),
        f"{HOME}/team": Link("../../shared/team"),
    }
    skills = skills_of(tmp_path, files)

    listed = [skill.path for skill in skills if skill.state == "listed"]
    assert listed == [f"{HOME}/team/csv/SKILL.md"]
    assert [skill.path for skill in skills if skill.state == "rejected"] == [f"{HOME}/team/back"]


def test_links__one_behind_the_other_end(tmp_path: Path) -> None:
    files: dict[str, Any] = {f"{HOME}/first": Link("../../store/f0")}
    for number in range(40):
        files[f"store/f{number}/next"] = Link(f"../f{number + 1}")
    files["store/f40/x/SKILL.md"] = text("x")
    search = find_skills(write_tree(tmp_path, files), skill_roots(""))

    assert [finding.code for finding in search.findings] == ["ASM216"]


@pytest.mark.parametrize("target", ["/etc", "../../../gone", "loop"])
def test_link__out_in_a_group_of_skills_has_a_row(tmp_path: Path, target: str) -> None:
    files = {f"{HOME}/group/loop": Link(target), f"{HOME}/group/one/SKILL.md": text("one")}
    skills = skills_of(tmp_path, files)

    assert [(skill.state, skill.path) for skill in skills] == [
        ("listed", f"{HOME}/group/one/SKILL.md"),
        ("rejected", f"{HOME}/group/loop"),
    ]


def test_link__out_in_the_folder_of_a_skill_is_that_skills(tmp_path: Path) -> None:
    files = {f"{HOME}/x/SKILL.md": text("x"), f"{HOME}/x/A": Link("/etc")}
    (skill,) = skills_of(tmp_path, files)

    assert [finding.code for finding in skill.findings] == ["ASM209"]


def test_folder__called_like_the_file_has_a_row(tmp_path: Path) -> None:
    (skill,) = skills_of(tmp_path, {f"{HOME}/x/SKILL.md/inner.md": "x"})

    assert (skill.state, skill.path) == ("rejected", f"{HOME}/x/SKILL.md")
    assert skill.errors[0].kind == "missing_file"


def test_skill__on_a_path_that_is_not_utf8_has_a_row(tmp_path: Path) -> None:
    folder = tmp_path / HOME / os.fsdecode(b"\xff\xfe")
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(text("x"))
    (skill,) = skills_of(tmp_path, {})

    assert (skill.state, skill.path) == ("rejected", f"{HOME}/\\xFF\\xFE/SKILL.md")

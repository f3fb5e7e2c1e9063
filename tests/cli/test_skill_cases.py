"""Every recorded skill through `skills check`, and every one that is sound through the list."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders.command_line import CommandLine
from tests.builders.skill_cases import CASES, UNBOUND, write_case

PROFILE = "schema: assembler/profile/1\nskills: {roots: [skills]}\n"


@pytest.mark.parametrize(
    "path", sorted(CASES.glob("*.json")) or [None], ids=lambda path: path and path.stem
)
def test_case__is_told_by_the_command(tmp_path: Path, path: Path | None) -> None:
    if path is None:
        pytest.skip("the recorded skills are not here (../shared/cases/skills)")
    case = json.loads(path.read_bytes())
    write_case(tmp_path / "t", case)
    (tmp_path / "p.yaml").write_text(PROFILE)
    command = CommandLine(cwd=tmp_path / "t", home=tmp_path / "home")
    expected = case["expected"]

    checked = command("skills", "check", f"skills/{case['dirname']}", "-f", "json")
    listed = command("skills", "list", "-p", str(tmp_path / "p.yaml"), "-f", "json")

    assert listed.code == 0
    (skill,) = checked.json["skills"]
    assert checked.code == 1 or (checked.code == 0 and skill["valid"])
    if UNBOUND.isdisjoint(case["tags"]):
        assert {error["kind"] for error in skill["errors"]} == set(expected["errors"])
        assert skill["valid"] == expected["valid"]
        assert skill["properties"] == expected["properties"]

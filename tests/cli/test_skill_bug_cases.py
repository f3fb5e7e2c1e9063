"""Cases made from public bug reports about skills, through `skills list`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tests.builders.bug_cases import Built, build, numbers_of

OF_THIS_ROOM = range(35, 47)
ROOTS = {"041": ["~/.agents/skills"], "042": [".claude/skills"]}
"""What the profile of a case names beside `.agents/skills`."""


def build_with_roots(number: str, top: Path) -> Built:
    built = build(number, top)
    roots = ROOTS.get(number)
    if roots is None:
        return built
    profile = top / "skills-profile.yaml"
    profile.write_text(f"schema: assembler/profile/1\nskills: {{roots: {roots}}}\n")
    return built._replace(profile=profile)


def rows_of(built: Built) -> dict[str, dict[str, Any]]:
    result = built.run("skills", "list", "--format=json")
    assert result.code == 0, result.talk
    return {built.absolute_row(row["path"]): row for row in result.json["skills"]}


@pytest.mark.parametrize("number", numbers_of(OF_THIS_ROOM))
def test_case__is_told_by_the_list(number: str, tmp_path: Path) -> None:
    built = build_with_roots(number, tmp_path)
    expected = built.expected
    expected = {**expected, **expected.get("default", {})}

    started = time.monotonic()
    rows = rows_of(built)

    listed = sorted(row["name"] for row in rows.values() if row["state"] == "listed")
    if number == "035":
        # The documented recovery: the whole description, flagged.
        row = next(row for row in rows.values() if row["name"] == "spec")
        assert row["description"] == "Write a spec and file it: no interview, just a summary."
        (finding,) = row["findings"]
        assert (finding["code"], finding["line"], finding["column"]) == ("ASM203", 3, 38)
        return
    if "selected_names" in expected:
        assert listed == sorted(expected["selected_names"])
    for item in expected.get("selected", ()):
        row = next(row for row in rows.values() if row["name"] == item["name"])
        assert row["state"] == "listed"
        assert row["description"] == item.get("description", row["description"])
    for item in expected.get("rejected_include", ()):
        if item["path"].endswith("SKILL.md"):
            row = rows[built.absolute(item["path"])]
            assert row["state"] in {"rejected", "shadowed"}
            assert row["reason"]
    if "max_seconds" in expected:
        assert time.monotonic() - started < expected["max_seconds"]


def test_037__scalars_stay_as_they_are_written(tmp_path: Path) -> None:
    built = build("037", tmp_path)
    expected = built.expected["if_text_preserving_loader"]

    rows = {row["name"]: row for row in rows_of(built).values()}

    assert [name for name, row in rows.items() if row["state"] == "listed"] == expected["names"]
    assert rows["on"]["description"] == expected["description_of_on"]
    shown = built.run("skills", "show", "on", "--format=json").json["skills"][0]
    assert shown["properties"]["metadata"] == expected["metadata_of_on"]


def test_038__a_name_that_is_not_its_folders_is_a_warning_here_and_fails_the_check(
    tmp_path: Path,
) -> None:
    (row,) = rows_of(build("038", tmp_path)).values()

    assert row["state"] == "listed"
    assert [(item["slug"], item["severity"]) for item in row["findings"]] == [
        ("skill-name-folder", "warning")
    ]


@pytest.mark.parametrize("order", [1, -1])
def test_041__the_nearer_one_of_a_name_wins_whatever_was_made_first(
    tmp_path: Path, order: int
) -> None:
    built = build_with_roots("041", tmp_path)
    for index, folder in enumerate(["repo", "home"][::order]):
        place = built.top / folder / ".agents"
        moved = place.with_name(f"moved{index}")
        place.rename(moved)
        moved.rename(place)

    rows = rows_of(built).values()

    listed = [row for row in rows if row["state"] == "listed"]
    assert [(row["name"], row["source"]) for row in listed] == [
        ("deploy", ".agents/skills"),
        ("lint", ".agents/skills"),
    ]
    behind = {row["name"]: row for row in rows if row["state"] == "shadowed"}
    assert behind["deploy"]["path"] == "~/.agents/skills/deploy/SKILL.md"
    assert behind["deploy"]["where"] == ".agents/skills/deploy/SKILL.md"
    assert [item["slug"] for item in behind["deploy"]["findings"]] == ["skill-name-taken"]
    assert behind["lint"]["findings"] == []


def test_042__a_folder_that_two_links_lead_to_is_one_skill(tmp_path: Path) -> None:
    rows = list(rows_of(build_with_roots("042", tmp_path)).values())

    assert [row["state"] for row in rows] == ["listed", "shadowed"]
    assert rows[1]["reason"] == "same-file-twice"


def test_046__the_body_is_in_where_the_skill_is_active_and_nowhere_else(tmp_path: Path) -> None:
    built = build("046", tmp_path)

    for message, expected in (("do it", "1"), ("do it with $b", "2")):
        case = built.expected[expected]
        text = built.run("assemble", "-m", message, "--format=input").text
        for part in case["render_must_not_contain"]:
            assert part not in text
        for part in case.get("render_contains", ()):
            assert part in text
    for row in rows_of(built).values():
        assert row["digests"]["instructions"]
        assert row["size_bytes"] == (built.top / "repo" / row["path"]).stat().st_size

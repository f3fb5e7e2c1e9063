"""What `diff` says of a place is what the commands say that look at the place alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assembler.cli.diff_markdown import MAX_CHARACTERS
from tests.builders.catalogs import Bench, tool, write_profile
from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder
from tests.builders.secrets import make_tokens
from tests.cli.test_diff_places import assembler, diff, empty, skill, told

__all__ = ["assembler", "empty"]

PROFILE = "schema: assembler/profile/1\n"
LONG = "Does a thing that takes rather many words to say in line number"


def of_skills(body: Any, name: str) -> tuple[str | None, str | None]:
    change = next(change for change in body["changes"] if change["id"] == f"skill:{name}")
    states = [side and side["state"] for side in (change["from"], change["to"])]
    return states[0], states[1]


def listed(assembler: CommandLine, at: str, cwd: str = ".") -> dict[str, Any]:
    body: dict[str, Any] = assembler("skills", "list", "--at", at, "-C", cwd, "-f", "json").json
    return body


def test_skill_that_takes_the_room_of_others__is_told_with_those_that_are_out(
    empty: RepositoryBuilder, assembler: CommandLine
) -> None:
    """A new skill leaves no room for the line of one that nobody touched."""
    budget = PROFILE + "skills: {budget: {tokens: 90}, always: [s1]}\n"
    empty.write({".assembler/profile.yaml": budget, "AGENTS.md": "x\n"})
    empty.write({f".agents/skills/s{n}/SKILL.md": skill(f"s{n}", f"{LONG} {n}.") for n in (1, 2)})
    old = empty.commit()
    empty.write({".agents/skills/s0/SKILL.md": skill("s0", f"{LONG} 0.")})
    empty.write({"p/.agents/skills/n/SKILL.md": skill("n", "Is near.")})
    new = empty.commit()
    body = diff(assembler, f"{old}..{new}")
    figures = {folder["folder"]: folder for folder in body["folders"]}
    for folder, place in ((".", "."), ("p", "p")):
        assert figures[folder]["to"]["skills"] == listed(assembler, new, place)["catalog_cost"]
    assert figures["."]["from"]["skills"] == listed(assembler, old)["catalog_cost"]
    states = {row["name"]: row for row in listed(assembler, new)["skills"]}
    lost = sorted(name for name, row in states.items() if row["reason"] == "catalog-over-budget")
    assert lost == ["s2"]
    assert of_skills(body, "s2") == ("in", "out")
    text = assembler("diff", f"{old}..{new}").text
    assert "skill:s2  in -> out (catalog-over-budget)" in text


@pytest.mark.parametrize("tokens", [35, 34])
def test_line_that_is_shortened__is_told_as_it_is_read(
    empty: RepositoryBuilder, assembler: CommandLine, tokens: int
) -> None:
    """At 35 tokens the line fits exactly."""
    empty.write({".agents/skills/s/SKILL.md": skill("s", f"{LONG} 1.")})
    empty.write({".assembler/profile.yaml": PROFILE})
    old = empty.commit()
    budget = PROFILE + f"skills: {{budget: {{tokens: {tokens}}}}}\n"
    empty.write({".assembler/profile.yaml": budget})
    new = empty.commit()
    body = diff(assembler, f"{old}..{new}")
    (row,) = listed(assembler, new)["skills"]
    assert body["folders"][0]["to"]["skills"] == row["tokens"]["line"]
    if tokens == 35:
        assert (row["shortened"], told(body)) == (None, [])
        return
    assert told(body) == [("content", "skill:s")]
    assert of_skills(body, "s") == ("in", "cut")
    text = assembler("diff", f"{old}..{new}").text
    assert "shortened, since the catalog is over its budget" in text
    assert "+s: Does a thing that takes rather many words to say in line...\n" in text


def test_layout_without_a_place_for_skills__leaves_them_out(
    empty: RepositoryBuilder, assembler: CommandLine
) -> None:
    empty.write({".agents/skills/s/SKILL.md": skill("s", "Is there.")})
    empty.write({".assembler/profile.yaml": PROFILE}).commit()
    empty.write({".assembler/profile.yaml": PROFILE + "layout: control/1\n"}).commit()
    body = diff(assembler, "HEAD~1..HEAD")
    assert told(body) == [("moved", "skill:s")]
    assert body["changes"][0]["to"]["reason"] == "layout-excludes"
    assert body["folders"][0]["to"]["skills"] == 0


def test_lines_of_a_text_that_is_withheld__are_not_counted(
    empty: RepositoryBuilder, assembler: CommandLine
) -> None:
    secret = make_tokens(3)["github-token"][0]
    empty.write({"AGENTS.md": "hello\n"}).commit()
    empty.write({"AGENTS.md": f"hello\nuse {secret}\n"}).commit()
    (item,) = diff(assembler, "HEAD~1..HEAD")["texts"]
    assert item == {"id": "AGENTS.md", "withheld": True, "added": None, "removed": None}
    assert " lines" not in assembler("diff", "HEAD~1..HEAD").text


def test_comment__of_folders_with_long_names_is_bounded(
    empty: RepositoryBuilder, assembler: CommandLine
) -> None:
    """A character that is shown by its number takes six, and a path has many."""
    empty.write({"AGENTS.md": "x\n"}).commit()
    long = "/".join(["\x01" * 80] * 7)
    empty.write({f"{n:02}/{long}/AGENTS.md": "y " * n + "y\n" for n in range(25)}).commit()
    comment = assembler("diff", "HEAD~1..HEAD", "-f", "markdown").text
    assert len(comment) <= MAX_CHARACTERS
    assert "more folders are left off" in comment
    assert "more changes are left off" in comment


def test_tool_that_stays_out__is_not_among_those_that_are_the_same(
    empty: RepositoryBuilder, assembler: CommandLine, tmp_path: Path
) -> None:
    empty.write({"AGENTS.md": "x\n"}).commit()
    bench = Bench(empty, assembler, tmp_path)
    assert bench.pin(tool("a")).code == 0
    profile = write_profile(tmp_path, {"s": ["a", "gone"]})
    empty.commit()
    empty.write({"AGENTS.md": "y\n"}).commit()
    tokens = bench.run("list", "-p", profile, "-f", "json").json["servers"][0]["tools"][0]["tokens"]
    text = assembler("diff", "HEAD~1..HEAD", "-p", profile).text
    assert f"=  tools:s    1 tool, {tokens} tokens" in text

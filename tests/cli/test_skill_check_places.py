"""`skills check`: which skill a path speaks of, who hides whom, and what nobody looks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder
from tests.builders.trees import Link, write_tree

HOME = ".agents/skills"


def text(name: str, description: str = "Does it.") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n\nBody.\n"


@pytest.fixture
def many(tmp_path: Path) -> CommandLine:
    folder = tmp_path / "p"
    write_tree(
        folder,
        {
            f"{HOME}/pdf/SKILL.md": text("pdf"),
            f"{HOME}/pdf/scripts/run.sh": "x",
            f"{HOME}/pdf/scripts/.hidden": "x",
            f"{HOME}/pdf/out.md": Link("../../../docs/notes.md"),
            f"{HOME}/pdf/templates/in/SKILL.md": "# none\n",
            f"{HOME}/pdf/templates/in/a.md": "a",
            f"{HOME}/ok/SKILL.md": text("ok"),
            f"{HOME}/ok/a.md": "a",
            f"{HOME}/README.md": "r",
            "loose/skill.md": text("loose"),
            "loose/a/b.md": "b",
            "skills/one/SKILL.md": text("one"),
            "skills/one/inner/two/SKILL.md": text("two"),
            "skills/one/inner/two/x/y.md": "y",
            "docs/notes.md": "n",
        },
    )
    return CommandLine(cwd=folder, home=tmp_path / "home")


@pytest.mark.parametrize(
    ("paths", "checked"),
    [
        ([f"{HOME}/pdf/scripts/run.sh"], [f"{HOME}/pdf/SKILL.md"]),
        ([f"{HOME}/pdf/scripts/.hidden"], [f"{HOME}/pdf/SKILL.md"]),
        ([f"{HOME}/pdf/out.md"], [f"{HOME}/pdf/SKILL.md"]),
        ([f"{HOME}/pdf/templates/in/a.md"], [f"{HOME}/pdf/SKILL.md"]),
        (
            [f"{HOME}/pdf/scripts/run.sh", f"{HOME}/pdf/SKILL.md", f"{HOME}/ok/a.md"],
            [f"{HOME}/ok/SKILL.md", f"{HOME}/pdf/SKILL.md"],
        ),
        (["loose/a/b.md"], ["loose/skill.md"]),
        (["skills/one/inner/two/x/y.md"], ["skills/one/inner/two/SKILL.md"]),
    ],
)
def test_path__of_a_file_checks_the_skill_that_it_is_part_of(
    many: CommandLine, paths: list[str], checked: list[str]
) -> None:
    body = many("skills", "check", *paths, "-f", "json").json

    assert [skill["path"] for skill in body["skills"]] == checked
    assert body["inputs"]["paths"] == sorted(checked, key=lambda path: "/ok/" in path)


@pytest.mark.parametrize("path", ["docs/notes.md", f"{HOME}/README.md"])
def test_path__of_a_file_in_no_skill_is_exit_2(many: CommandLine, path: str) -> None:
    result = many("skills", "check", f"{HOME}/ok/a.md", path)

    assert (result.code, result.text) == (2, "")
    assert f"no skill at {path} (skill-missing)" in result.talk
    assert "name a skill, or leave this file out" in result.talk


def test_clash__says_for_which_starts_it_holds(tmp_path: Path) -> None:
    builder = RepositoryBuilder(tmp_path / "r").write(
        {
            f"{HOME}/pdf/SKILL.md": text("pdf"),
            f"{HOME}/pdf2/SKILL.md": text("pdf", "Other."),
            f"{HOME}/same/SKILL.md": text("same"),
            f"packages/web/{HOME}/pdf/SKILL.md": text("pdf", "Web."),
            f"packages/web/{HOME}/same/SKILL.md": text("same"),
            f"packages/api/{HOME}/pdf/SKILL.md": text("pdf", "Api."),
        }
    )
    run = CommandLine(cwd=builder.root, home=tmp_path / "home")
    found = run("skills", "check", "--select", "ASM207", "-f", "json").json["findings"]

    assert {item["path"]: item["message"] for item in found} == {
        f"{HOME}/pdf2/SKILL.md": f"pdf is the name of {HOME}/pdf/SKILL.md too, which comes first",
        f"{HOME}/pdf/SKILL.md": "pdf is hidden from agents that start "
        f"in packages/api by packages/api/{HOME}/pdf/SKILL.md, "
        f"in packages/web by packages/web/{HOME}/pdf/SKILL.md",
    }
    assert {item["severity"] for item in found} == {"warning"}


def test_clash__of_paths_that_no_agent_lists_hides_nothing(many: CommandLine) -> None:
    write_tree(many.cwd, {"docs/pdf/SKILL.md": text("pdf", "Other.")})
    found = many("skills", "check", HOME, "docs", "--select", "ASM207", "-f", "json").json

    assert [item["message"] for item in found["findings"]] == [
        "pdf is the name of docs/pdf/SKILL.md too, which comes first"
    ]


def test_others__are_told_where_nobody_looks(tmp_path: Path) -> None:
    files = {
        ".claude/skills/a/SKILL.md": text("a"),
        "skills/b/SKILL.md": text("b"),
        "skills/c/SKILL.md": text("c"),
        "skills/node_modules/d/SKILL.md": text("d"),
    }
    builder = RepositoryBuilder(tmp_path / "r").write(files)
    run = CommandLine(cwd=builder.root, home=tmp_path / "home")

    result = run("skills", "check")
    assert (result.code, result.text) == (0, "no skills found\n")
    assert result.talk == (
        "hint: 3 SKILL.md stand in other folders (.claude/skills, skills): "
        "name them in skills.roots, or check them by path\n"
    )
    builder.write({f"{HOME}/pdf/SKILL.md": text("pdf"), f"{HOME}/pdf/x/in/SKILL.md": "# none\n"})
    assert "hint: 3 SKILL.md" in run("skills", "check", "-f", "json").talk
    assert run("skills", "check", "-q").talk == ""
    assert run("skills", "check", ".").talk == ""
    builder.write(
        {".assembler/profile.yaml": "schema: assembler/profile/1\nskills: {roots: [skills/b]}\n"}
    )
    builder.write({"skills/b/x/SKILL.md": text("x")})
    assert "hint: 2 SKILL.md stand in other folders" in run("skills", "check").talk
    (builder.root / ".claude/skills/a/SKILL.md").unlink()
    assert run("skills", "check").talk == (
        "hint: 1 SKILL.md stands in another folder (skills): "
        "name it in skills.roots, or check it by path\n"
    )


def test_others__are_not_those_behind_the_links_of_a_root(tmp_path: Path) -> None:
    builder = RepositoryBuilder(tmp_path / "r").write(
        {"skills/a/SKILL.md": text("a"), "skills/a/x/in/SKILL.md": "# none\n"}
    )
    builder.link({HOME: "../skills"})
    run = CommandLine(cwd=builder.root, home=tmp_path / "home")

    assert run("skills", "check").talk == ""

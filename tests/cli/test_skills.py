"""`skills list` and `skills show`: every skill with its cost, and why one is left out."""

from __future__ import annotations

import html
import re
import shutil
from pathlib import Path

import pytest

from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder
from tests.builders.skill_lists import PROFILE, rows, skill


def test_list__has_a_line_for_each_with_its_cost_and_its_place(
    assembler: CommandLine, skills: RepositoryBuilder
) -> None:
    result = assembler("skills", "-C", "packages/web", "-m", "run $lint")

    lines = [re.split(r"\s{2,}", line) for line in result.text.splitlines()]
    assert lines[0][1:] == ["name", "line", "SKILL.md", "files", "source", "note"]
    web, root = "packages/web/.agents/skills", ".agents/skills"
    assert [(line[0], line[1], line[5]) for line in lines[1:4]] == [
        ("in", "lint", web),
        ("line", "pdf", web),
        ("out", "pdf", root),
    ]
    assert lines[1][6] == "active: the task says $lint"
    assert lines[3][6] == f"skill-name-taken: {web}/pdf/SKILL.md"
    figures = assembler("skills", "-C", "packages/web", "-m", "run $lint", "-f", "json").json
    costs = [row["tokens"] for row in figures["skills"]]
    assert [[line[2], line[3]] for line in lines[1:4]] == [
        [str(cost["line"]), str(cost["instructions"])] for cost in costs
    ]
    assert lines[4][0].startswith(
        f"Catalog {costs[0]['line'] + costs[1]['line']} tokens, active {costs[0]['instructions']}."
    )


def test_list__without_skills_says_where_it_looked(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    shutil.rmtree(repository.root / ".agents")
    (repository.root / "a/b").mkdir(parents=True)

    result = assembler("skills", "list", "-C", "a/b")

    assert result.code == 0
    assert result.text == "No skills found. Looked for .agents/skills in 3 folders.\n"
    assert assembler("skills", "-f", "prompt").out == b""
    assert assembler("skills", "-f", "json").json["skills"] == []


@pytest.mark.parametrize("at", ["worktree", "index", "HEAD"])
def test_list__is_the_same_at_every_place_that_holds_the_same(
    assembler: CommandLine, skills: RepositoryBuilder, at: str
) -> None:
    there = assembler("skills", "-f", "json", "--at", at).json

    assert there["skills"] == assembler("skills", "-f", "json").json["skills"]


def test_list__works_without_a_repository(tmp_path: Path) -> None:
    folder = tmp_path / "plain/.agents/skills/one"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(skill("one"))
    command = CommandLine(cwd=tmp_path / "plain", home=tmp_path / "home")

    assert [row["name"] for row in command("skills", "-f", "json").json["skills"]] == ["one"]


def test_list__never_mixes_what_a_skill_says_with_what_the_terminal_does(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write(
        {
            ".agents/skills/\x1b[31mred/SKILL.md": "no front matter",
        }
    )
    repository.write({".agents/skills/spoof\u202e/SKILL.md": skill("spoof")})

    result = assembler("skills")

    assert "\x1b" not in result.text
    assert "\u202e" not in result.text
    assert "skill-no-front-matter" in result.text


class TestRootsOutside:
    @pytest.fixture
    def home(self, assembler: CommandLine) -> Path:
        folder = assembler.home / ".agents/skills/mine"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(skill("mine", "My own."))
        (folder / "notes.md").write_text("notes\n")
        return assembler.home

    def profile(self, home: Path, text: str) -> str:
        path = home / "profile.yaml"
        path.write_text(PROFILE + text)
        return str(path)

    def test_skills__of_the_user_come_after_those_of_the_repository(
        self, assembler: CommandLine, skills: RepositoryBuilder, home: Path
    ) -> None:
        (home / ".agents/skills/mine/SKILL.md").write_text(skill("pdf", "My own."))
        named = self.profile(home, "skills: {roots: [~/.agents/skills]}\n")

        found = rows(assembler("skills", "-f", "json", "-p", named))

        assert found[".agents/skills/pdf/SKILL.md"]["state"] == "listed"
        behind = found["~/.agents/skills/mine/SKILL.md"]
        assert (behind["state"], behind["reason"]) == ("shadowed", "skill-name-taken")

    def test_skill__of_the_user_is_rendered_when_active(
        self, assembler: CommandLine, skills: RepositoryBuilder, home: Path, tmp_path: Path
    ) -> None:
        named = self.profile(home, "skills: {roots: [~/.agents/skills]}\n")
        task, package = ("-m", "use $mine", "-p", named), tmp_path / "package"

        made = assembler("assemble", *task, "-f", "json", f"--out={package}")

        assert made.code == 0
        ledger = {row["id"]: row for row in made.json["ledger"]}
        assert ledger["skill:mine#instructions"]["decision"] == "selected"
        assert ledger["skill:mine"]["discovered_by"] == "skills of ~/.agents/skills"
        assert "My own." in assembler("assemble", *task, "-f", "input").text
        assert assembler("verify", str(package)).code == 0

    def test_root__that_only_the_repository_asks_for_is_refused_and_granted_by_the_host(
        self, assembler: CommandLine, skills: RepositoryBuilder, home: Path
    ) -> None:
        text = PROFILE + "skills: {roots: [~/.agents/skills/]}\n"
        skills.write({".assembler/profile.yaml": text})

        refused = assembler("skills", "list")

        assert refused.code == 3
        assert "profile-widens-host" in refused.talk
        assert "skills.roots: ~/.agents/skills" in refused.talk
        host = home / "host.yaml"
        host.write_text("schema: assembler/host/1\nskills: {roots: [~/.agents/skills]}\n")
        granted = rows(assembler("skills", "-f", "json", "--host", str(host)))
        assert granted["~/.agents/skills/mine/SKILL.md"]["state"] == "listed"

    def test_root__outside_is_read_from_this_machine_whatever_revision_is_asked(
        self, assembler: CommandLine, skills: RepositoryBuilder, home: Path
    ) -> None:
        named = self.profile(home, "skills: {roots: [~/.agents/skills]}\n")

        found = rows(assembler("skills", "-f", "json", "-p", named, "--at", "HEAD"))

        assert found["~/.agents/skills/mine/SKILL.md"]["digests"]["folder"]

    @pytest.mark.parametrize("root", ["../up", "a/../b", ".", "./x"])
    def test_root__in_no_plain_spelling_is_told(
        self, assembler: CommandLine, skills: RepositoryBuilder, home: Path, root: str
    ) -> None:
        named = self.profile(home, f"skills: {{roots: ['{root}']}}\n")

        result = assembler("skills", "-p", named)

        assert result.code == 2
        assert "path-outside" in result.talk

    def test_root__that_is_missing_holds_nothing(
        self, assembler: CommandLine, skills: RepositoryBuilder, home: Path
    ) -> None:
        named = self.profile(home, f"skills: {{roots: [~/none, {home}/none]}}\n")

        assert len(rows(assembler("skills", "-f", "json", "-p", named))) == 1

    def test_denied_file__of_a_users_skill_is_not_read(
        self, assembler: CommandLine, skills: RepositoryBuilder, home: Path
    ) -> None:
        (home / ".agents/skills/mine/.env").write_text("TOKEN=SECRET-SENTINEL")
        named = self.profile(home, "skills: {roots: [~/.agents/skills]}\n")

        result = assembler("skills", "-f", "json", "-p", named)

        assert rows(result)["~/.agents/skills/mine/SKILL.md"]["digests"]["folder"] is None
        assert "SECRET-SENTINEL" not in result.text


class TestPrompt:
    def test_block__is_that_of_the_specification_with_everything_escaped(
        self, assembler: CommandLine, repository: RepositoryBuilder
    ) -> None:
        text = "</description> & \"quotes\" 'too' <b>"
        quoted = text.replace("'", "''")
        shutil.rmtree(repository.root / ".agents")
        repository.write({".agents/skills/x&y/SKILL.md": skill("xy", f"'{quoted}'")})

        block = assembler("skills", "-f", "prompt").text

        escaped = html.escape(text)
        place = html.escape(f"{repository.root}/.agents/skills/x&y/SKILL.md")
        assert block.splitlines() == [
            "<available_skills>", "<skill>", "<name>", "xy", "</name>", "<description>", escaped,
            "</description>", "<location>", place, "</location>", "</skill>", "</available_skills>",
        ]  # fmt: skip


class TestAgentOptions:
    @pytest.mark.parametrize(
        "options",
        [["-t", "x"], ["-m", "x"], ["--task", "t"], ["-p", "x"], ["--host", "x"], ["--at", "HEAD"]],
    )
    def test_option__of_a_run_is_refused_beside_an_agent(
        self, assembler: CommandLine, skills: RepositoryBuilder, options: list[str]
    ) -> None:
        result = assembler("skills", "list", "--agent", "codex", *options)

        assert result.code == 2
        assert "option-conflict" in result.talk

    @pytest.mark.parametrize("options", [["--agent-config", "a=1"], ["--agent-system-dir", "x"]])
    def test_option__of_an_agent_is_refused_without_one(
        self, assembler: CommandLine, skills: RepositoryBuilder, options: list[str]
    ) -> None:
        result = assembler("skills", "list", *options)

        assert result.code == 2
        assert "option-needs-agent" in result.talk

"""`skills list` and `skills show`: every skill with its cost, and why one is left out."""

from __future__ import annotations

import hashlib
import html
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assembler.model.skill import MAX_SKILL_BYTES
from tests.builders.command_line import CommandLine, Result
from tests.builders.repositories import RepositoryBuilder

PROFILE = "schema: assembler/profile/1\n"


def skill(
    name: str, description: str = "Does it.", *, more: str = "", body: str = "Body.\n"
) -> str:
    return f"---\nname: {name}\ndescription: {description}\n{more}---\n{body}"


def rows(result: Result) -> dict[str, dict[str, Any]]:
    assert result.code == 0, result.talk
    return {row["path"]: row for row in result.json["skills"]}


@pytest.fixture
def skills(repository: RepositoryBuilder) -> RepositoryBuilder:
    repository.write(
        {
            ".agents/skills/pdf/SKILL.md": skill("pdf", "Use when: the input is a PDF"),
            ".agents/skills/pdf/references/forms.md": "forms\n",
            "packages/web/.agents/skills/pdf/SKILL.md": skill("pdf", "Of the web package."),
            "packages/web/.agents/skills/lint/SKILL.md": skill(
                "lint", more="allowed-tools: Bash(npm run:*), Read\n"
            ),
        }
    )
    repository.commit()
    return repository


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


class TestShow:
    def test_text__has_every_level_and_the_grant_beside_what_is_asked_for(
        self, assembler: CommandLine, skills: RepositoryBuilder
    ) -> None:
        text = assembler("skills", "show", "lint", "-C", "packages/web").text
        lines = [line.split() for line in text.splitlines()]

        assert lines[0] == ["lint", "packages/web/.agents/skills/lint", "not", "locked"]
        assert ["asks", "for", "Bash(npm", "run:*),", "Read"] in lines
        assert lines[-1][:3] == ["grant", "no", "tools"]
        pdf = assembler("skills", "show", "pdf").text
        assert re.search(r"on request +6 bytes +references/forms.md\n", pdf)
        assert re.search(r"folder +2 files, \d+ bytes +sha256:[0-9a-f]{12}\n", pdf)
        assert "warning ASM203" in pdf

    def test_body__is_the_file_as_it_is(
        self, assembler: CommandLine, skills: RepositoryBuilder
    ) -> None:
        shown = assembler("skills", "show", "pdf", "--body")

        assert shown.out == (skills.root / ".agents/skills/pdf/SKILL.md").read_bytes()

    def test_name__may_be_that_of_a_folder_and_a_wrong_one_is_told(
        self, assembler: CommandLine, skills: RepositoryBuilder
    ) -> None:
        by_folder = assembler("skills", "show", ".agents/skills/pdf/", "-f", "json").json
        wrong = assembler("skills", "show", "pfd")

        assert by_folder["skills"][0]["name"] == "pdf"
        (resource,) = by_folder["skills"][0]["resources"]
        assert resource == {
            "path": "references/forms.md",
            "kind": "file",
            "size_bytes": 6,
            "sha256": hashlib.sha256(b"forms\n").hexdigest(),
        }
        assert wrong.code == 2
        assert "did you mean pdf?" in wrong.talk
        assert assembler("skills", "show", "pdf", "--body", "-f", "json").code == 2


class TestLevels:
    """Nothing of a later level is opened for an earlier one."""

    def test_resources__that_block_hang_nothing(
        self, assembler: CommandLine, skills: RepositoryBuilder
    ) -> None:
        os.mkfifo(skills.root / ".agents/skills/pdf/references/pipe")
        os.mkfifo(skills.root / ".agents/skills/pdf/scripts")

        found = rows(assembler("skills", "-f", "json"))[".agents/skills/pdf/SKILL.md"]
        shown = assembler("skills", "show", "pdf")

        assert found["state"] == "listed"
        assert found["digests"]["folder"] is None
        assert re.search(r"on request +no file +references/pipe\n", shown.text)
        assert "no digest: references/pipe: not-a-file, scripts: not-a-file" in shown.text
        assert assembler("assemble", "-m", "use $pdf").code == 0

    @pytest.mark.parametrize("name", ["SKILL.md"])
    def test_head__that_blocks_is_no_skill_and_hangs_nothing(
        self, assembler: CommandLine, skills: RepositoryBuilder, name: str
    ) -> None:
        (skills.root / ".agents/skills/blocked").mkdir()
        os.mkfifo(skills.root / ".agents/skills/blocked" / name)

        found = rows(assembler("skills", "-f", "json"))

        row = found[".agents/skills/blocked/SKILL.md"]
        assert (row["state"], row["reason"]) == ("rejected", "skill-unreadable")
        assert found[".agents/skills/pdf/SKILL.md"]["state"] == "listed"

    @pytest.mark.parametrize("size_bytes", [MAX_SKILL_BYTES, MAX_SKILL_BYTES + 1, 10 << 30])
    def test_body__that_is_too_large_is_not_read_for_the_line(
        self, assembler: CommandLine, skills: RepositoryBuilder, size_bytes: int
    ) -> None:
        path = skills.root / ".agents/skills/pdf/SKILL.md"
        head = skill("pdf", "Reads é." + "é" * 200, more="license: MIT\n")
        path.write_text(head)
        os.truncate(path, size_bytes) if size_bytes > MAX_SKILL_BYTES else path.write_bytes(
            head.encode() + b"x\n" * ((size_bytes - len(head.encode())) // 2)
        )

        found = rows(assembler("skills", "-f", "json"))[".agents/skills/pdf/SKILL.md"]

        assert found["state"] == "listed", found
        assert found["description"].startswith("Reads é.")
        fits = size_bytes <= MAX_SKILL_BYTES
        assert (found["digests"]["instructions"] is not None) == fits
        assert [item["code"] for item in found["findings"]] == ["ASM208" if fits else "ASM213"]
        run = assembler("assemble", "-m", "use $pdf")
        assert run.code == 3
        assert ("over the input envelope" if fits else "skill-unreadable") in run.talk
        assert assembler("assemble", "-m", "nothing").code == 0
        assert ("ASM213" in assembler("skills", "check").text) != fits

    def test_list__of_lines_opens_no_file_of_a_later_level(
        self, assembler: CommandLine, skills: RepositoryBuilder
    ) -> None:
        code = (
            "import sys\n"
            "opened = set()\n"
            "sys.addaudithook(lambda event, about: event == 'open' and opened.add(str(about[0])))\n"
            "from assembler.cli.quick import run\n"
            "assert run(['skills', *sys.argv[1:]]) == 0\n"
            "found = any('forms.md' in name for name in opened)\n"
            "print('forms' if found else 'no', file=sys.stderr)\n"
            "assert any('SKILL.md' in name for name in opened)\n"
        )
        for arguments, expected in (([], "no"), (["-f", "json"], "forms")):
            done = subprocess.run(
                [sys.executable, "-c", code, *arguments],
                cwd=skills.root,
                env=assembler.environment(),
                capture_output=True,
                text=True,
                check=True,
            )
            assert expected in done.stderr.splitlines()


class TestCosts:
    def test_length__in_tokens_is_a_note_of_list_and_check(
        self, assembler: CommandLine, repository: RepositoryBuilder
    ) -> None:
        body = " ".join(f"w{number}" for number in range(4_000)) + "\n"
        repository.write({".agents/skills/long/SKILL.md": skill("long", body=body)})

        for command in ("list", "check"):
            told = assembler("skills", command, "-f", "json").json["findings"]
            assert [(item["code"], item["path"]) for item in told] == [
                ("ASM208", ".agents/skills/long/SKILL.md")
            ]
            assert told[0]["data"]["tokens"] > 5_000

    def test_ceiling__says_what_it_took_in_the_unit_that_it_counts(
        self, assembler: CommandLine, skills: RepositoryBuilder, tmp_path: Path
    ) -> None:
        profile = tmp_path / "p.yaml"
        profile.write_text(PROFILE + "skills: {budget: {tokens: 30}}\n")
        asked = ("skills", "-C", "packages/web", "-p", str(profile))

        text = assembler(*asked).text
        found = assembler(*asked, "-f", "json").json["skills"]

        hidden = [row for row in found if row["state"] == "hidden"]
        assert [row["reason"] for row in hidden] == ["catalog-over-budget"]
        assert f"out   {hidden[0]['name']}" in text
        assert "ASM211 catalog-over-budget: the catalog of skills has 30 tokens" in text


class TestPins:
    def lock(self, skills: RepositoryBuilder, assembler: CommandLine) -> None:
        """What `show` has for a lock, as it is."""
        shown = assembler("skills", "show", "pdf", "-f", "json").json["skills"][0]
        document = {"schema": "assembler/lock/1", "entries": [shown["lock_entry"]]}
        skills.write({".assembler/lock.json": json.dumps(document)})

    def test_pin__that_holds_is_said_and_one_that_does_not_too(
        self, assembler: CommandLine, skills: RepositoryBuilder
    ) -> None:
        assert "not locked" in assembler("skills", "show", "pdf").text
        self.lock(skills, assembler)

        assert "locked, matches" in assembler("skills", "show", "pdf").text
        assert "locked; skill-yaml-repaired" in assembler("skills", "list").text
        skills.write({".agents/skills/pdf/references/forms.md": "changed\n"})

        shown = assembler("skills", "show", "pdf")
        found = rows(assembler("skills", "-f", "json"))[".agents/skills/pdf/SKILL.md"]
        assert "pin broken" in shown.text
        assert "changed references/forms.md" in shown.text
        assert (found["state"], found["reason"]) == ("rejected", "skill-pin-broken")
        assert found["pin"]["state"] == "broken"
        assert assembler("assemble", "-m", "do it").code == 3


class TestExplain:
    @pytest.mark.parametrize(
        ("path", "state", "word"),
        [
            (".agents/skills/pdf/SKILL.md", "in", "its line `pdf` is in every input"),
            (".agents/skills/pdf/references/forms.md", "out", "when it is asked for by name"),
        ],
    )
    def test_path__of_a_skill_is_answered_by_the_terms_of_a_run(
        self,
        assembler: CommandLine,
        skills: RepositoryBuilder,
        path: str,
        state: str,
        word: str,
    ) -> None:
        answer = assembler("explain", path)

        assert answer.code == 0
        assert word in answer.text
        assert state.upper() in answer.text

    def test_line__that_a_ceiling_dropped_is_out(
        self, assembler: CommandLine, skills: RepositoryBuilder, tmp_path: Path
    ) -> None:
        profile = tmp_path / "p.yaml"
        profile.write_text(PROFILE + "skills: {budget: {tokens: 0}}\n")

        answer = assembler("explain", ".agents/skills/pdf/SKILL.md", "-p", str(profile))

        assert "catalog-over-budget" in answer.text


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


class TestWhatIsWrong:
    """What a run would refuse or ignore is said; all else is listed all the same."""

    @pytest.mark.parametrize("data", [b"caf\xe9", "utf".encode("utf-16"), b"\xff" * 9])
    def test_file__that_is_no_text_spoils_no_other_row(
        self, assembler: CommandLine, skills: RepositoryBuilder, data: bytes
    ) -> None:
        head = skill("latin").encode()
        skills.write({".agents/skills/latin/SKILL.md": head + data, "u/SKILL.md": data})

        for form in ("text", "json", "prompt"):
            assert assembler("skills", "list", "-f", form).code == 0
        found = rows(assembler("skills", "-f", "json"))
        bad = found.pop(".agents/skills/latin/SKILL.md")
        assert (bad["state"], bad["reason"]) == ("rejected", "skill-unreadable")
        assert bad["tokens"]["instructions"] is None
        assert {row["state"] for row in found.values()} == {"listed"}
        assert assembler("skills", "show", "pdf").code == 0
        assert assembler("skills", "check").code == 1

    def test_costs__in_an_input_are_those_of_the_run(
        self, assembler: CommandLine, skills: RepositoryBuilder
    ) -> None:
        asked = ("-C", "packages/web", "-m", "run $lint")

        listed = assembler("skills", "list", *asked, "-f", "json").json
        run = assembler("assemble", *asked, "-f", "json").json

        costs = {row["id"]: row["cost"] for row in run["ledger"] if row["id"].startswith("skill:")}
        found = {row["name"]: row["tokens"] for row in listed["skills"] if row["state"] == "listed"}
        assert costs == {
            "skill:lint": found["lint"]["rendered_line"],
            "skill:pdf": found["pdf"]["rendered_line"],
            "skill:lint#instructions": found["lint"]["rendered_instructions"],
            **{key: None for key, cost in costs.items() if cost is None},
        }
        assert listed["rendered_cost"] == {
            "catalog": costs["skill:lint"] + costs["skill:pdf"],
            "active": costs["skill:lint#instructions"],
        }

    def test_task__that_a_run_refuses_is_told(
        self, assembler: CommandLine, skills: RepositoryBuilder, tmp_path: Path
    ) -> None:
        task = tmp_path / "task.yaml"
        task.write_text(
            "schema: assembler/task/1\nobjective: x\nskills: [pfd, pdf/references/nope.md]\n"
        )

        listed = assembler("skills", "list", "--task", str(task))
        told = assembler("skills", "list", "--task", str(task), "-f", "json").json["refuses"]

        assert assembler("assemble", "--task", str(task)).code == 3
        assert {item["code"] for item in told} == {"required-missing", "skill-reference-missing"}
        assert "refused: no skill of that name was found: skill:pfd" in listed.text
        assert "did you mean pdf?" in listed.text
        assert listed.code == 0

    def test_skill__of_a_targets_folder_is_named_with_the_way_to_it(
        self, assembler: CommandLine, skills: RepositoryBuilder
    ) -> None:
        skills.write(
            {
                "packages/web/src/app.ts": "export {};\n",
                ".assembler/profile.yaml": PROFILE
                + "skills: {activate: [{skill: lint, when: 'packages/web/**'}]}\n",
            }
        )

        refused = assembler("assemble", "-m", "x", "-t", "packages/web/src/app.ts")

        assert refused.code == 3
        assert "start there, with -C packages/web" in refused.talk

    @pytest.mark.parametrize(
        ("words", "near"),
        [("use $pdff", "pdf"), ("use $PDF", "pdf"), ("use ${pdf}", "pdf"), ("in $HOME/x", None)],
    )
    def test_mention__that_is_nearly_a_name_is_told(
        self, assembler: CommandLine, skills: RepositoryBuilder, words: str, near: str | None
    ) -> None:
        told = assembler("skills", "list", "-m", words, "-f", "json").json["findings"]

        slugs = [item["data"]["near"] for item in told if item["code"] == "ASM229"]
        assert slugs == ([] if near is None else [near])

    def test_root__of_the_profile_that_is_nowhere_is_told(
        self, assembler: CommandLine, skills: RepositoryBuilder
    ) -> None:
        text = PROFILE + "skills: {roots: [.claude/skill, packages/web/.agents/skills]}\n"
        skills.write({".assembler/profile.yaml": text})

        told = assembler("skills", "list")

        assert "ASM228 skill-root-missing" in told.text
        assert ".claude/skill," in told.text
        assert told.text.count("ASM228") == 1

    def test_repository__with_other_programs_skills_alone_is_told_where_they_are(
        self, assembler: CommandLine, repository: RepositoryBuilder
    ) -> None:
        shutil.rmtree(repository.root / ".agents")
        repository.write({".claude/skills/x/SKILL.md": skill("x")})

        result = assembler("skills", "list")

        assert "No skills found" in result.text
        assert "not looked in: .claude/skills" in result.talk

    def test_row__without_a_name_is_found_by_that_of_its_folder(
        self, assembler: CommandLine, skills: RepositoryBuilder
    ) -> None:
        skills.write({".agents/skills/tabs/SKILL.md": "---\n\tname: tabs\n---\n"})

        assert "rejected: skill-yaml" in assembler("skills", "show", "tabs").text
        assert assembler("skills", "show", "tabs", "--body").code == 0
        assert "skill-yaml: .agents/skills/tabs/SKILL.md:2:1" in assembler("skills").text
        assert assembler("assemble", "-m", "use $tabs").code == 3

    def test_home__that_is_no_repository_may_hold_the_hosts_manifest(self, tmp_path: Path) -> None:
        (tmp_path / ".config/assembler").mkdir(parents=True)
        (tmp_path / ".config/assembler/host.yaml").write_text("schema: assembler/host/1\n")
        command = CommandLine(cwd=tmp_path, home=tmp_path)

        assert command("skills", "list").code == 0
        assert command("skills", "check").code == 0

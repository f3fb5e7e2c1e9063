"""What a run would refuse or ignore of skills is said; all else is listed all the same."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder
from tests.builders.skill_lists import PROFILE, rows, skill


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

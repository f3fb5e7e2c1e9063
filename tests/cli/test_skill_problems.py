"""What a run would refuse or ignore of skills is said; all else is listed all the same."""

from __future__ import annotations

import json
import re
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
        [
            ("use $pdff", "pdf"),
            ("use $Pdf", "pdf"),
            ("in $PDF", None),
            ("use ${pdf}", "pdf"),
            ("in $HOME/x", None),
        ],
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

    def test_closed_file__is_denied_by_its_rule_and_asking_for_it_refuses(
        self, assembler: CommandLine, skills: RepositoryBuilder
    ) -> None:
        skills.write({".assembler/profile.yaml": PROFILE + "read: {deny: ['**/pdf/**']}\n"})

        row = rows(assembler("skills", "-f", "json"))[".agents/skills/pdf/SKILL.md"]
        ledger = assembler("assemble", "-m", "x", "-f", "json").json["ledger"]
        refused = assembler("assemble", "-m", "use $pdf")

        assert (row["state"], row["reason"]) == ("rejected", "access-denied")
        (denied,) = [item for item in ledger if item["id"].startswith("skill:")]
        assert (denied["state"], denied["reason"]) == ("denied", "access-denied")
        assert refused.code == 3
        assert "Use when" not in refused.talk

    def test_layout__without_a_place_for_skills_hides_them(
        self, assembler: CommandLine, skills: RepositoryBuilder
    ) -> None:
        skills.write({".assembler/profile.yaml": PROFILE + "layout: context-contract/1\n"})

        result = assembler("skills", "list", "-m", "use $pdf", "-f", "json").json

        assert [(row["state"], row["reason"]) for row in result["skills"]] == [
            ("hidden", "layout-excludes")
        ]
        assert result["refuses"] == []
        assert result["rendered_cost"] == {"catalog": 0, "active": 0}

    def test_continued_run__sees_a_change_in_a_folder_without_a_digest(
        self, assembler: CommandLine, skills: RepositoryBuilder
    ) -> None:
        skills.write({".agents/skills/pdf/.env": "KEY=1\n"})
        assert assembler("assemble", "-m", "use $pdf").code == 0
        same = assembler("assemble", "-m", "use $pdf", "--continue", "last")
        skills.write({".agents/skills/pdf/references/forms.md": "other\n"})
        changed = assembler("assemble", "-m", "use $pdf", "--continue", "last")

        assert same.code == 0
        assert changed.code == 3
        assert "transition-required" in changed.talk

    def test_shape__hides_nothing_that_a_skill_asks_for(
        self, assembler: CommandLine, skills: RepositoryBuilder
    ) -> None:
        more = "allowed-tools:\n  - Read\n  - Bash(rm: -rf)\n  - [Write]\n"
        skills.write({".agents/skills/odd/SKILL.md": skill("odd", more=more)})

        shown = assembler("skills", "show", "odd")

        assert "Read, Bash(rm: -rf), [Write]" in shown.text

    def test_prompt__has_what_a_ceiling_left_and_no_raw_characters_of_a_path(
        self, assembler: CommandLine, skills: RepositoryBuilder, tmp_path: Path
    ) -> None:
        skills.write({".agents/skills/\u202eb/SKILL.md": skill("b", "word " * 60)})
        profile = tmp_path / "p.yaml"
        profile.write_text(PROFILE + "skills: {budget: {tokens: 80}}\n")

        block = assembler("skills", "-f", "prompt", "-p", str(profile)).text

        assert "word..." in block
        assert "\u202e" not in block
        assert "shortened: catalog-over-budget" in assembler("skills", "-p", str(profile)).text

    def test_folder__is_named_from_where_the_agent_starts(
        self, assembler: CommandLine, skills: RepositoryBuilder
    ) -> None:
        for name in (".agents/skills/pdf", "./.agents/skills/pdf/", "../../.agents/skills/pdf"):
            shown = assembler("skills", "show", name, "-C", "packages/web", "-f", "json")
            expected = "" if name.startswith("../..") else "packages/web/"
            assert shown.json["skills"][0]["path"] == f"{expected}.agents/skills/pdf/SKILL.md"

    def test_item__of_a_skill_is_explained_without_a_run(
        self, assembler: CommandLine, skills: RepositoryBuilder
    ) -> None:
        assert "its line `pdf` is in every input" in assembler("explain", "skill:pdf").text
        asked = assembler("explain", "skill:pdf/references/forms.md").text
        assert "when it is asked for by name" in asked
        turned_away = "skill:./packages/web/.agents/skills/lint/SKILL.md"
        assert assembler("explain", turned_away, "-C", "packages/web").code == 0
        for name in ("skill:none", "skill:pdf/none.md"):
            assert assembler("explain", name).code == 2
        assert "did you mean skill:pdf?" in assembler("explain", "skill:pdff").talk

    def test_word__that_is_no_skill_of_its_own_refuses_nothing(
        self, assembler: CommandLine, skills: RepositoryBuilder
    ) -> None:
        skills.write({".agents/skills/pdf/template/SKILL.md": skill("template")})
        skills.link({".agents/skills/old": "gone", ".agents/skills/copy": "pdf"})

        for word in ("template", "skills", "old", "copy"):
            assert assembler("assemble", "-m", f"quote ${word} in deploy.sh").code == 0, word

    def test_skill__that_is_asked_for_by_its_folder_says_what_is_wrong_with_it(
        self, assembler: CommandLine, skills: RepositoryBuilder
    ) -> None:
        head = "---\nname: broken\ndescription: &x foo\n---\n"
        skills.write({".agents/skills/broken/SKILL.md": head})

        refused = assembler("assemble", "-m", "do $broken")
        (told,) = assembler("skills", "-m", "do $broken", "-f", "json").json["refuses"]

        assert refused.code == 3
        assert "the skill broken can't be used" in refused.talk
        assert told["message"] in refused.talk
        assert told["next_step"]

    def test_code__of_a_closed_skill_is_that_of_the_run(
        self, assembler: CommandLine, skills: RepositoryBuilder
    ) -> None:
        skills.write({".assembler/profile.yaml": PROFILE + "read: {deny: ['**/pdf/**']}\n"})

        (told,) = assembler("skills", "-m", "use $pdf", "-f", "json").json["refuses"]

        assert told["code"] == "access-denied"

    def test_active_skill__without_a_line_is_in(
        self, assembler: CommandLine, skills: RepositoryBuilder, tmp_path: Path
    ) -> None:
        profile = tmp_path / "p.yaml"
        profile.write_text(PROFILE + "skills: {budget: {tokens: 1}}\n")

        text = assembler("skills", "-m", "use $pdf", "-p", str(profile)).text

        assert re.search(r"in +pdf .*active: the task says \$pdf; its line is out", text)

    def test_pin__that_was_corrected_by_hand_holds_again(
        self, assembler: CommandLine, skills: RepositoryBuilder
    ) -> None:
        shown = assembler("skills", "show", "pdf", "-f", "json").json["skills"][0]
        entry = shown["lock_entry"]
        skills.write({".agents/skills/pdf/references/forms.md": "other\n"})
        lock = {"schema": "assembler/lock/1", "entries": [entry]}
        skills.write({".assembler/lock.json": json.dumps(lock)})

        refused = assembler("assemble", "-m", "x")
        (digest,) = re.findall(r"write ([0-9a-f]{64}) for pdf", refused.talk)
        lock["entries"] = [{**entry, "sha256": digest}]
        skills.write({".assembler/lock.json": json.dumps(lock)})

        assert refused.code == 3
        assert assembler("assemble", "-m", "x").code == 0

    @pytest.mark.parametrize("path", [".", "packages", "testdata"])
    def test_links__of_folders_that_hold_no_skills_are_nobodys(
        self, assembler: CommandLine, skills: RepositoryBuilder, path: str
    ) -> None:
        skills.write({"testdata/ok/SKILL.md": skill("ok")})
        skills.link(
            {
                ".claude": ".agents",
                "packages/a/.agents": "../../.agents",
                "testdata/dangling": "nowhere",
                "testdata/abs": "/usr/bin/env",
            }
        )
        told = assembler("skills", "check", path, "-f", "json").json["findings"]

        assert "ASM213" not in {item["code"] for item in told}

    def test_link__that_is_dead_is_told_where_it_is_asked_for(
        self, assembler: CommandLine, skills: RepositoryBuilder
    ) -> None:
        skills.link({".agents/skills/dead": "nowhere"})

        result = assembler("skills", "check", ".agents/skills/dead", "-f", "json")

        assert result.code == 1
        assert [item["code"] for item in result.json["findings"]] == ["ASM213"]

    def test_pin__of_a_renamed_skill_or_a_nested_file_is_broken_for_a_hook_too(
        self, assembler: CommandLine, locked: RepositoryBuilder
    ) -> None:
        head = locked.root / ".agents/skills/pdf/SKILL.md"
        text = head.read_text()
        head.write_text(text.replace("name: pdf", "name: pdf2"))
        renamed = assembler("skills", "check", str(head), "--ignore", "ASM205")
        head.write_text(text)
        nested = {".agents/skills/pdf/template/SKILL.md": skill("template")}
        locked.write(nested)
        inside = assembler("skills", "check", *nested)

        assert "ASM210" in renamed.text
        assert "ASM210" in inside.text

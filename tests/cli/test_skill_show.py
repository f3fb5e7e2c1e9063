"""`skills show`: the levels of one skill, its pin, and what it asks for beside the grant."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder
from tests.builders.skill_lists import PROFILE, rows


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

    def test_row__that_was_turned_away_is_explained_with_the_edit_of_its_finding(
        self, assembler: CommandLine, skills: RepositoryBuilder
    ) -> None:
        assert assembler("assemble", "-m", "x", "-C", "packages/web").code == 0

        row = "skill:./.agents/skills/pdf/SKILL.md"
        answer = assembler("explain", row, "--run", "last", "-C", "packages/web").text

        assert "skill-name-taken" in answer
        assert "fix: Rename one of the two" in answer
        assert "CODE" not in answer

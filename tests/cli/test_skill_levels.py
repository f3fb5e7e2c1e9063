"""Nothing of a later level is opened for an earlier one; costs of each level."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from assembler.model.skill import MAX_SKILL_BYTES
from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder
from tests.builders.skill_lists import PROFILE, rows, skill


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

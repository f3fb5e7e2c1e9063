"""`skills check` beside the lock file: what was pinned, and what is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder
from tests.builders.skills import HOME

PDF = f"{HOME}/pdf"


def pins(run: CommandLine, *arguments: str) -> list[dict[str, Any]]:
    result = run("skills", "check", *arguments, "--select", "ASM210", "-f", "json")
    found = list(result.json["findings"])
    assert result.code == (1 if found else 0)
    return found


def test_pin__that_holds_says_nothing(assembler: CommandLine, locked: RepositoryBuilder) -> None:
    assert pins(assembler) == pins(assembler, PDF) == pins(assembler, f"{HOME}/csv") == []


def test_folder__that_differs_is_a_finding(
    assembler: CommandLine, locked: RepositoryBuilder
) -> None:
    locked.write({f"{PDF}/references/a.md": "b\n", f"{PDF}/scripts/new.sh": "x\n"})

    for arguments in ((), (PDF,), (f"{PDF}/scripts/new.sh",), (".",)):
        (found,) = pins(assembler, *arguments)
        assert (found["path"], found["data"]["skill"]) == (PDF, "pdf")
        assert "changed references/a.md; added scripts/new.sh" in found["message"]
    assert pins(assembler, f"{HOME}/csv") == []
    assert pins(assembler, "--at", "HEAD") == []


def test_skill__that_is_gone_or_rejected_is_a_finding(
    assembler: CommandLine, locked: RepositoryBuilder
) -> None:
    locked.write({f"{PDF}/SKILL.md": "# none\n"})
    for arguments in ((), (PDF,)):
        (found,) = pins(assembler, *arguments)
        assert f"{PDF}/SKILL.md is not listed (skill-no-front-matter)" in found["message"]
    locked.git("rm", "-rfq", PDF)
    (found,) = pins(assembler)
    assert found["path"] == ".assembler/lock.json"
    assert "no skill of that name is there" in found["message"]
    assert pins(assembler, f"{HOME}/csv") == []


def test_pin__is_of_the_skill_that_a_run_from_the_root_lists(
    assembler: CommandLine, locked: RepositoryBuilder
) -> None:
    nested = f"packages/web/{PDF}"
    skill = (locked.root / PDF / "SKILL.md").read_text()
    locked.write({f"{nested}/SKILL.md": skill, f"{nested}/references/a.md": "other\n"})
    assert pins(assembler) == pins(assembler, nested) == []

    locked.git("rm", "-rfq", PDF)
    (found,) = pins(assembler)
    assert found["path"] == nested
    locked.write({f"{nested}/references/a.md": "a\n"})
    assert pins(assembler) == []


def test_pin__is_of_no_skill_outside_the_folders_of_skills(
    assembler: CommandLine, locked: RepositoryBuilder
) -> None:
    locked.write({"docs/pdf/SKILL.md": "---\nname: pdf\ndescription: d\n---\n"})

    assert pins(assembler, "docs/pdf") == []


def test_lock__that_says_nothing_usable_is_exit_2(
    assembler: CommandLine, locked: RepositoryBuilder
) -> None:
    locked.write({".assembler/lock.json": '{"schema": "assembler/lock/1"}\n'})
    for arguments in ((), (f"{HOME}/csv",)):
        result = assembler("skills", "check", *arguments)
        assert (result.code, result.text) == (2, "")
        assert "(config-missing-key)" in result.talk


def test_skill__that_may_lie_outside_is_not_called_gone(
    assembler: CommandLine, locked: RepositoryBuilder, tmp_path: Path
) -> None:
    locked.git("rm", "-rfq", PDF)
    profile = tmp_path / "own.yaml"
    profile.write_text("schema: assembler/profile/1\nskills: {roots: [~/.agents/skills]}\n")

    assert pins(assembler, "--profile", str(profile)) == []

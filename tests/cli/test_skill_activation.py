"""What activates a skill: targets, changed paths, words of the task; and why, in its row."""

from __future__ import annotations

from pathlib import Path

import pytest

from assembler import Task
from assembler.front.assembling import assemble_repository
from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder
from tests.builders.skills import run_task, skill_rows, write_profile

ACTIVE = "skill:pdf#instructions"


def reason(assembler: CommandLine, *arguments: str, words: str = "Do it.") -> str | None:
    row = skill_rows(run_task(assembler, *arguments, words=words)).get(ACTIVE)
    return None if row is None else row["discovered_by"]


def rule(repository: RepositoryBuilder, **conditions: object) -> None:
    write_profile(repository, {"activate": [{"skill": "pdf", **conditions}]})


def test_rule__without_conditions_always_holds(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    rule(repository)
    assert reason(assembler) == "profile activates it"


def test_any_condition__is_enough(assembler: CommandLine, repository: RepositoryBuilder) -> None:
    rule(repository, when="src/**", keywords=["invoice", "Straße"])
    assert reason(assembler) is None
    assert reason(assembler, "-t", "docs/notes.md") is None
    assert reason(assembler, "-t", "src/x.py") == "profile: src/** holds src/x.py"
    assert reason(assembler, words="Read the INVOICE.") == "profile: the task says invoice"
    assert reason(assembler, words="die STRASSE") == "profile: the task says Straße"
    assert reason(assembler, words="invoices, Straßen") is None


def test_changed_path__activates_where_the_rule_asks_for_it(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    rule(repository, when="docs/**", changed=True)
    repository.commit()
    assert reason(assembler) is None
    repository.write({"src/x.py": "changed\n"})
    assert reason(assembler) is None
    repository.write({"docs/notes.md": "The parser is fast.\n"})
    holds = "profile: docs/** holds docs/notes.md, which is changed"
    assert reason(assembler) == holds
    assert reason(assembler, "--at", "index") is None
    repository.git("add", "docs/notes.md")
    assert reason(assembler, "--at", "index") == holds
    assert reason(assembler, "--at", "HEAD") is None
    repository.commit()
    assert reason(assembler) is None


@pytest.mark.parametrize("kind", ["new", "gone", "same-size", "link"])
def test_change__of_every_kind_counts(
    assembler: CommandLine, repository: RepositoryBuilder, kind: str
) -> None:
    rule(repository, changed=True)
    repository.commit()
    assert reason(assembler) is None
    notes = repository.root / "docs/notes.md"
    if kind == "new":
        repository.write({"docs/other.md": "x"})
    elif kind == "same-size":
        notes.write_bytes(notes.read_bytes()[::-1])
    else:
        notes.unlink()
    if kind == "link":
        notes.symlink_to("../src/x.py")
    path = "docs/other.md" if kind == "new" else "docs/notes.md"
    assert reason(assembler) == f"profile: what is changed holds {path}, which is changed"


@pytest.mark.parametrize("how", ["touched", "crlf", "ignored", "denied"])
def test_file__that_is_the_same_is_not_changed(
    assembler: CommandLine, repository: RepositoryBuilder, how: str
) -> None:
    rule(repository, when="docs/**", changed=True)
    repository.write({"docs/.env": "TOKEN=1\n", ".gitignore": "docs/ignored*\n"})
    repository.commit()
    notes = repository.root / "docs/notes.md"
    if how == "touched":
        notes.write_bytes(notes.read_bytes())
    elif how == "crlf":
        notes.write_bytes(notes.read_bytes().replace(b"\n", b"\r\n"))
    elif how == "ignored":
        repository.write({"docs/ignored.md": "x"})
    else:
        # A rule closes it: it is not opened to see whether it is another one.
        repository.write({"docs/.env": "TOKEN=2\n"})
    assert reason(assembler) is None


def test_twice_activated__is_once_in_with_the_first_reason(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    write_profile(repository, {"activate": [{"skill": "pdf"}, {"skill": "pdf", "when": "**"}]})
    result = run_task(assembler, skills=["pdf", "pdf"], words="Use $pdf and $pdf.")
    assert skill_rows(result)[ACTIVE]["discovered_by"] == "task names it"
    text = assembler("assemble", "-m", "Use $pdf.", "-f", "input").text
    assert text.count("Use it.") == 1


def test_git__is_started_six_times_at_most(
    repository: RepositoryBuilder, tmp_path: Path, assembler: CommandLine
) -> None:
    rule(repository, when="src/**", changed=True)
    repository.write({"src/x.py": "changed\n", "docs/new.md": "x\n"})
    run = assemble_repository(
        repository.root,
        Task(objective="x", targets=["docs/notes.md"]),
        environment=assembler.environment(),
    )
    assert "skill:pdf#instructions" in {row["id"] for row in run.recorded.package.rows}
    assert run.git_processes <= 6


@pytest.mark.parametrize(
    ("rule", "where"),
    [
        ("{skill: pdf, keywords: ['']}", "3:38"),
        ("{skill: pdf, keywords: [' ']}", "3:38"),
        ("{skill: pdf, changed: sometimes}", "3:27"),
        ("{skill: pdf, word: x}", "3:27"),
        ("{skill: pdf, resources: ['']}", "3:39"),
    ],
)
def test_rule__that_says_nothing_usable_is_an_error(
    assembler: CommandLine, repository: RepositoryBuilder, rule: str, where: str
) -> None:
    text = f"schema: assembler/profile/1\nskills:\n  activate: [{rule}]\n"
    repository.write({".assembler/profile.yaml": text})
    result = assembler("assemble", "-m", "x")
    assert result.code == 2
    assert f".assembler/profile.yaml:{where}" in result.talk


def test_rule_for_a_skill_that_is_not_there__refuses_if_it_holds_and_is_told_if_not(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    write_profile(repository, {"activate": [{"skill": "pfd", "when": "src/**"}], "always": ["csv"]})
    result = run_task(assembler)
    assert result.code == 0
    told = [item for item in result.json["findings"] if item["slug"] == "skill-missing"]
    assert [item["data"]["skill"] for item in told] == ["pfd", "csv"]
    refused = run_task(assembler, "-t", "src/x.py")
    assert (refused.code, refused.json["code"]) == (3, "required-missing")
    assert "skills.activate names it" in refused.json["message"]


@pytest.mark.parametrize("named", ["/a.md", "pdf/", ""])
def test_task__that_names_half_a_skill_is_an_error(assembler: CommandLine, named: str) -> None:
    result = run_task(assembler, skills=[named])
    assert (result.code, result.json["code"]) == (2, "config-value")

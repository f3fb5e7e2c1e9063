"""Skills that are not what was pinned: every run refuses, and says which files differ."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.builders.command_line import CommandLine, Result
from tests.builders.repositories import RepositoryBuilder
from tests.builders.runs import events
from tests.builders.skills import (
    HOME,
    lock_entry,
    offered_skills,
    require_verified,
    run_task,
    skill_files,
    skill_rows,
    write_lock,
    write_profile,
)

PDF = f"{HOME}/pdf"


def host(tmp_path: Path, text: str) -> tuple[str, str]:
    path = tmp_path / "host.yaml"
    path.write_text(f"schema: assembler/host/1\n{text}\n")
    return "--host", str(path)


def refused(result: Result) -> str:
    assert (result.code, result.json["code"]) == (3, "skill-pin-broken"), result.talk
    assert "Recorded: event" in result.talk
    return str(result.json["message"])


def test_folder__as_it_was_locked_is_in(
    assembler: CommandLine, locked: RepositoryBuilder, tmp_path: Path
) -> None:
    rows = skill_rows(run_task(assembler, skills=["pdf"]))
    assert {rows["skill:pdf"]["state"], rows["skill:pdf#instructions"]["state"]} == {"in"}
    require_verified(assembler, tmp_path / "p", skills=["pdf/references/a.md"])


@pytest.mark.parametrize("skills", [[], ["pdf"], ["pdf/references/a.md"]])
def test_changed_folder__refuses_active_or_not(
    assembler: CommandLine, locked: RepositoryBuilder, skills: list[str]
) -> None:
    locked.write({f"{PDF}/references/a.md": "b\n", f"{PDF}/scripts/new.sh": "x\n"})
    result = run_task(assembler, skills=skills)
    message = refused(result)
    assert "changed references/a.md; added scripts/new.sh" in message
    assert ".assembler/lock.json" in message
    digest = lock_entry(locked, "pdf")["sha256"]
    assert digest in result.json["next"]
    assert f"git diff HEAD -- {PDF}" in result.json["next"]
    rows = {name: row for name, row in offered_skills(assembler).items() if "pdf" in name}
    assert rows.keys() == {"skill:pdf"} | ({"skill:pdf#instructions"} if skills else set())
    assert {row["content"]["code"] for row in rows.values()} == {"skill-pin-broken"}


def test_removed_and_changed_instructions__are_named(
    assembler: CommandLine, locked: RepositoryBuilder
) -> None:
    (locked.root / PDF / "references/a.md").unlink()
    locked.write(skill_files("pdf", body="Other."))
    assert "changed SKILL.md; removed references/a.md" in refused(run_task(assembler))


def test_lock_of_four_members__says_that_it_cannot_name_files(
    assembler: CommandLine, locked: RepositoryBuilder
) -> None:
    write_lock(locked, {**lock_entry(locked, "pdf", whole=False), "tokens": 3})
    assert run_task(assembler).code == 0
    locked.write({f"{PDF}/references/a.md": "b\n"})
    assert "does not say of which files" in refused(run_task(assembler))


def test_many_changed_files__stay_within_a_row(
    assembler: CommandLine, locked: RepositoryBuilder
) -> None:
    locked.write({f"{PDF}/references/{'n' * 60}{number}.md": "x" for number in range(40)})
    refused(run_task(assembler))
    where = offered_skills(assembler)["skill:pdf"]["content"]["where"]
    assert len(where.encode()) <= 512


def test_skill__that_is_gone_or_broken_refuses(
    assembler: CommandLine, locked: RepositoryBuilder
) -> None:
    locked.write({f"{PDF}/SKILL.md": "no front matter\n"})
    assert "not listed" in refused(run_task(assembler))
    for path in sorted((locked.root / PDF).rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    assert "no skill of that name is there" in refused(run_task(assembler, skills=["pdf"]))


def test_pipe_in_a_pinned_folder__refuses_and_does_not_wait(
    assembler: CommandLine, locked: RepositoryBuilder
) -> None:
    os.mkfifo(locked.root / PDF / "pipe")
    assert "its digest can't be told: pipe" in refused(run_task(assembler))


def test_host_pin__is_obeyed_before_the_lock(
    assembler: CommandLine, locked: RepositoryBuilder, tmp_path: Path
) -> None:
    old = lock_entry(locked, "pdf")
    locked.write({f"{PDF}/references/a.md": "b\n"})
    now = lock_entry(locked, "pdf")["sha256"]
    pins = host(tmp_path, f"skills: {{pins: {{pdf: 'sha256:{now}', nowhere: 'sha256:{now}'}}}}")
    assert run_task(assembler, *pins).code == 0
    write_lock(locked, lock_entry(locked, "pdf"))
    pins = host(tmp_path, f"skills: {{pins: {{pdf: 'sha256:{old['sha256']}'}}}}")
    assert "the host manifest" in refused(run_task(assembler, *pins))
    write_lock(locked, old)
    assert "changed references/a.md" in refused(run_task(assembler, *pins))


def test_lock_of_the_policy__judges_with_its_skills(
    assembler: CommandLine, locked: RepositoryBuilder
) -> None:
    locked.git("checkout", "-q", "-b", "feature")
    locked.write({f"{PDF}/references/a.md": "b\n"})
    write_lock(locked, {**lock_entry(locked, "pdf", whole=False), "sha256": "0" * 64})
    locked.commit()
    refused(run_task(assembler))
    assert run_task(assembler, "--policy-from", "main").code == 0
    refused(run_task(assembler, "--at", "HEAD"))
    assert run_task(assembler, "--at", "main").code == 0


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", "config-json"),
        ('{"schema": "assembler/lock/1", "entries": [], "more": 1}', "config-unknown-key"),
        ('{"schema": "assembler/lock/1", "entries": [{"kind": "skill"}]}', "config-missing-key"),
    ],
)
def test_lock__that_is_none_is_an_error_with_its_place(
    assembler: CommandLine, locked: RepositoryBuilder, text: str, code: str
) -> None:
    locked.write({".assembler/lock.json": text})
    result = run_task(assembler)
    assert (result.code, result.json["code"]) == (2, code)
    assert result.json["where"].startswith(".assembler/lock.json")


def test_pinned_skill__whose_line_was_dropped_refuses_all_the_same(
    assembler: CommandLine, locked: RepositoryBuilder
) -> None:
    locked.write(
        {
            f"{PDF}/references/a.md": "b\n",
            ".assembler/profile.yaml": "schema: assembler/profile/1\n"
            "skills: {budget: {tokens: 0}}\n",
        }
    )
    refused(run_task(assembler))


@pytest.mark.parametrize(
    ("changed", "skills", "whats"),
    [
        ("SKILL.md", ["pdf"], {("skill", "#instructions"), ("skill-entry", "")}),
        ("references/a.md", ["pdf"], {("skill", "#instructions"), ("skill-entry", "")}),
        ("references/a.md", [], {("skill-entry", "")}),
        (
            "references/a.md",
            ["pdf/references/a.md"],
            {
                ("skill", "#instructions"),
                ("skill-entry", ""),
                ("skill-reference", "/references/a.md"),
            },
        ),
    ],
)
def test_folder_changed_since_the_run__enters_by_a_transition_alone(
    assembler: CommandLine,
    repository: RepositoryBuilder,
    changed: str,
    skills: list[str],
    whats: set[tuple[str, str]],
) -> None:
    repository.write({f"{PDF}/references/a.md": "a\n"})
    repository.commit()
    before = lock_entry(repository, "pdf")["sha256"]
    assert run_task(assembler, skills=skills).code == 0
    repository.write(
        {f"{PDF}/{changed}": (repository.root / PDF / changed).read_text() + "More.\n"}
    )
    after = lock_entry(repository, "pdf")["sha256"]
    result = run_task(assembler, "--continue", "1", skills=skills)
    assert (result.code, result.json["code"]) == (3, "transition-required")
    result = run_task(assembler, "--continue", "1", "--because", "reviewed", skills=skills)
    assert result.code == 0, result.talk
    (transition,) = [item for item in events(assembler) if item["event"].endswith("transitioned")]
    changes: list[dict[str, Any]] = transition["payload"]["changes"]
    assert {(item["what"], item["name"].removeprefix("skill:pdf")) for item in changes} == whats
    for item in changes:
        if item["what"] != "skill-reference":
            assert (item["old_sha256"], item["new_sha256"]) == (before, after)


def test_folder_changed__is_told_of_an_active_skill_whose_line_was_dropped(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    profile = "schema: assembler/profile/1\nskills: {budget: {tokens: 0}}\n"
    repository.write({".assembler/profile.yaml": profile, f"{PDF}/a.md": "a\n"})
    repository.commit()
    assert run_task(assembler, skills=["pdf"]).code == 0
    repository.write({f"{PDF}/a.md": "b\n"})
    result = run_task(assembler, "--continue", "1", skills=["pdf"])
    assert (result.code, result.json["code"]) == (3, "transition-required")
    assert "skill:pdf#instructions" in result.json["message"]


def test_folder_changed__is_told_of_a_dropped_skill_that_a_later_run_activates(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    profile = "schema: assembler/profile/1\nskills: {budget: {tokens: 0}}\n"
    repository.write({".assembler/profile.yaml": profile})
    repository.commit()
    assert run_task(assembler).code == 0
    assert run_task(assembler, "--continue", "1").code == 0
    assert run_task(assembler, "--continue", "2", skills=["pdf"]).code == 0
    repository.write(skill_files("pdf", body="Other."))
    result = run_task(assembler, "--continue", "3")
    assert (result.code, result.json["code"]) == (3, "transition-required")


def test_line_that_a_ceiling_drops_or_shortens__is_a_change_of_a_continued_run(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write(skill_files("long", description="word " * 150))
    assert run_task(assembler).code == 0
    for number, ceiling in ((1, 100), (2, 0), (3, 1_000)):
        profile = f"schema: assembler/profile/1\nskills: {{budget: {{tokens: {ceiling}}}}}\n"
        repository.write({".assembler/profile.yaml": profile})
        result = run_task(assembler, "--continue", str(number))
        assert result.json["code"] == "transition-required"
        assert "skill:long" in result.json["message"]
        result = run_task(assembler, "--continue", str(number), "--because", "a smaller catalog")
        assert result.code == 0, result.talk


@pytest.mark.parametrize("layout", ["context-contract/1", "control/1"])
def test_layout_without_tools__has_nothing_of_a_changed_skill(
    assembler: CommandLine, locked: RepositoryBuilder, tmp_path: Path, layout: str
) -> None:
    locked.write({f"{PDF}/references/a.md": "b\n"})
    write_profile(locked, {"budget": {"tokens": 0}}, layout=layout)
    rows = skill_rows(run_task(assembler, skills=["pdf"]))
    assert {row["state"] for row in rows.values()} == {"out"}
    assert rows["skill:pdf"]["code"] == "skill-pin-broken"
    require_verified(assembler, tmp_path / "p", skills=["pdf"])

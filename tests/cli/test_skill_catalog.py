"""The catalog under a ceiling, through the command line: rows, costs, findings, packages."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from tests.builders.bug_cases import build
from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder
from tests.builders.skills import (
    HOME,
    require_verified,
    run_task,
    skill_files,
    skill_rows,
    write_profile,
)

OVER = "catalog-over-budget"


@pytest.fixture
def three(repository: RepositoryBuilder) -> RepositoryBuilder:
    for name, count in (("alpha", 60), ("beta", 12), ("gamma", 60)):
        repository.write(skill_files(name, description=" ".join(["word"] * count)))
    repository.commit()
    return repository


def budget(repository: RepositoryBuilder, ceiling: dict[str, Any], **skills: object) -> None:
    write_profile(repository, {"budget": ceiling, **skills}, counter="code-points")


def costs(rows: dict[str, Any]) -> int:
    return sum(row["cost"] for row in rows.values() if row["kind"] == "skill-entry" and row["cost"])


def test_ceiling__exactly_full_changes_nothing_and_one_less_shortens(
    assembler: CommandLine, three: RepositoryBuilder
) -> None:
    budget(three, {"tokens": 10_000})
    whole = skill_rows(run_task(assembler))
    full = costs(whole)
    budget(three, {"tokens": full})
    result = run_task(assembler)
    assert skill_rows(result).keys() == whole.keys()
    assert OVER not in [item["slug"] for item in result.json["findings"]]
    budget(three, {"tokens": full - 1})
    rows = skill_rows(run_task(assembler))
    assert costs(rows) <= full - 1
    assert {name for name in rows if name.endswith("#line")} == {
        "skill:alpha#line", "skill:gamma#line",
    }  # fmt: skip
    row = rows["skill:alpha#line"]
    assert (row["state"], row["code"]) == ("out", OVER)
    spelled = f"{whole['skill:alpha']['cost']:,} of {full - 1:,} code points whole, shortened to "
    assert row["detail"]["where"].startswith(f"{HOME}/alpha/SKILL.md: {spelled}")
    assert row["detail"]["where"].endswith(f"{rows['skill:alpha']['cost']:,}")


def test_ceiling_of_nothing__drops_every_line_and_active_skills_stay_active(
    assembler: CommandLine, three: RepositoryBuilder, tmp_path: Path
) -> None:
    budget(three, {"tokens": 0})
    result = run_task(assembler, skills=["alpha"])
    rows = skill_rows(result)
    lines = {name: row for name, row in rows.items() if row["kind"] == "skill-entry"}
    assert set(lines) == {"skill:alpha", "skill:beta", "skill:gamma", "skill:pdf"}
    assert {(row["state"], row["code"]) for row in lines.values()} == {("out", OVER)}
    assert rows["skill:alpha#instructions"]["state"] == "in"
    (finding,) = [item for item in result.json["findings"] if item["slug"] == OVER]
    assert finding["data"]["ceiling"] == 0
    assert [item["name"] for item in finding["data"]["lost"]] == ["alpha", "beta", "gamma", "pdf"]
    assert all(item["cost"] > 0 and item["shown"] is None for item in finding["data"]["lost"])
    text = assembler("assemble", "-m", "x").text
    assert "ASM211 catalog-over-budget" in text
    assert "out  skill:alpha +3" in text
    require_verified(assembler, tmp_path / "p", skills=["alpha"])


def test_active_and_wanted_lines__lose_last(
    assembler: CommandLine, three: RepositoryBuilder, tmp_path: Path
) -> None:
    budget(three, {"tokens": 10_000})
    whole = skill_rows(run_task(assembler))
    ceiling = whole["skill:gamma"]["cost"] + whole["skill:pdf"]["cost"]
    budget(three, {"tokens": ceiling}, always=["pdf"])
    rows = skill_rows(run_task(assembler, skills=["gamma"]))
    assert [name for name, row in rows.items() if row["state"] == "in"] == [
        "skill:gamma", "skill:pdf", "skill:gamma#instructions",
    ]  # fmt: skip
    assert rows["skill:gamma"]["cost"] == whole["skill:gamma"]["cost"]
    require_verified(assembler, tmp_path / "p", skills=["gamma"])


def test_share__is_of_the_window_and_the_lower_ceiling_holds(
    assembler: CommandLine, three: RepositoryBuilder
) -> None:
    for ceiling, expected in (({"share": "0.001"}, 128), ({"share": "0.5", "tokens": 7}, 7)):
        budget(three, ceiling)
        result = run_task(assembler)
        (finding,) = [item for item in result.json["findings"] if item["slug"] == OVER]
        assert finding["data"]["ceiling"] == expected


def test_nearer_level__loses_after_a_farther_one(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    text = skill_files("zeta", description="word " * 20)[f"{HOME}/zeta/SKILL.md"]
    repository.write({f"src/{HOME}/zeta/SKILL.md": text})
    repository.write(skill_files("alpha", description="word " * 20))
    budget(repository, {"tokens": 130})
    rows = skill_rows(run_task(assembler, "-C", "src"))
    assert rows["skill:zeta"]["state"] == "in"
    assert rows["skill:alpha"]["state"] == "out"


def test_bug_040__the_ceiling_holds_nothing_vanishes_and_time_decides_nothing(
    tmp_path: Path,
) -> None:
    built = build("040", tmp_path)
    root = built.top / "repo"
    (root / ".assembler").mkdir()
    (root / ".assembler/profile.yaml").write_text(
        "schema: assembler/profile/1\ncounter: code-points\nskills: {budget: {tokens: 1000}}\n"
    )
    first = built.run("assemble", "-m", "x", "-f", "input")
    for number, path in enumerate(sorted(root.glob(f"{HOME}/*/SKILL.md"), reverse=True)):
        os.utime(path, (number, number))
    second = built.run("assemble", "-m", "x", "-f", "input")
    assert first.out == second.out
    rows = skill_rows(built.run("assemble", "-m", "x", "-f", "json"))
    lines = {name: row for name, row in rows.items() if "#" not in name}
    assert len(lines) == built.expected["facts"]["skills"] == 12
    assert sum(row["cost"] or 0 for row in lines.values()) <= 1_000
    for row in lines.values():
        assert row["state"] == "in" or row["code"] == OVER
    for name, row in lines.items():
        if row["state"] == "in":
            assert f"{name}#line" in rows  # each is shortened here, and says so


def test_thousand_skills__are_fitted_fast(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    for number in range(1_000):
        words = " ".join(f"word{number % 7}" for _ in range(166))
        repository.write(skill_files(f"s{number:04}", description=words))
    write_profile(repository, {"budget": {"share": "0.02"}})
    started = time.monotonic()
    rows = skill_rows(run_task(assembler))
    assert time.monotonic() - started < 30
    lines = [row for name, row in rows.items() if "#" not in name]
    assert len(lines) == 1_001
    assert 0 < sum(row["cost"] or 0 for row in lines) <= 2_560
    assert all(row["state"] == "in" or "tokens" in row["detail"]["where"] for row in lines)

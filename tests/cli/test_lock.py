"""`lock` records what policy is, `lock --check` and `--locked` hold it to that."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.builders.catalogs import Bench, tool
from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder

LOCK = ".assembler/lock.json"
SERVER = "s"


def entries(repository: RepositoryBuilder) -> dict[tuple[str, str], dict[str, Any]]:
    document = json.loads((repository.root / LOCK).read_bytes())
    return {(entry["kind"], entry["name"]): entry for entry in document["entries"]}


@pytest.fixture
def locked(assembler: CommandLine, repository: RepositoryBuilder) -> RepositoryBuilder:
    repository.write({".assembler/profile.yaml": "schema: assembler/profile/1\n"})
    assert assembler("lock").code == 0
    repository.commit("lock")
    return repository


def test_lock__records_everything_that_is_policy(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({".assembler/profile.yaml": "schema: assembler/profile/1\n"})
    result = assembler("lock")
    assert result.code == 0, result.talk
    assert f"Wrote {LOCK}: 6 entries." in result.text
    assert set(entries(repository)) == {
        ("chain", "."),
        ("chain", "src"),
        ("instruction", "AGENTS.md"),
        ("instruction", "src/AGENTS.md"),
        ("profile", ".assembler/profile.yaml"),
        ("skill", "pdf"),
    }
    lines = (repository.root / LOCK).read_text().splitlines()
    assert len(lines) == 8, "one entry a line"
    assert entries(repository)["chain", "src"]["tokens"] == sum(
        entries(repository)["instruction", path]["tokens"]
        for path in ("AGENTS.md", "src/AGENTS.md")
    )
    shown = assembler("skills", "show", "pdf", "-f", "json").json["skills"][0]["lock_entry"]
    assert entries(repository)["skill", "pdf"] == shown


def test_lock__tells_others_apart_from_the_last_change(
    repository: RepositoryBuilder, assembler: CommandLine
) -> None:
    profile = ".assembler/profile.yaml"
    repository.write({profile: "schema: assembler/profile/1\n"})
    assert assembler("lock").code == 0
    repository.write({profile: "schema: assembler/profile/1\nwindow: 9000\n"})
    (line,) = [line for line in assembler("lock").text.splitlines() if profile in line]
    assert re.search(r"[0-9a-f]{12} -> [0-9a-f]{12}  = \d others\Z", line)


def test_lock__of_the_same_is_the_same_bytes_from_every_folder(
    assembler: CommandLine, locked: RepositoryBuilder
) -> None:
    before = (locked.root / LOCK).read_bytes()
    assert "is as it was" in assembler("lock").text
    assert "is as it was" in assembler("lock", cwd=locked.root / "src").text
    assert assembler("lock", "--check", cwd=locked.root / "src").code == 0
    (locked.root / LOCK).unlink()
    assembler("lock", cwd=locked.root / "src")
    assert (locked.root / LOCK).read_bytes() == before


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"AGENTS.md": "# Other\n"}, ["AGENTS.md"]),
        ({"src/AGENTS.md": "# Other\n"}, ["src/AGENTS.md"]),
        ({"docs/AGENTS.md": "# New\n"}, ["docs/AGENTS.md"]),
        ({"src/AGENTS.override.md": "# Instead\n"}, ["src/AGENTS.md", "src/AGENTS.override.md"]),
        ({".agents/skills/pdf/run.sh": "true\n"}, ["pdf"]),
        ({".agents/skills/csv/SKILL.md": "---\nname: csv\ndescription: C.\n---\n"}, ["csv"]),
        ({".assembler/profile.yaml": "schema: assembler/profile/1\nwindow: 90000\n"},
         [".assembler/profile.yaml"]),
        ({".assembler/profile.yaml": "schema: assembler/profile/1\n"
                                     "instructions: {limit_bytes: 50, on_overflow: cut}\n"},
         [".assembler/profile.yaml", "src"]),
    ],
)  # fmt: skip
def test_check__tells_what_changed_and_nothing_else(
    assembler: CommandLine, locked: RepositoryBuilder, files: dict[str, str], told: list[str]
) -> None:
    locked.write(files)
    result = assembler("lock", "--check", "-f", "json")
    assert result.code == 1
    assert sorted(item["data"]["name"] for item in result.json["findings"]) == sorted(told)
    assert {item["slug"] for item in result.json["findings"]} == {"lock-stale"}
    assert assembler("lock", "--check", "--at", "HEAD").code == 0
    refused = assembler("assemble", "-m", "x", "--locked")
    assert refused.code == 3
    assert "(lock-stale)" in refused.talk
    assert assembler("assemble", "-m", "x", "--locked", "--at", "HEAD").code == 0
    assert assembler("lock").code == 0
    assert assembler("lock", "--check").code == 0
    assert assembler("assemble", "-m", "x", "--locked").code == 0


def test_check__does_not_mind_what_is_no_policy(
    assembler: CommandLine, locked: RepositoryBuilder
) -> None:
    locked.write({"src/x.py": "x = 2\n", "README.md": "# R\n", ".assembler/tools.json": "[]"})
    (locked.root / "AGENTS.md").touch()
    assert assembler("lock", "--check").code == 0


def test_instructions__that_no_listing_has_refuse_the_run_that_loads_them(
    assembler: CommandLine, locked: RepositoryBuilder
) -> None:
    locked.write({".gitignore": "ignored\n"}).commit("ignore a folder")
    inner = RepositoryBuilder(locked.root / "inner")
    inner.write({"AGENTS.md": "# Inner\n", "x.py": "x\n"})
    locked.write({"ignored/AGENTS.md": "# Ignored\n", "ignored/deep/x.py": "x\n"})
    locked.write({"ignored2/x.py": "x\n"})
    assert assembler("lock", "--check").code == 0
    aimed = assembler("assemble", "-m", "x", "--locked", "-t", "ignored/deep/x.py")
    started = assembler("assemble", "-m", "x", "--locked", cwd=locked.root / "ignored")
    for refused in (aimed, started):
        assert refused.code == 3
        assert "(lock-stale)" in refused.talk
        assert "ignored/AGENTS.md" in refused.talk
    assert assembler("assemble", "-m", "x", "--locked", "-t", "ignored2/x.py").code == 0
    assert assembler("assemble", "-m", "x", "-t", "ignored/deep/x.py").code == 0


def test_policy_from__is_held_to_its_own_lock(
    assembler: CommandLine, locked: RepositoryBuilder
) -> None:
    locked.git("branch", "base")
    locked.write({"AGENTS.md": "# Mine\n"})
    assembler("lock")
    locked.commit("a branch that locks its own rules")
    result = assembler("assemble", "-m", "x", "--locked", "--policy-from", "base", "-f", "input")
    assert result.code == 0
    assert "# Mine" not in result.text


def test_lock__is_missing_without_one(assembler: CommandLine) -> None:
    for words in (("lock", "--check"), ("assemble", "-m", "x", "--locked")):
        result = assembler(*words)
        assert result.code == 2
        assert "(lock-missing)" in result.talk


@pytest.mark.parametrize("text", ["", "{", '{"schema": "assembler/lock/2", "entries": []}'])
def test_lock__that_says_nothing_usable_is_told_and_kept(
    assembler: CommandLine, repository: RepositoryBuilder, text: str
) -> None:
    repository.write({LOCK: text})
    for words in (("lock",), ("lock", "--check")):
        assert assembler(*words).code == 2
    assert (repository.root / LOCK).read_text() == text


@pytest.mark.parametrize("place", [LOCK, ".assembler"])
def test_lock__is_never_written_through_a_link(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path, place: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    target = outside if place == ".assembler" else outside / "lock.json"
    (repository.root / place).parent.mkdir(exist_ok=True)
    (repository.root / place).symlink_to(target)
    result = assembler("lock")
    assert result.code == 2, result.text
    assert list(outside.iterdir()) == []


def test_catalog__is_locked_once_and_moved_by_approval_alone(bench: Bench) -> None:
    assert bench.pin(tool("a"), tool("b")).code == 0
    assert bench.command("lock").code == 0
    first = entries(bench.repository)["catalog", SERVER]
    pin = bench.repository.root / f".assembler/pins/{SERVER}.json"
    pin.unlink()
    assert bench.pin(tool("a", "Another text."), tool("b")).code == 0
    (bench.repository.root / LOCK).write_text(
        json.dumps({"schema": "assembler/lock/1", "entries": [first]})
    )
    again = bench.command("lock")
    assert again.code == 0
    assert f"catalog:{SERVER}" in again.text
    assert f"stays {first['sha256'][:12]}; the pin is" in again.text
    assert entries(bench.repository)["catalog", SERVER] == first
    check = bench.command("lock", "--check")
    assert check.code == 1
    assert f"assembler tools check {SERVER}" in check.text


def test_skill__that_has_no_digest_is_told(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    import os

    os.mkfifo(repository.root / ".agents/skills/pdf/pipe")
    result = assembler("lock")
    assert result.code == 0
    assert "can't be locked" in result.text
    assert ("skill", "pdf") not in entries(repository)
    assert assembler("lock", "--check").code == 1


def test_option__at_is_for_the_comparison(assembler: CommandLine) -> None:
    result = assembler("lock", "--at", "HEAD")
    assert result.code == 2
    assert "(option-conflict)" in result.talk
    result = assembler("assemble", "--inventory", "-", "--locked", stdin="{}")
    assert "(option-conflict)" in result.talk

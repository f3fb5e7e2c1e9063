"""Files that are called like a part of another, and files in conflict, at the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder


def write_task(path: Path, *files: str) -> str:
    evidence = [{"file": name} for name in files]
    path.write_text(
        json.dumps({"schema": "assembler/task/1", "objective": "x", "evidence": evidence})
    )
    return str(path)


def conflict(repository: RepositoryBuilder, path: str) -> None:
    """A path that a merge left in conflict, in the index."""
    blobs = [
        repository.git("hash-object", "-w", "--stdin", stdin=text).decode().strip()
        for text in (b"base\n", b"mine\n", b"other\n")
    ]
    lines = "".join(f"100644 {blob} {stage}\t{path}\n" for stage, blob in enumerate(blobs, 1))
    repository.git("rm", "-q", "--cached", path)
    repository.git("update-index", "--index-info", stdin=lines.encode())


@pytest.mark.parametrize("named", ["w#eird", "w@r1", "w#L1-L1"])
def test_explain__does_not_answer_for_a_file_with_the_row_of_another(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path, named: str
) -> None:
    repository.write({"w": "w\n", named: "odd\n"}).commit()
    task = write_task(tmp_path / "task.json", named)
    one = assembler("explain", "w", "--task", task, "-f", "json")
    assert (one.json["state"], one.json["reason"]) == ("out", "not-offered")
    assert one.json["rows"] == []
    other = assembler("explain", named, "--task", task, "-f", "json")
    assert [row["id"] for row in other.json["rows"]] == [f"file:{named}"]


@pytest.mark.parametrize("name", ["x#Lib", "x#L1-L2"])
def test_explain__finds_a_file_by_its_row_where_its_name_looks_like_lines(
    assembler: CommandLine, repository: RepositoryBuilder, name: str
) -> None:
    repository.write({"x": "1\n2\n3\n", name: "odd\n"}).commit()
    assert assembler("explain", f"file:{name}", "-f", "json").json["item"] == name
    assert assembler("explain", "file:x#L2-L3", "-f", "json").json["item"] == "x"
    assert assembler("explain", "file:x#L2-L3@r1", "-f", "json").json["item"] == "x"


def test_explain__does_not_take_a_name_behind_a_file_for_lines(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({"x": "1\n"}).commit()
    result = assembler("explain", "file:x#Lib", "-f", "json")
    assert (result.code, result.json["code"]) == (2, "path-missing")


def test_target__in_conflict_is_no_instruction_file(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({"src/a.txt": "base\n"}).commit()
    conflict(repository, "src/a.txt")
    result = assembler("assemble", "--at=index", "-t", "src/a.txt", "-m", "x", "-f", "json")
    assert result.code == 0, result.talk
    rows = {row["id"]: row for row in result.json["ledger"]}
    row = rows["file:src/a.txt"]
    assert (row["state"], row["reason"]) == ("out", "content-absent")
    assert row["discovered_by"] == "target; a merge left it in conflict"
    # The instructions of its folder are those that apply to it.
    chain = assembler("chain", "--at=index", "-t", "src/a.txt", "-f", "json")
    assert "src/AGENTS.md" in [row["path"] for row in chain.json["chain"]]


def test_instruction__in_conflict_refuses_still(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    conflict(repository, "AGENTS.md")
    result = assembler("assemble", "--at=index", "-t", "src/x.py", "-m", "x", "-f", "json")
    assert (result.code, result.json["code"]) == (3, "instruction-unreadable")

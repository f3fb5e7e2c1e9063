"""Definitions as evidence: from a task in a real repository to the ledger and the input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assembler.model.digest import sha256_hex
from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder

MODULE = """\
import os
import re


def shape(text):
    return re.sub(" ", "", text)


class Reader:
    def read(self, path):
        return shape(os.fspath(path))
"""
READ = "    def read(self, path):\n        return shape(os.fspath(path))\n"


@pytest.fixture(autouse=True)
def module(repository: RepositoryBuilder) -> None:
    repository.write({"src/reader.py": MODULE})
    repository.commit()


def assemble(assembler: CommandLine, tmp_path: Path, task: str, *more: str) -> Any:
    (tmp_path / "t.yaml").write_text(f"schema: assembler/task/1\nobjective: x\n{task}")
    return assembler("assemble", "--task", str(tmp_path / "t.yaml"), "-f", "json", *more)


def rows_of(result: Any) -> dict[str, Any]:
    assert result.code == 0, result.talk
    return {row["id"]: row for row in result.json["ledger"]}


ASKED = "evidence: [{symbol: src/reader.py#Reader.read, imports: true, group: g, topics: []}]\n"
ID = "file:src/reader.py#Reader.read"


@pytest.mark.parametrize("at", ["worktree", "index", "HEAD"])
def test_symbol__is_an_item_with_its_address(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path, at: str
) -> None:
    if at != "worktree":
        repository.write({"src/reader.py": "broken (\n"})
    row = rows_of(assemble(assembler, tmp_path, ASKED, "--at", at))[ID]
    assert (row["kind"], row["trust"], row["decides"]) == (
        "source",
        "repository",
        "asked by the task",
    )
    assert (row["state"], row["source"]) == ("in", "src/reader.py#L1-L1,L10-L11")
    assert row["discovered_by"] == (
        "task; Python Reader.read, lines 10-11; imports that it uses: os (line 1)"
    )
    assert row["content_sha256"] == sha256_hex(("import os\n" + READ).encode())


def test_symbol_of_a_target__stands_for_it(assembler: CommandLine, tmp_path: Path) -> None:
    task = "targets: [src/reader.py]\n" + ASKED
    result = assemble(assembler, tmp_path, task)
    rows = rows_of(result)
    assert rows[ID]["decides"] == "edit target"
    assert "file:src/reader.py" not in rows
    assert "warning: target" not in result.talk


def test_symbol_that_is_not_there__is_a_row_with_the_nearest_names(
    assembler: CommandLine, tmp_path: Path
) -> None:
    task = "evidence: [{symbol: src/reader.py#shapes}, {symbol: src/none.py#shape}]\n"
    rows = rows_of(assemble(assembler, tmp_path, task))
    row = rows["file:src/reader.py#shapes"]
    assert (row["state"], row["code"]) == ("out", "not-found")
    assert row["discovered_by"] == "task; no definition of shapes (Python); nearest: shape"
    assert rows["file:src/none.py#shape"]["code"] == "not-found"


def test_required_symbol_that_is_not_there__refuses_with_the_nearest_names(
    assembler: CommandLine, tmp_path: Path
) -> None:
    task = "evidence: [{symbol: src/reader.py#shapes}]\nrequired: ['file:src/reader.py#shapes']\n"
    result = assemble(assembler, tmp_path, task)
    assert result.code == 3
    assert result.json["code"] == "required-missing"
    assert "no definition of shapes (Python); nearest: shape" in result.json["message"]


def test_required_symbol__is_in(assembler: CommandLine, tmp_path: Path) -> None:
    rows = rows_of(assemble(assembler, tmp_path, ASKED + f"required: ['{ID}']\n"))
    assert (rows[ID]["state"], rows[ID]["code"]) == ("in", "required")


def test_denied_file__is_not_taken_apart(assembler: CommandLine, tmp_path: Path) -> None:
    rows = rows_of(assemble(assembler, tmp_path, "evidence: [{symbol: '.env#KEY'}]\n"))
    row = rows["file:.env#KEY"]
    assert (row["state"], row["source"], row["discovered_by"]) == ("denied", None, "task")


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ("{symbol: src/reader.py}", "PATH#NAME"),
        ("{symbol: 'src/reader.py#a b'}", "PATH#NAME"),
        ("{symbol: src/reader.py#f, file: src/reader.py}", "file"),
        ("{symbol: src/reader.py#f, lines: [1, 2]}", "lines"),
        ("{symbol: src/reader.py#f, around: x}", "around"),
        ("{symbol: src/reader.py#f, issue: 1}", "exactly one"),
        ("{file: src/reader.py, imports: true}", "imports"),
        ("{symbol: src/reader.py#f}, {symbol: src/reader.py#f}", "twice"),
        ("{symbol: ../reader.py#f}", "inside the repository"),
    ],
)
def test_entry__that_says_too_much_or_too_little_is_exit_2(
    assembler: CommandLine, tmp_path: Path, entry: str, told: str
) -> None:
    result = assemble(assembler, tmp_path, f"evidence: [{entry}]\n")
    assert result.code == 2
    assert told in result.talk


def test_names_of_a_file__reach_no_terminal_raw(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    repository.write({"src/odd.py": "def pars\u4e00\u0301(): pass\n"})
    result = assemble(assembler, tmp_path, "evidence: [{symbol: src/odd.py#parsy}]\n")
    assert "\u4e00" not in json.dumps(result.json, ensure_ascii=False)


# A stored summary of a definition.


def with_summary(repository: RepositoryBuilder, *, lines: list[int] | None = None) -> None:
    source = {"path": "src/reader.py", "sha256": sha256_hex(READ.encode())}
    source |= {"symbol": "Reader.read"} if lines is None else {"lines": lines}  # type: ignore[dict-item]
    artifact = {
        "id": "s", "kind": "summary", "file": "sum.md", "revision": "r1", "sources": [source],
    }  # fmt: skip
    index = {"schema": "assembler/artifacts/1", "artifacts": [artifact]}
    repository.write({"sum.md": "It reads.\n", ".assembler/artifacts.json": json.dumps(index)})


def test_summary_of_a_definition_that_moved__is_current(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    with_summary(repository)
    repository.write({"src/reader.py": "import json\n\n" + MODULE})
    rows = rows_of(assemble(assembler, tmp_path, "evidence: [{summary: s}]\n"))
    assert rows["summary:s"]["state"] == "in"


def test_summary_of_a_definition_that_changed__is_stale_and_it_is_read_again(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    with_summary(repository)
    repository.write({"src/reader.py": MODULE.replace("fspath(path)", "fspath(path, 1)")})
    rows = rows_of(
        assemble(assembler, tmp_path, "evidence: [{summary: s}]\nrequired: ['summary:s']\n")
    )
    assert (rows["summary:s"]["state"], rows["summary:s"]["code"]) == ("out", "stale")
    assert rows["summary:s"]["refreshed_by"] == ID
    assert (rows[ID]["state"], rows[ID]["code"]) == ("in", "required")
    assert rows[ID]["replaces"] == ["summary:s"]
    assert rows[ID]["source"] == "src/reader.py#L10-L11"


def test_summary_of_a_definition_that_is_lost__is_unresolved(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    with_summary(repository)
    repository.write({"src/reader.py": MODULE.replace("def read(", "def reads(")})
    result = assemble(
        assembler, tmp_path, "evidence: [{summary: s}]\n", "--out", str(tmp_path / "p")
    )
    row = rows_of(result)["summary:s"]
    assert (row["state"], row["code"]) == ("out", "freshness-unknown")
    assert row["discovered_by"].endswith(
        "src/reader.py#Reader.read: no definition of Reader.read (Python); "
        "nearest: Reader.reads, Reader"
    )
    text = (tmp_path / "p/input.txt").read_text()
    assert "Unresolved: summary:s can't be checked, src/reader.py#Reader.read" in text
    assert "It reads." not in text


def test_summary_of_lines_that_moved__is_current_and_says_where(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    repository.git("tag", "r1")
    with_summary(repository, lines=[10, 11])
    repository.write({"src/reader.py": "import json\n\n" + MODULE})
    row = rows_of(assemble(assembler, tmp_path, "evidence: [{summary: s}]\n"))["summary:s"]
    assert row["state"] == "in"
    assert row["discovered_by"].endswith("src/reader.py#L10-L11 stands at L12-L13 now")

"""A secret is found before anything is stored or rendered, and is told by rule and line alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders.catalogs import Bench, tool
from tests.builders.command_line import CommandLine, Result
from tests.builders.repositories import RepositoryBuilder
from tests.builders.secrets import make_tokens

TOKEN = make_tokens(11)["github-token"][0]


def nowhere(result: Result, *folders: Path) -> None:
    """Nothing of the token in what was printed, or in any file below the folders."""
    assert TOKEN.encode() not in result.out + result.err
    for folder in folders:
        for path in folder.rglob("*"):
            if path.is_file():
                assert TOKEN.encode() not in path.read_bytes(), path


def test_evidence__with_a_secret_stays_out_and_is_told(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    repository.write({"src/x.py": f"a = 1\nb = '{TOKEN}'\n", "src/y.py": "c = 2\n"})
    repository.commit()
    out = tmp_path / "out"
    result = assembler(
        "assemble", "-m", "x", "-t", "src/x.py", "-t", "src/y.py", "-f", "json", "--out", str(out)
    )
    assert result.code == 0, result.talk
    rows = {row["id"]: row for row in result.json["ledger"]}
    row = rows["file:src/x.py"]
    assert (row["state"], row["code"]) == ("out", "secret-in-text")
    assert row["detail"]["where"] == "src/x.py:2: github-token"
    assert (row["content_sha256"], row["content_bytes"]) == (None, None)
    assert rows["file:src/y.py"]["state"] == "in"
    nowhere(result, out, assembler.home)
    assert assembler("verify", str(out)).code == 0


def test_required_evidence__with_a_secret_refuses(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    repository.write({"src/x.py": f"b = '{TOKEN}'\n"})
    repository.commit()
    task = {"schema": "assembler/task/1", "objective": "x", "required": ["file:src/x.py"],
            "evidence": [{"file": "src/x.py"}]}  # fmt: skip
    (tmp_path / "task.json").write_text(json.dumps(task))
    result = assembler("assemble", "--task", str(tmp_path / "task.json"), "-f", "json")
    assert (result.code, result.json["code"]) == (3, "secret-in-text")
    assert "src/x.py:1: github-token" in result.talk
    nowhere(result, assembler.home)


@pytest.mark.parametrize("at", ["worktree", "index", "HEAD"])
def test_instructions__with_a_secret_refuse_and_are_a_finding(
    assembler: CommandLine, repository: RepositoryBuilder, at: str
) -> None:
    repository.write({"AGENTS.md": f"# Rules\n\nUse {TOKEN}.\n"})
    repository.commit()
    result = assembler("assemble", "-m", "x", "--at", at, "-f", "json")
    assert (result.code, result.json["code"]) == (3, "secret-in-text")
    assert "AGENTS.md:3: github-token" in result.talk
    check = assembler("check", "--at", at)
    assert check.code == 1
    assert "AGENTS.md:3: error ASM602 secret-in-text: has the form of a secret" in check.text
    chain = assembler("chain", "--at", at)
    assert "ASM602" in chain.text
    for answer in (result, check, chain):
        nowhere(answer, assembler.home)


def test_records__whose_version_or_replaced_id_is_a_secret_tell_nothing_of_it(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    records = [
        {"id": "a", "version": TOKEN, "topics": ["t"], "file": "k.md"},
        {"id": "b", "version": "1", "topics": ["t"], "replaces": [TOKEN], "file": "k2.md"},
    ]
    profile = "schema: assembler/profile/1\nrecords: {file: r.json}\n"
    files = {"k.md": "h\n", "k2.md": "h2\n", "r.json": json.dumps(records)}
    repository.write({**files, ".assembler/profile.yaml": profile}).commit()
    task = {"schema": "assembler/task/1", "objective": "x", "topics": ["t"]}
    (tmp_path / "task.json").write_text(json.dumps(task))
    out = tmp_path / "out"
    result = assembler("assemble", "--task", str(tmp_path / "task.json"), "--out", str(out))
    assert result.code == 0, result.talk
    nowhere(result, out, assembler.home)
    assert assembler("verify", str(out)).code == 0


def test_objective__with_a_secret_refuses(assembler: CommandLine) -> None:
    result = assembler("assemble", "-m", f"use {TOKEN}", "-f", "json")
    assert (result.code, result.json["code"]) == (3, "secret-in-text")
    nowhere(result, assembler.home)


def test_skill__with_a_secret_stays_out(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    text = f"---\nname: pdf\ndescription: Reads PDF files.\n---\nUse {TOKEN}.\n"
    repository.write({".agents/skills/pdf/SKILL.md": text})
    repository.commit()
    result = assembler("assemble", "-m", "use $pdf", "-f", "json")
    assert (result.code, result.json["code"]) == (3, "secret-in-text")
    nowhere(result, assembler.home)
    # Its line alone holds none.
    assert assembler("assemble", "-m", "x").code == 0


def test_file__that_is_called_like_a_secret_is_told_by_a_digest(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    repository.write({f"src/{TOKEN}.py": "a = 1\n"})
    repository.commit()
    out = tmp_path / "out"
    task = {"schema": "assembler/task/1", "objective": "x",
            "search": [{"name": "*.py", "in": "src/**"}]}  # fmt: skip
    (tmp_path / "task.json").write_text(json.dumps(task))
    result = assembler(
        "assemble", "--task", str(tmp_path / "task.json"), "-f", "json", "--out", str(out)
    )
    assert result.code == 0, result.talk
    rows = {row["id"]: row for row in result.json["ledger"]}
    (named,) = [row for name, row in rows.items() if name.startswith("file:sha256:")]
    assert named["code"] == "secret-in-text"
    nowhere(result, out, assembler.home)


def test_issue__with_a_secret_stays_out(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    repository.write({".work/issue.md": f"It fails with {TOKEN}\n"})
    task = {"schema": "assembler/task/1", "objective": "x",
            "evidence": [{"issue": 1, "file": ".work/issue.md"}]}  # fmt: skip
    (tmp_path / "task.json").write_text(json.dumps(task))
    result = assembler("assemble", "--task", str(tmp_path / "task.json"), "-f", "json")
    assert result.code == 0, result.talk
    rows = {row["id"]: row["code"] for row in result.json["ledger"]}
    assert rows["issue:1"] == "secret-in-text"
    nowhere(result, assembler.home)


def test_tool__with_a_secret_is_not_pinned(bench: Bench) -> None:
    result = bench.pin(tool("a", f"Call with {TOKEN}."), tool("b"))
    assert result.code == 2
    assert "a holds what has the form of a secret (github-token)" in result.talk
    assert not (bench.repository.root / ".assembler/pins").exists()
    nowhere(result, bench.command.home)

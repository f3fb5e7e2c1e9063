"""Two hundred pieces of evidence of every kind start git six times at most, and each has a row."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from assembler.config.task import Task, read_task
from assembler.front.assembling import assemble_repository
from assembler.front.profiles import read_document
from assembler.model.digest import sha256_hex
from tests.builders.command_line import CommandLine, shared_counts
from tests.builders.repositories import RepositoryBuilder

FILES = 120


def text_of(number: int, edition: int) -> str:
    return f"import os\n\n\ndef f{number}():\n    return os.sep * {edition}\n"


def make_artifact(number: int) -> dict[str, Any]:
    section = b"".join(text_of(number, 1).encode().splitlines(keepends=True)[3:])
    source = {"path": f"src/m{number}.py", "lines": [4, 5], "sha256": sha256_hex(section)}
    return {
        "id": f"s{number}",
        "kind": "summary",
        "file": f"summaries/s{number}.md",
        "revision": "v1",
        "sources": [source],
    }


def fill(repository: RepositoryBuilder) -> None:
    """Four commits in which every file changes, records, summaries, and what git ignores."""
    for edition in range(4):
        repository.write({f"src/m{n}.py": text_of(n, edition) for n in range(FILES)})
        if edition == 3:
            repository.write({f"src/m{n}.py": text_of(n, 0) for n in range(10)})
        repository.commit()
        repository.git("tag", f"v{edition}")
    repository.write({"AGENTS.md": "# Rules\r\n", "old.md": "a line\n" * 30})
    repository.commit()
    repository.git("mv", "old.md", "new.md")
    repository.write({"new.md": "a line\n" * 30 + "and one\n"})
    artifacts = [make_artifact(number) for number in range(20)]
    record = {"version": "1", "topics": ["t"], "file": "knowledge.md"}
    records = [{"id": f"r{n}", **record, "lines": [n + 1, n + 1]} for n in range(10)]
    repository.write(
        {
            ".assembler/artifacts.json": json.dumps(
                {"schema": "assembler/artifacts/1", "artifacts": artifacts}
            ),
            "records.json": json.dumps({"schema": "assembler/records/1", "records": records}),
            "knowledge.md": "".join(f"fact {n}\n" for n in range(10)),
            **{f"summaries/s{n}.md": f"summary {n}\n" for n in range(20)},
            ".assembler/profile.yaml": "schema: assembler/profile/1\n"
            "records: {file: records.json}\n",
            ".gitignore": "*.log\n",
            "build.log": "FAILED src/m1.py::test\n",
        }
    )
    repository.git("rm", "-q", "--cached", "old.md", "--ignore-unmatch")
    repository.commit()
    repository.write({"src/m5.py": "dirty = 1\r\n", "untracked.py": "x = 1\n"})


def task() -> dict[str, Any]:
    entries: list[dict[str, Any]] = [{"file": f"src/m{n}.py"} for n in range(60)]
    entries += [{"file": f"src/m{n}.py", "lines": [1, 2]} for n in range(40)]
    entries += [{"symbol": f"src/m{n}.py#f{n}", "imports": True} for n in range(30)]
    entries += [
        {"file": f"src/m{n}.py", "lines": [4, 5], "revision": f"v{n % 4}"} for n in range(40)
    ]
    entries += [{"symbol": f"src/m{n}.py#f{n}", "revision": f"v{n % 4}"} for n in range(10)]
    entries += [{"file": "old.md", "revision": "HEAD~1"}, {"file": "gone.md", "revision": "v0"}]
    entries += [{"summary": f"s{n}"} for n in range(20)]
    entries += [{"test": "t", "file": "build.log", "revision": "v0"}]
    return {
        "schema": "assembler/task/1",
        "objective": "x",
        "topics": ["t"],
        "targets": ["src/m119.py"],
        "evidence": entries,
        "search": [{"text": "return"}, {"name": "*.md"}],
        "proof": "pytest src",
        "changed": True,
    }


@pytest.mark.parametrize("at", ["worktree", "index", "HEAD"])
def test_evidence__of_200_pieces_starts_git_six_times_at_most(
    repository: RepositoryBuilder, tmp_path: Path, at: str
) -> None:
    fill(repository)
    value = task()
    asked: Task = read_task(
        json.dumps(value).encode(),
        path="t.json",
        read_document=lambda data: read_document(data, "t"),
    )
    environment = {
        "HOME": str(tmp_path / "home"),
        "PATH": os.environ["PATH"],
        "XDG_CACHE_HOME": str(shared_counts()),
    }

    run = assemble_repository(repository.root, asked, environment=environment, at=at)

    assert run.git_processes <= 6
    renamed = next(r for r in run.recorded.package.rows if r["id"] == "file:old.md@HEAD~1")
    assert "new.md" in json.dumps(renamed)
    rows = {row["id"] for row in run.recorded.package.rows}
    assert len(rows) > 200
    wanted = {
        f"file:{entry['file']}" if "file" in entry and "test" not in entry else None
        for entry in value["evidence"]
        if "lines" not in entry and "revision" not in entry
    } - {None}
    assert wanted <= rows
    assert {f"summary:s{n}" for n in range(20)} | {f"record:r{n}" for n in range(10)} <= rows
    stale = {row["id"] for row in run.recorded.package.rows if row["reason"] == "stale"}
    assert "file:src/m20.py#L4-L5@v0" in stale
    assert "file:src/m23.py#L4-L5@v3" not in stale


def test_command__verifies_what_it_made_of_them(
    repository: RepositoryBuilder, tmp_path: Path
) -> None:
    fill(repository)
    assembler = CommandLine(cwd=repository.root, home=tmp_path / "home")
    out = tmp_path / "out"
    made = assembler("assemble", "--task", "-", "--out", str(out), stdin=json.dumps(task()))
    assert made.code == 0, made.talk
    assert assembler("verify", str(out)).code == 0

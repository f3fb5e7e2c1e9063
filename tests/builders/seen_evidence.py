"""A repository whose evidence was seen before, and `assemble` asked about it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from tests.builders.command_line import CommandLine, Result
from tests.builders.repositories import RepositoryBuilder

Rows = dict[str, dict[str, Any]]
BODY = "".join(f"line {number}\n" for number in range(1, 41))


class Asker:
    """Runs `assemble` in a repository with some evidence."""

    def __init__(self, repository: RepositoryBuilder, top: Path) -> None:
        self.repository = repository
        self._top = top

    def __call__(
        self, *evidence: dict[str, Any], options: tuple[str, ...] = (), **task: Any
    ) -> Result:
        path = self._top / "task.json"
        members = {"schema": "assembler/task/1", "objective": "x", "evidence": evidence, **task}
        path.write_text(json.dumps(members))
        command = CommandLine(cwd=self.repository.root, home=self._top / "home")
        return command("assemble", f"--task={path}", "--format=json", *options)

    def rows(self, *evidence: dict[str, Any], options: tuple[str, ...] = (), **task: Any) -> Rows:
        """The rows of a run that is made."""
        return rows_of(self(*evidence, options=options, **task))


def rows_of(result: Result) -> Rows:
    """The rows of a run that was made, by id."""
    assert result.code == 0, result.talk
    return {row["id"]: row for row in result.json["ledger"]}


def digest(text: str | bytes) -> str:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def put_index(repository: RepositoryBuilder, revision: str, *sources: dict[str, Any]) -> None:
    """An artifact index with one summary `s`, and the summary."""
    summary = {"id": "s", "kind": "summary", "file": "s.md", "revision": revision}
    index = {"schema": "assembler/artifacts/1", "artifacts": [{**summary, "sources": sources}]}
    repository.write({".assembler/artifacts.json": json.dumps(index), "s.md": "It counts.\n"})

"""A repository whose evidence was seen before, and runs that ask about it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from assembler.config.task import read_task
from assembler.errors import AssemblerError
from assembler.front.assembling import assemble_repository
from assembler.front.profiles import read_document
from tests.builders.command_line import Result
from tests.builders.repositories import RepositoryBuilder

Rows = Mapping[str, Mapping[str, Any]]
BODY = "".join(f"line {number}\n" for number in range(1, 41))


class Answer(NamedTuple):
    """What became of a run."""

    error: AssemblerError | None = None
    rows: Rows = MappingProxyType({})
    text: str = ""
    """The input."""
    everything: bytes = b""
    """All bytes of the package."""

    @property
    def code(self) -> str | None:
        """Of the refusal or fault."""
        return None if self.error is None else self.error.code


class Asker:
    """Assembles in a repository, with some evidence."""

    def __init__(self, repository: RepositoryBuilder, top: Path) -> None:
        self.repository = repository
        self._environment = {"HOME": str(top / "home"), "PATH": os.environ["PATH"]}

    def __call__(
        self,
        *evidence: dict[str, Any],
        at: str = "worktree",
        profile: Path | None = None,
        now: str | None = None,
        **task: Any,
    ) -> Answer:
        members = {"schema": "assembler/task/1", "objective": "x", "evidence": evidence, **task}
        try:
            run = assemble_repository(
                self.repository.root,
                read_task(
                    json.dumps(members).encode(),
                    path="task.json",
                    read_document=lambda data: read_document(data, "task.json"),
                ),
                environment=self._environment,
                at=at,
                profile=None if profile is None else str(profile),
                now=now,
            )
        except AssemblerError as error:
            return Answer(error)
        package = run.recorded.package
        return Answer(
            rows={row["id"]: row for row in package.rows},
            text=package.rendering.data.decode(),
            everything=b"\n".join(run.recorded.files.values()),
        )

    def rows(self, *evidence: dict[str, Any], **options: Any) -> Rows:
        """The rows of a run that is made."""
        answer = self(*evidence, **options)
        assert answer.error is None, answer.error
        return answer.rows


def rows_of(result: Result) -> Rows:
    """The rows that a command printed, by id."""
    assert result.code == 0, result.talk
    return {row["id"]: row for row in result.json["ledger"]}


def digest(text: str | bytes) -> str:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def put_index(
    repository: RepositoryBuilder,
    revision: str,
    *sources: dict[str, Any],
    file: str = "s.md",
    text: str = "It counts.\n",
) -> None:
    """An artifact index with one summary `s`, and the summary."""
    summary = {"id": "s", "kind": "summary", "file": file, "revision": revision}
    index = {"schema": "assembler/artifacts/1", "artifacts": [{**summary, "sources": sources}]}
    repository.write({".assembler/artifacts.json": json.dumps(index), file: text})

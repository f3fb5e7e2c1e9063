"""Edges of policy from another revision: what is never opened, and which revision a fault is of."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from assembler import Task, assemble
from assembler.adapters.trees import WorktreeTree
from assembler.config.task import EvidenceEntry
from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder
from tests.builders.runs import rows_of

PROFILE = "schema: assembler/profile/1\n"


def test_denied_evidence__is_not_opened_for_a_comparison(
    repository: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write({".assembler/profile.yaml": f"{PROFILE}read: {{allow: ['src/**']}}\n"})
    repository.commit()
    repository.write({"secret/AGENTS.md": "canary\n"})
    opened: set[str] = set()
    read = WorktreeTree.read

    def spy(self: WorktreeTree, files: Iterable[Any], *, limit_bytes: int) -> Any:
        asked = list(files)
        opened.update(file.entry.path for file in asked)
        return read(self, asked, limit_bytes=limit_bytes)

    monkeypatch.setattr(WorktreeTree, "read", spy)
    run = assemble(
        repository.root,
        Task(objective="x", evidence=[EvidenceEntry(file="secret/AGENTS.md")]),
        policy_from="HEAD",
        environment={"HOME": str(tmp_path / "home")},
    )
    (row,) = [row for row in run.ledger if row.id == "file:secret/AGENTS.md"]
    assert (row.access, row.content_sha256) == ("denied", None)
    assert "AGENTS.md" in opened
    assert "secret/AGENTS.md" not in opened


def test_file__that_an_instruction_file_is_a_link_to_is_untrusted_too(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    (repository.root / "AGENTS.md").unlink()
    repository.link({"AGENTS.md": "docs/rules.md"})
    repository.write({"docs/rules.md": "# Other rules\n"})
    repository.commit()
    result = assembler(
        "assemble", "-m", "x", "-t", "docs/rules.md", "-t", "docs/notes.md", "--at", "HEAD",
        "--policy-from", "HEAD~1", "-f", "json",
    )  # fmt: skip
    rows = rows_of(result.json)
    assert rows["file:docs/rules.md"]["trust"] == "untrusted"
    assert rows["file:docs/notes.md"]["trust"] == "repository"


def test_summary__keeps_its_own_word_of_trust(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    artifact = {
        "id": "s", "kind": "summary", "file": ".assembler/s.md", "revision": "r1", "sources": [],
    }  # fmt: skip
    index = {"schema": "assembler/artifacts/1", "artifacts": [artifact]}
    repository.write({".assembler/artifacts.json": json.dumps(index), ".assembler/s.md": "S\n"})
    task = tmp_path / "t.yaml"
    task.write_text("schema: assembler/task/1\nobjective: o\nevidence: [{summary: s}]\n")
    result = assembler("assemble", "--task", str(task), "--policy-from", "HEAD", "-f", "json")
    assert result.code == 0, result.talk
    rows = rows_of(result.json)
    assert (rows["summary:s"]["decision"], rows["summary:s"]["trust"]) == ("selected", "derived")


BROKEN = {
    "profile": ({".assembler/profile.yaml": f"{PROFILE}windw: 3\n"}, 2, "config-unknown-key"),
    "tools": (
        {".assembler/profile.yaml": f"{PROFILE}tools: {{resident: [read_file]}}\n"},
        2, "tool-definition-missing",
    ),
    "bytes": ({"AGENTS.md": b"caf\xe9\n"}, 3, "invalid-utf8"),
    "limit": ({".assembler/profile.yaml": f"{PROFILE}instructions: {{limit_bytes: 9}}\n"},
              3, "chain-cut"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BROKEN)
def test_fault__of_the_policy_names_its_revision(
    assembler: CommandLine, repository: RepositoryBuilder, kind: str
) -> None:
    files, code, slug = BROKEN[kind]
    kept = (repository.root / "AGENTS.md").read_bytes()
    repository.write(files)  # type: ignore[arg-type]
    there = repository.commit()
    repository.git("tag", "broken")
    (repository.root / ".assembler/profile.yaml").unlink(missing_ok=True)
    repository.write({"AGENTS.md": kept})
    assert assembler("assemble", "-m", "x").code == 0
    result = assembler("assemble", "-m", "x", "--policy-from", "broken", "-f", "json")
    assert (result.code, result.json["code"]) == (code, slug), result.talk
    assert result.json["message"].endswith(f", in broken ({there[:7]})")


def test_evidence_side__that_is_broken_refuses_nothing(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    """What is no policy of the run can't break its policy."""
    (tmp_path / "outside.md").write_text("canary of the outside\n")
    (repository.root / "src/AGENTS.md").unlink()
    repository.link({"src/AGENTS.md": str(tmp_path / "outside.md"), "docs/AGENTS.md": "AGENTS.md"})
    repository.write(
        {
            "AGENTS.md": b"\xff\xfe",
            ".assembler/profile.yaml": "a: [",
            ".agents/skills/pdf/SKILL.md": "no front matter\n",
        }
    )
    assert assembler("assemble", "-m", "x", "-t", "src/x.py").code == 2
    result = assembler(
        "assemble", "-m", "x", "-t", "src/x.py", "-t", "docs/notes.md", "--policy-from", "HEAD",
        "-f", "json",
    )  # fmt: skip
    assert result.code == 0, result.talk
    rows = rows_of(result.json)
    assert {row["id"] for row in rows.values() if row["code"] == "policy-differs"} == {
        "differs:AGENTS.md", "differs:src/AGENTS.md", "differs:docs/AGENTS.md",
        "differs:.assembler/profile.yaml", "differs:.agents/skills/pdf",
    }  # fmt: skip
    assert rows["differs:src/AGENTS.md"]["version"].count("sha256:") == 1
    assert b"canary" not in result.out


def test_rows__are_explained(assembler: CommandLine, repository: RepositoryBuilder) -> None:
    repository.write({"AGENTS.md": "# Other rules\n"})
    assert assembler("assemble", "-m", "x", "--policy-from", "HEAD").code == 0
    shown = assembler("explain", "differs:AGENTS.md", "--run", "last")
    assert shown.code == 0, shown.talk
    assert "changed" in shown.text
    assert "--policy-from" in assembler("explain", "policy-differs").text


@pytest.mark.parametrize("layout", ["context-contract/1", "control/1"])
def test_other_layouts__have_the_rows_too(
    assembler: CommandLine, repository: RepositoryBuilder, layout: str
) -> None:
    (repository.root / "src/AGENTS.md").unlink()
    repository.write({".assembler/profile.yaml": f"{PROFILE}layout: {layout}\n"})
    repository.commit()
    repository.write({"AGENTS.md": "# Other rules\n"})
    result = assembler("assemble", "-m", "x", "--policy-from", "HEAD", "-f", "json")
    assert result.code == 0, result.talk
    assert rows_of(result.json)["differs:AGENTS.md"]["code"] == "policy-differs"

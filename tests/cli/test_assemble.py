"""`assemble` from a repository: with nothing configured, and what each format holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assembler.adapters.vocabulary import open_counter
from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder


def test_no_configuration__gives_chain_catalog_task_and_target(assembler: CommandLine) -> None:
    result = assembler("assemble", "-t", "src/x.py", "-f", "json", stdin="fix the parser\n")
    assert result.code == 0, result.talk
    rows = {row["id"]: row for row in result.json["ledger"]}
    assert [name for name, row in rows.items() if row["state"] == "in"] == [
        "policy:AGENTS.md", "policy:src/AGENTS.md", "task", "skill:pdf", "file:src/x.py", "work",
    ]  # fmt: skip
    assert result.json["inputs"]["profile"]["name"] == "built-in"
    assert rows["file:src/x.py"]["decides"] == "edit target"
    assert rows["policy:src/AGENTS.md"]["scope"] == "src"


def test_total__is_the_tokenizers_count_of_the_rendered_bytes(assembler: CommandLine) -> None:
    rendered = assembler("assemble", "-m", "x", "-t", "src/x.py", "-f", "input")
    report = assembler("assemble", "-m", "x", "-t", "src/x.py", "-f", "json").json
    budget = report["budget"]
    assert budget["total"] == open_counter("o200k_base", None).count(rendered.out)
    resident = sum(budget["resident"].values())
    assert budget["overhead"] + resident + budget["limit"] == budget["envelope"]
    assert budget["window"] - sum(budget["reserves"].values()) == budget["envelope"]
    assert budget["used"] + budget["slack"] == budget["limit"]


def test_input__goes_to_stdout_as_it_is_in_the_package(
    assembler: CommandLine, tmp_path: Path
) -> None:
    result = assembler("assemble", "-m", "x", "--out", str(tmp_path / "p"), "-f", "input")
    assert result.out == (tmp_path / "p" / "input.txt").read_bytes()
    request = assembler("assemble", "-m", "x", "-f", "request")
    assert request.out == (tmp_path / "p" / "request.json").read_bytes()
    ledger = assembler("assemble", "-m", "x", "-f", "jsonl")
    # The same rows; a terminal gets them in ASCII, the package in canonical form.
    rows = (tmp_path / "p" / "ledger.jsonl").read_bytes().splitlines()
    assert [json.loads(line) for line in ledger.out.splitlines()] == [*map(json.loads, rows)]
    assert ledger.out.isascii()


def test_walk__includes_what_an_agent_started_higher_up_would_miss(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    (repository.root / ".assembler").mkdir()
    profile = repository.root / ".assembler/profile.yaml"
    profile.write_text("schema: assembler/profile/1\ninstructions: {walk: cwd}\n")
    report = assembler("assemble", "-m", "x", "-t", "src/x.py", "-f", "json").json
    policy = [row["id"] for row in report["ledger"] if row["section"] == "policy"]
    assert policy == ["policy:AGENTS.md"]


def test_skill__named_in_the_task_is_active_and_whole(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    report = assembler("assemble", "-m", "read it with $pdf", "-f", "json").json
    (row,) = [row for row in report["ledger"] if row["id"] == "skill:pdf#instructions"]
    whole = (repository.root / ".agents/skills/pdf/SKILL.md").read_bytes()
    assert row["content_bytes"] == len(whole)
    assert row["discovered_by"] == "the task says $pdf"
    rendered = assembler("assemble", "-m", "read it with $pdf", "-f", "input").out
    assert whole in rendered
    unnamed = assembler("assemble", "-m", "read it", "-f", "json").json
    assert not [row for row in unnamed["ledger"] if row["kind"] == "skill"]


def test_task__on_the_command_line_in_a_file_and_piped_is_one(
    assembler: CommandLine, tmp_path: Path
) -> None:
    (tmp_path / "task.txt").write_text("fix it\n")
    (tmp_path / "task.yaml").write_text("schema: assembler/task/1\nobjective: fix it\n")
    outputs = {
        assembler("assemble", "-m", "fix it", "-f", "input").out,
        assembler("assemble", "-f", "input", stdin="fix it\n").out,
        assembler("assemble", "--task", "-", "-f", "input", stdin="fix it").out,
        assembler("assemble", "--task", str(tmp_path / "task.txt"), "-f", "input").out,
        assembler("assemble", "--task", str(tmp_path / "task.yaml"), "-f", "input").out,
    }
    assert len(outputs) == 1
    assert b"fix it" in outputs.pop()


def test_worktree__marks_what_differs_from_head(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    head = repository.text("rev-parse", "HEAD")
    repository.write({"src/x.py": "changed\n", "src/new.py": "new\n"})
    report = assembler(
        "assemble", "-m", "x", "-t", "src/x.py", "-t", "src/new.py", "-t", "docs/notes.md",
        "-f", "json",
    ).json  # fmt: skip
    rows = {row["id"]: (row["revision"], row["version"]) for row in report["ledger"]}
    assert rows["file:docs/notes.md"] == (head, None)
    assert rows["file:src/x.py"] == (None, "differs from HEAD")
    assert rows["file:src/new.py"] == (None, "not in HEAD")


@pytest.mark.parametrize("at", ["worktree", "index", "HEAD", "main"])
def test_at__reads_from_each_place(
    assembler: CommandLine, repository: RepositoryBuilder, at: str
) -> None:
    repository.write({"src/x.py": "staged\n"})
    repository.git("add", "-A")
    repository.write({"src/x.py": "on disk\n"})
    rendered = assembler("assemble", "-m", "x", "-t", "src/x.py", "--at", at, "-f", "input").out
    expected = {"worktree": b"on disk\n", "index": b"staged\n"}.get(at, b"def parse():\n")
    assert expected in rendered


def test_inventory__that_a_run_wrote_compiles_to_the_same_package(
    assembler: CommandLine, tmp_path: Path
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert assembler("assemble", "-m", "x", "-t", "src/x.py", "--out", str(first)).code == 0
    again = assembler(
        "assemble", "--inventory", str(first / "inventory.json"), "--out", str(second)
    )
    assert again.code == 0, again.talk
    names = {path.name for path in first.iterdir()}
    for name in names - {"head.json", "objects"}:
        assert (first / name).read_bytes() == (second / name).read_bytes(), name
    # Without the folder beside it, the record has the contents.
    piped = assembler(
        "assemble", "--inventory", "-", "-f", "input",
        stdin=(first / "inventory.json").read_bytes(),
    )  # fmt: skip
    assert piped.out == (first / "input.txt").read_bytes()


def test_request__is_made_for_each_api(assembler: CommandLine) -> None:
    for api, member in (
        ("openai-responses", "instructions"),
        ("openai-chat", "messages"),
        ("anthropic-messages", "system"),
    ):
        result = assembler("assemble", "-m", "x", "--api", api, "--model", "m", "-f", "request")
        assert result.code == 0, result.talk
        assert result.json["model"] == "m"
        assert member in result.json
    assert assembler("assemble", "-m", "x", "--api", "openai-chat").code == 3


def test_options__count_before_and_after_the_command(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    before = assembler("-C", "src", "-f", "json", "chain").json
    after = assembler("chain", "-C", "src", "-f", "json").json
    assert before == after
    assert before["inputs"]["cwd"] == "src"


def test_own_checkout__assembles(tmp_path: Path) -> None:
    from tests.builders.command_line import ROOT

    if not (ROOT / ".git").exists():
        pytest.skip("the suite runs outside a checkout")
    result = CommandLine(cwd=ROOT, home=tmp_path / "home")("assemble", "-m", "x", "-f", "json")
    assert result.code == 0, result.talk
    assert "policy:AGENTS.md" in [row["id"] for row in result.json["ledger"]]

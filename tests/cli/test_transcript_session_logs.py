"""`transcript check` and `compact` of logs that agents write of themselves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders.command_line import CommandLine
from tests.builders.session_logs import log_bytes, prompt, rewritten_codex, side_by_side


@pytest.fixture
def assembler(tmp_path: Path) -> CommandLine:
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / "claude.jsonl").write_bytes(log_bytes(side_by_side()))
    (folder / "codex.jsonl").write_bytes(log_bytes(rewritten_codex()))
    return CommandLine(cwd=folder, home=tmp_path / "home")


@pytest.mark.parametrize(
    ("log", "context", "entries", "dropped"),
    [
        ("claude.jsonl", 1_210, 10, {"thinking": 1}),
        ("codex.jsonl", 805, 13, {"reasoning": 1}),
    ],
)
def test_check__weighs_by_what_the_provider_counted(
    assembler: CommandLine, log: str, context: int, entries: int, dropped: dict[str, int]
) -> None:
    answer = assembler("transcript", "check", log, "--ceiling", "5000", "-f", "json")
    assert answer.code == 0, answer.talk
    assert answer.json["form"] == "session-log"
    assert answer.json["context"] == {"tokens": context, "basis": "provider-reported"}
    assert (answer.json["entries"], answer.json["parts_dropped"]) == (entries, dropped)
    assert answer.json["verdict"] == "fits"
    over = assembler("transcript", "check", log, "--ceiling", str(context - 1), "-f", "json")
    assert (over.code, over.json["verdict"]) == (3, "overflow")


def test_compact__cuts_between_the_turns_of_a_log(assembler: CommandLine) -> None:
    answer = assembler("transcript", "compact", "claude.jsonl", "--cut", "6", "-f", "json")
    assert answer.json["rewrite"]["cut"] == {"asked": 6, "at": 4, "reason": "pair-boundary"}


@pytest.mark.parametrize("log", ["claude.jsonl", "codex.jsonl"])
def test_compact__writes_a_trace_that_weighs_the_same(assembler: CommandLine, log: str) -> None:
    before = assembler("transcript", "check", log, "-f", "json").json
    written = assembler("transcript", "compact", log, "--ceiling", "9999", "-f", "jsonl")
    (assembler.cwd / "trace.jsonl").write_bytes(written.out)
    after = assembler("transcript", "check", "trace.jsonl", "-f", "json").json
    assert after["form"] == "assembler/trace/1"
    assert after["context"] == before["context"]
    assert after["findings"] == before["findings"] == []


def test_broken_log__is_exit_2_and_none_of_its_content(assembler: CommandLine) -> None:
    broken = log_bytes([prompt("u1", None)]) + b'{"message": "secret-words"\n'
    (assembler.cwd / "broken.jsonl").write_bytes(broken)
    answer = assembler("transcript", "check", "broken.jsonl")
    assert answer.code == 2
    assert "broken.jsonl:2" in answer.talk
    assert "secret" not in answer.talk + answer.text


def test_names_of_unknown_lines__are_escaped(assembler: CommandLine) -> None:
    strange = {"type": "\x1b[31m", "sessionId": "s"}
    (assembler.cwd / "odd.jsonl").write_bytes(log_bytes([strange, prompt("u1", None)]))
    answer = assembler("transcript", "check", "odd.jsonl", "-f", "json")
    assert json.dumps(answer.json["parts_dropped"]) == '{"of no type": 1}'

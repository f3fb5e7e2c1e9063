"""The page about traces: every frame and member with its default, and examples that are real."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assembler.config.client_messages import read_messages
from assembler.config.trace import AnyFrame, Header, read_trace
from assembler.front.rewriting import compact_transcript, write_trace
from assembler.transcript.limits import Limits
from assembler.transcript.rendering import render_frames, summary_frame
from tests.architecture.test_docs import blocks, page, spans, table_rows
from tests.builders.command_line import CommandLine
from tests.builders.transcripts import worked_example

PAGE = page("trace")
FRAMES = {kind.__struct_config__.tag: kind for kind in AnyFrame.__args__}


def members(record: Any) -> dict[str, str]:
    """Each member of a record with its default, as the page spells it."""
    return {
        field.encode_name: "required" if field.required else json.dumps(field.default)
        for field in msgspec.structs.fields(record)
    }


def test_page__has_a_row_for_each_member_of_each_frame_and_no_other() -> None:
    shared = spans(PAGE.partition("## Frames")[2].partition("\n| frame |")[0])
    told: dict[str, dict[str, str]] = {}
    for row in table_rows(PAGE):
        if len(row) == 5 and row[0].strip("`") in FRAMES:
            kind, member, _, default, _ = (cell.strip("`") for cell in row)
            told.setdefault(str(kind), {})[member] = default
    expected = {}
    for kind, record in FRAMES.items():
        expected[kind] = members(record)
        assert ("context" in expected[kind]) == (kind in shared), kind
        assert ("continues" in expected[kind]) == (kind in shared), kind
        expected[kind] = {
            name: default
            for name, default in expected[kind].items()
            if name not in ("context", "continues")
        }
    assert told == expected


def test_page__has_a_row_for_each_member_of_the_header() -> None:
    part = PAGE.partition("## Header")[2].partition("\n## ")[0]
    told = {row[0].strip("`"): row[2] for row in table_rows(part) if row[0].startswith("`")}
    assert told == members(Header)


def test_example__is_what_a_rewrite_of_the_worked_example_writes() -> None:
    (example,) = blocks(PAGE, "jsonl")
    lines = [json.loads(line) for line in example.splitlines()]
    assert len(read_trace(example.encode(), path="trace.md").frames) == len(lines) - 1
    written = write_trace(
        compact_transcript(
            worked_example(),
            name="run.jsonl",
            limits=Limits(6_000, 6_000, 0),
            cut=None,
            summary=lines[-1]["summary"],
            summary_name="summary.md",
            counter="o200k_base",
            environment={},
        )
    )
    assert [json.loads(line) for line in written.splitlines()][1:] == lines[1:]


def test_rendering__is_shown_as_it_is() -> None:
    (shown,) = blocks(PAGE, "text")
    frames = read_trace(worked_example(), path="x").frames[:3]
    assert shown == render_frames([*frames, summary_frame("The search named the page.")])


@pytest.mark.parametrize("command", ["check", "compact"])
def test_page__names_every_member_of_the_answer(command: str, tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_bytes(worked_example())
    assembler = CommandLine(cwd=tmp_path, home=tmp_path / "home")
    words = ("--ceiling", "6300", "-f", "json")
    summary = () if command == "check" else ("--summary", "-")
    told = assembler("transcript", command, "run.jsonl", *words, *summary, stdin="Nothing.").json
    envelope = {"schema", "tool", "exit_code", "inputs"}
    rows = {span for row in table_rows(PAGE) if len(row) == 3 for span in spans(row[0])}
    assert set(told) - envelope <= rows
    for value in (told[name] for name in sorted(set(told) - envelope)):
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, dict) and "code" not in inner and "name" not in inner:
                assert set(inner) <= spans(PAGE), inner


def test_shapes_of_clients__are_those_that_are_read() -> None:
    part = PAGE.partition("## Messages of model clients")[2].partition("\n## ")[0]
    named = spans(part)
    for message in (
        {"type": "function_call", "call_id": "A", "name": "t", "arguments": "{}"},
        {"type": "custom_tool_call", "call_id": "A", "name": "t", "input": ""},
        {"type": "function_call_output", "call_id": "A", "output": ""},
        {"type": "custom_tool_call_output", "call_id": "A", "output": ""},
        {"role": "system", "content": "x"},
        {"role": "developer", "content": "x"},
        {"role": "model", "content": "x"},
        {"role": "tool", "tool_call_id": "A", "content": ""},
    ):
        assert read_messages(json.dumps([message]).encode(), path="m").frames
        assert message.get("type", message.get("role")) in named

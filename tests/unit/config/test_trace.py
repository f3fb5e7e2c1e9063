"""Traces: every frame and member, and what is refused, with its line and without its content."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assembler.config import trace as trace_module
from assembler.config.trace import is_trace, read_trace
from assembler.errors import ConfigError
from assembler.model.transcript import Compaction, ContextCount, CutRecord, Frame
from tests.builders.transcripts import (
    assistant,
    call,
    counted,
    read,
    result,
    rewrite,
    trace_bytes,
    user,
)


def refused(data: bytes) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        read_trace(data, path="run.jsonl")
    assert "SECRET" not in str(caught.value) + str(caught.value.next_step)
    return caught.value


def test_frames__are_read_with_all_they_say() -> None:
    moved = {"asked": 4, "at": 5, "reason": "pair-boundary"}
    transcript = read(
        {"frame": "policy", "text": "rules"},
        user("go", context=counted(9)),
        assistant("so"),
        call("A", "read", arguments={"path": "a b"}),
        result("A", "out", tool="read"),
        rewrite(9, 5, "sum", dropped=[[3, 5]], cut=moved),
        {"frame": "refusal", "text": "too long"},
        {"frame": "end", "how": "overflow", "text": "over"},
        id="run-7",
        resident=counted(3, "measured"),
    )  # fmt: skip
    assert transcript.resident == ContextCount(3, "measured")
    assert transcript.entries == 8
    cut = CutRecord(4, 5, "pair-boundary")
    assert transcript.frames == (
        Frame("policy", 1, 1, "rules"),
        Frame("user", 2, 2, "go", context=ContextCount(9, "provider-reported")),
        Frame("assistant", 3, 3, "so"),
        Frame("tool_call", 4, 3, '{"path":"a b"}', "read", "A"),
        Frame("tool_result", 5, 4, "out", "read", "A"),
        Frame("compaction", 6, 5, "sum", compaction=Compaction(9, 5, ((3, 5),), cut)),
        Frame("refusal", 7, 6, "too long"),
        Frame("end", 8, 7, "over", how="overflow"),
    )


def test_arguments__may_be_the_text_that_the_model_wrote() -> None:
    assert read(call("A", arguments='{"half')).frames[0].text == '{"half'
    assert read(call("A")).frames[0].text == ""
    assert read(call("A", arguments={"temperature": 0.5})).frames[0].text == '{"temperature":0.5}'


def test_blank_lines__are_passed_over() -> None:
    data = trace_bytes(user(), assistant()).replace(b"\n", b"\n\n")
    assert len(read_trace(data, path="x").frames) == 2


def test_header_alone__is_a_run_in_which_nothing_was_said() -> None:
    assert read().frames == ()


@pytest.mark.parametrize(
    ("first", "problem"),
    [
        ({}, "`schema`"),
        ({"schema": "assembler/trace/2"}, "`schema` is not assembler/trace/1"),
        ({"schema": "assembler/trace/1", "budget": 1}, "unknown field `budget`"),
        ({"schema": "assembler/trace/1", "resident": 5}, "object"),
    ],
)
def test_header__that_is_none_is_refused(first: dict[str, Any], problem: str) -> None:
    error = refused(json.dumps(first).encode())
    assert (error.code, error.where) == ("trace-header", "run.jsonl:1")
    assert problem in error.message


@pytest.mark.parametrize(
    "frame",
    [
        {"frame": "thought", "text": "SECRET"},
        {"text": "SECRET"},
        {"frame": "user"},
        {"frame": "user", "text": 5},
        {"frame": "user", "text": "x", "context": {"tokens": -1, "basis": "measured"}},
        {"frame": "user", "text": "x", "context": {"tokens": 1, "basis": "guessed"}},
        {"frame": "user", "text": "x", "context": {"tokens": 1.5, "basis": "measured"}},
        {"frame": "user", "text": "x", "extra": "SECRET"},
        {"frame": "tool_call", "id": "", "tool": "t"},
        {"frame": "tool_call", "id": "A", "tool": "t", "arguments": ["SECRET"]},
        {"frame": "tool_result", "call": "A", "output": {"text": "SECRET"}},
        {"frame": "end", "how": "SECRET"},
        ["SECRET"],
        "SECRET",
        rewrite(9, 5, dropped=[[1, 2]]),
        rewrite(9, 5, dropped=[[0, 1]]),
        rewrite(9, 5, dropped=[[1]]),
        rewrite(9, 5, cut={"asked": 1, "at": 1, "reason": "SECRET"}),
    ],
)
def test_frame__that_is_none_is_refused_with_its_place(frame: Any) -> None:
    error = refused(trace_bytes(user(), frame))
    assert error.code == "trace-frame"
    assert error.where in ("run.jsonl:3", "run.jsonl")
    assert error.next_step


def test_runs_that_overlap__are_refused() -> None:
    for runs in ([[1, 2], [2, 3]], [[3, 3], [1, 1]], [[2, 1]]):
        error = refused(trace_bytes(user(), user(), user(), rewrite(9, 5, dropped=runs)))
        assert error.code == "trace-frame"


@pytest.mark.parametrize(
    "line", [b"{SECRET", b'{"frame": "user", "frame": "user"}', b"\xff", b"NaN"]
)
def test_line__that_is_no_strict_json_is_refused_with_its_place(line: bytes) -> None:
    error = refused(trace_bytes(user()) + line + b"\n")
    assert (error.code, error.where) == ("config-json", "run.jsonl:3")


def test_frames__beyond_the_bound_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_module, "MAX_FRAMES", 3)
    assert len(read(*[user()] * 3).frames) == 3
    assert refused(trace_bytes(*[user()] * 4)).code == "size-limit"


def test_rewrites__beyond_the_bound_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_module, "MAX_REWRITES", 2)
    assert len(read(*[rewrite(2, 1)] * 2).frames) == 2
    assert refused(trace_bytes(*[rewrite(2, 1)] * 3)).code == "size-limit"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (trace_bytes(), True),
        (b'{"messages": []}', False),
        (b"", False),
        (b'{"role": "user", "content": "assembler/trace/1"}\n', False),
        (b'[{"role": "user", "content": "\\n assembler/trace/1"}]\n', False),
    ],
)
def test_form__is_told_by_the_first_line(data: bytes, expected: bool) -> None:
    assert is_trace(data) is expected

"""Messages of model clients: what is read of each shape, and what is dropped and counted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assembler.config import client_messages
from assembler.config.client_messages import read_messages
from assembler.errors import ConfigError
from assembler.model.transcript import Transcript

CHAT = [
    {"role": "system", "content": "rules"},
    {"role": "user", "content": [{"type": "text", "text": "go"}]},
    {
        "role": "assistant",
        "content": "reading",
        "tool_calls": [
            {"id": "A", "type": "function", "function": {"name": "read", "arguments": '{"p":1}'}},
            {"id": "B", "type": "custom", "custom": {"name": "patch", "input": "+x"}},
        ],
    },
    {"role": "tool", "tool_call_id": "A", "content": "one"},
    {"role": "tool", "tool_call_id": "B", "content": [{"type": "text", "text": "two"}]},
    {"role": "assistant", "content": None, "refusal": "no"},
]
RESPONSES = [
    {"role": "developer", "content": [{"type": "input_text", "text": "rules"}]},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
    {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "reading"}],
    },
    {"type": "function_call", "call_id": "A", "name": "read", "arguments": '{"p":1}'},
    {"type": "custom_tool_call", "call_id": "B", "name": "patch", "input": "+x"},
    {"type": "function_call_output", "call_id": "A", "output": "one"},
    {
        "type": "custom_tool_call_output",
        "call_id": "B",
        "output": [{"type": "input_text", "text": "two"}],
    },
    {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]},
]
ANTHROPIC = [
    {"role": "user", "content": "go"},
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "reading"},
            {"type": "tool_use", "id": "A", "name": "read", "input": {"p": 1}},
            {"type": "tool_use", "id": "B", "name": "patch", "input": "+x"},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "A", "content": "one"},
            {
                "type": "tool_result",
                "tool_use_id": "B",
                "content": [{"type": "text", "text": "two"}],
            },
        ],
    },
    {"role": "assistant", "content": "no"},
]
SAID = [
    ("policy", "rules", None, None),
    ("user", "go", None, None),
    ("assistant", "reading", None, None),
    ("tool_call", '{"p":1}', "read", "A"),
    ("tool_call", "+x", "patch", "B"),
    ("tool_result", "one", None, "A"),
    ("tool_result", "two", None, "B"),
    ("assistant", "no", None, None),
]


def load(value: Any) -> Transcript:
    return read_messages(json.dumps(value).encode(), path="m.json")


def said(transcript: Transcript) -> list[tuple[Any, ...]]:
    return [(frame.kind, frame.text, frame.tool, frame.call) for frame in transcript.frames]


@pytest.mark.parametrize(
    ("value", "entries"),
    [
        (CHAT, 6),
        ({"model": "m", "messages": CHAT}, 6),
        (RESPONSES, 8),
        ({"input": RESPONSES}, 8),
        ({"system": "rules", "messages": ANTHROPIC}, 4),
        ({"system": [{"type": "text", "text": "rules"}], "messages": ANTHROPIC}, 4),
    ],
)
def test_same_talk__is_the_same_frames_in_every_shape(value: Any, entries: int) -> None:
    transcript = load(value)
    assert said(transcript) == SAID
    assert transcript.entries == entries
    assert not transcript.parts_dropped


def test_messages__may_stand_one_a_line() -> None:
    data = "\n".join(json.dumps(message) for message in CHAT).encode()
    assert said(read_messages(data, path="m.jsonl")) == SAID


def test_tools_of_a_body__are_policy_in_front_of_what_is_said() -> None:
    tool = {"type": "function", "function": {"name": "read"}}
    frames = load({"tools": [tool], "messages": [{"role": "user", "content": "go"}]}).frames
    assert [(frame.kind, frame.entry) for frame in frames] == [("policy", 0), ("user", 1)]
    assert json.loads(frames[0].text) == tool


def test_input_that_is_text__is_what_a_person_said() -> None:
    body = {"instructions": "rules", "input": "go"}
    assert said(load(body)) == SAID[:2]


def test_entry__counts_messages_that_made_no_frame() -> None:
    transcript = load([{"type": "reasoning"}, {"role": "user", "content": "go"}])
    assert transcript.entries == 2
    assert transcript.frames[0].entry == 2


def test_items_of_one_answer__are_one_message() -> None:
    answer = [
        {"role": "assistant", "content": "reading"},
        {"type": "function_call", "call_id": "A", "name": "read", "arguments": ""},
        {"type": "reasoning"},
        {"type": "function_call", "call_id": "B", "name": "read", "arguments": ""},
        {"type": "message", "role": "assistant", "content": "both"},
    ]
    results = [
        {"type": "function_call_output", "call_id": name, "output": "x"} for name in ("B", "A")
    ]
    frames = load([{"role": "user", "content": "go"}, *answer, *results]).frames
    assert [frame.message for frame in frames] == [1, 2, 2, 2, 2, 7, 8]
    assert [frame.entry for frame in frames] == [1, 2, 3, 5, 6, 7, 8]


def test_messages_of_the_model_in_a_row__are_messages_each() -> None:
    frames = load([{"role": "assistant", "content": "x"}] * 3).frames
    assert [frame.message for frame in frames] == [1, 2, 3]


def test_frames__beyond_the_bound_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_messages, "MAX_FRAMES", 3)
    parts = [{"type": "text", "text": "x"}] * 2
    message = {"role": "user", "content": parts}
    assert len(load([message, {"role": "user", "content": "x"}]).frames) == 3
    with pytest.raises(ConfigError) as caught:
        load([message, message])
    assert caught.value.code == "size-limit"


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ({"type": "image", "source": {"data": "SECRET"}}, {"image": 1}),
        ({"type": "thinking", "thinking": "SECRET"}, {"thinking": 1}),
        ({"type": "text", "text": {"SECRET": 1}}, {"text": 1}),
        ({"type": "two words SECRET", "text": "x"}, {"of no type": 1}),
        ({"type": 5}, {"of no type": 1}),
        (7, {"int": 1}),
        ({"type": "tool_use", "name": "x"}, {"tool call without id or name": 1}),
        ({"type": "tool_use", "id": "A", "name": "x" * 1_001}, {"tool call without id or name": 1}),
        ({"type": "tool_result", "tool_use_id": ""}, {"tool result without id": 1}),
    ],
)
def test_part_of_unknown_shape__is_dropped_and_counted(part: Any, told: dict[str, int]) -> None:
    transcript = load([{"role": "user", "content": ["go", part]}])
    assert said(transcript) == [("user", "go", None, None)]
    assert transcript.parts_dropped == told


def test_message_of_unknown_shape__is_dropped_and_counted() -> None:
    transcript = load([{"role": "user", "content": "go"}, {"role": "narrator"}, "x", {}])
    assert transcript.parts_dropped == {"narrator": 1, "of no type": 1, "str": 1}


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"7", b'{"a": 1}', b'[{"b": "SECRET"}]'])
def test_file__of_which_nothing_is_understood_is_refused(data: bytes) -> None:
    with pytest.raises(ConfigError) as caught:
        read_messages(data, path="m.json")
    assert caught.value.code == "transcript-unknown"
    assert "SECRET" not in str(caught.value)


def test_body__that_is_no_strict_json_is_told_what_is_wrong_with_all_of_it() -> None:
    pretty = json.dumps({"messages": [{"role": "user", "content": "go"}]}, indent=2)
    with pytest.raises(ConfigError) as caught:
        read_messages(pretty.replace('"go"', '"\\ud800"').encode(), path="m.json")
    assert (caught.value.code, caught.value.where) == ("config-json", "m.json")
    assert "a lone surrogate" in str(caught.value)


def test_file__that_is_no_json_is_refused_with_its_line() -> None:
    with pytest.raises(ConfigError) as caught:
        read_messages(b'{"role": "user", "content": "go"}\n{SECRET', path="m.jsonl")
    assert (caught.value.code, caught.value.where) == ("config-json", "m.jsonl:2")

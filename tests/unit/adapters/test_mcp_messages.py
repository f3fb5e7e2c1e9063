from __future__ import annotations

import json

import pytest

from assembler.adapters.mcp_limits import LiveLimits, Meter
from assembler.adapters.mcp_messages import MAX_MESSAGE_DEPTH, Unusable, read_message
from assembler.model.canonical import MAX_TOOL_DEPTH

ANSWER = b'{"jsonrpc":"2.0","id":1,"result":{"tools":[%s]}}'


def nested(levels: int) -> bytes:
    return b"[" * levels + b"]" * levels


def test_read_message__gives_the_object_as_it_was_sent() -> None:
    assert read_message(ANSWER % b'{"x":null,"y":1.50}') == {
        "jsonrpc": "2.0",
        "id": 1,
        "result": {"tools": [{"x": None, "y": 1.5}]},
    }


@pytest.mark.parametrize(
    "line",
    [
        b"starting up...",
        b"[info] {not json",
        b"\xff\xfe bad bytes",
        b'{"level":"info"}',
        b'"jsonrpc"',
        b"[]",
        b"3",
        b"{",
        b'{"jsonrpc":"2.0","method":"notifications/message","params":{"time":1795000000000000000}}',
        b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"a":NaN}}',
    ],
)
def test_read_message__takes_for_noise_what_was_no_answer(line: bytes) -> None:
    assert read_message(line) is None


@pytest.mark.parametrize(
    ("tool", "problem"),
    [
        (b'{"a":1,"a":2}', "twice"),
        (b'{"a":NaN}', "NaN"),
        (b'{"a":1e400}', "too large"),
        (b'{"a":9007199254740992}', "2^53"),
        (b'{"a":' + b"1" * 5000 + b"}", "2^53"),
        (b'{"a":"\\ud800"}', "surrogate"),
        (nested(MAX_MESSAGE_DEPTH), "deeper"),
        (nested(20_000), "deeper"),
    ],
)
def test_read_message__refuses_what_two_readers_read_differently(tool: bytes, problem: str) -> None:
    message = read_message(ANSWER % tool)
    assert isinstance(message, Unusable)
    assert message.is_json
    assert problem in message.problem


@pytest.mark.parametrize("tool", [b'"\xff"', b'{"a":', b"{'a':1}"])
def test_read_message__tells_a_broken_answer_from_noise(tool: bytes) -> None:
    message = read_message(ANSWER % tool)
    assert isinstance(message, Unusable)
    assert not message.is_json


def test_read_message__does_not_lose_a_change() -> None:
    line = b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"a":NaN}}'
    assert isinstance(read_message(line), Unusable)


def test_read_message__admits_the_deepest_tool() -> None:
    tool = nested(MAX_TOOL_DEPTH)
    assert read_message(ANSWER % tool) == json.loads(ANSWER % tool)


def test_meter__holds_each_limit_on_its_edge() -> None:
    limits = LiveLimits(
        line_bytes=3, total_bytes=3, messages=3, requests=3, skipped_lines=3, pages=1, tools=1
    )
    meter = Meter(limits)
    assert meter.check_line(3) is None
    assert meter.check_line(4)
    assert meter.add_bytes(3) is None
    assert meter.add_bytes(1)
    for add in (meter.add_message, meter.add_request, meter.add_skipped_line):
        assert [add(), add(), add()] == [None] * 3
        assert add()


def test_meter__counts_values_and_not_their_bytes() -> None:
    meter = Meter(LiveLimits(marks=4))
    assert meter.add_marks(b'{"a":[1,"x"]}' + b"x" * 1_000) is None
    assert meter.add_marks(b"[")


def test_meter__begins_again_but_for_the_lines_of_all() -> None:
    meter = Meter(LiveLimits(skipped_lines=1))
    assert meter.add_skipped_line() is None
    meter.restart()
    assert meter.add_skipped_line() is None
    assert meter.all_skipped_lines == 2

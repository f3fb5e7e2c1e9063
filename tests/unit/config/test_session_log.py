"""Which files are session logs, and what is refused of them."""

from __future__ import annotations

import pytest

from assembler.config import client_messages
from assembler.config.session_log import Agent, agent_of, read_session_log
from assembler.errors import ConfigError
from assembler.front.transcripts import read_transcript
from tests.builders.session_logs import (
    Line,
    boundary,
    codex,
    event,
    item,
    log_bytes,
    prompt,
    rewritten_codex,
    side_by_side,
    words,
)
from tests.builders.transcripts import chat, trace_bytes, user


@pytest.mark.parametrize(
    ("data", "agent"),
    [
        (log_bytes(side_by_side()), "claude"),
        (log_bytes(rewritten_codex()), "codex"),
        (log_bytes([prompt("u", None)]).strip(), "claude"),
        (b'{"type": "summary", "leafUuid": "u"}\n\n' + log_bytes(side_by_side()), "claude"),
        (log_bytes(chat(["u", "a"])), None),
        (log_bytes([{"type": "x"}] * 10 + side_by_side()), None),
        (log_bytes([{"type": "x"}] * 9 + side_by_side()), "claude"),
        (b"{\n" + log_bytes(side_by_side()), "claude"),
        (b'{"type": "x", "payload": {}}', None),
        (b'{"sessionId": "s"}', None),
        (b"[]", None),
        (b"\xff\n", None),
        (b"", None),
    ],
)  # fmt: skip
def test_agent__is_told_by_the_first_lines(data: bytes, agent: str | None) -> None:
    assert agent_of(data) == agent


def test_trace__is_no_session_log() -> None:
    assert read_transcript(trace_bytes(user()), "t").form == "assembler/trace/1"


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_broken_line__is_refused_without_its_content(agent: str) -> None:
    lines = side_by_side() if agent == "claude" else rewritten_codex()
    with pytest.raises(ConfigError) as caught:
        read_transcript(log_bytes(lines) + b'{"type": "secret-words", \n', "log.jsonl")
    assert caught.value.code == "config-json"
    assert caught.value.where == f"log.jsonl:{len(lines) + 1}"
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_line_that_is_still_written__is_passed_over_and_counted(agent: Agent) -> None:
    lines = side_by_side() if agent == "claude" else rewritten_codex()
    whole = log_bytes(lines)
    line = whole.rstrip(b"\n").rpartition(b"\n")[2]
    before = read_session_log(whole, agent, path="s.jsonl")
    for length in range(1, len(line)):
        written = read_session_log(whole + line[:length], agent, path="s.jsonl")
        assert written.frames == before.frames
        assert written.parts_dropped == {**before.parts_dropped, "of an unfinished line": 1}
    # A whole line needs no end of line, and one with an end was finished.
    finished = read_session_log(whole.rstrip(b"\n"), agent, path="s.jsonl")
    assert finished == before
    with pytest.raises(ConfigError):
        read_session_log(whole + line[:9] + b"\n", agent, path="s.jsonl")


@pytest.mark.parametrize(
    ("written", "text", "halves"),
    [
        (r"a\ud83dz", "a\ufffdz", 1),
        (r"\uDE00", "\ufffd", 1),
        (r"\ud83d\ud83d\ude00", "\ufffd\U0001f600", 1),
        (r"\ud83d\ude00\ude00", "\U0001f600\ufffd", 1),
        (r"\ud83d\n", "\ufffd\n", 1),
        (r"\ud83d\ude00", "\U0001f600", 0),
        (r"\\ud83d", r"\ud83d", 0),
        (r"\\\ud83d", "\\\ufffd", 1),
    ],
)
def test_half_of_a_character__is_replaced_and_counted(written: str, text: str, halves: int) -> None:
    data = log_bytes([prompt("u", None, "WORDS")]).replace(b"WORDS", written.encode())
    transcript = read_session_log(data, "claude", path="s.jsonl")
    assert [frame.text for frame in transcript.frames] == [text]
    assert transcript.parts_dropped.get("halves of characters", 0) == halves


def test_lines_that_are_no_objects__are_counted() -> None:
    transcript = read_session_log(
        b'[1]\n"x"\n' + log_bytes([prompt("u", None)]), "claude", path="l"
    )
    assert dict(transcript.parts_dropped) == {"of no object": 2}


@pytest.mark.parametrize(
    "lines",
    [
        [prompt("u", None) | {"type": "mode"}],
        [event("task_started")],
        [codex("session_meta", {"base_instructions": {"text": "base"}})],
    ],
)
def test_log_of_no_message__is_unknown(lines: list[Line]) -> None:
    with pytest.raises(ConfigError) as caught:
        read_transcript(log_bytes(lines), "log.jsonl")
    assert caught.value.code == "transcript-unknown"


def test_frames_and_rewrites__are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_messages, "MAX_FRAMES", 3)
    monkeypatch.setattr(client_messages, "MAX_REWRITES", 1)
    rewrite = codex("compacted", {"message": "s"})
    claude_rewrites = [boundary("c1", "u1", ()), prompt("u2", "c1"), boundary("c2", "u2", ())]
    for full, over in (
        ([item(**words("user", "a", "b", "c"))], [item(**words("user", "d"))]),
        ([item(**words("user", "a")), rewrite], [rewrite]),
        ([prompt("u1", None), prompt("u2", "u1"), prompt("u3", "u2")], [prompt("u4", "u3")]),
        ([prompt("u1", None), *claude_rewrites[:2]], [claude_rewrites[2]]),
    ):
        read_transcript(log_bytes(full), "l")
        with pytest.raises(ConfigError) as caught:
            read_transcript(log_bytes([*full, *over]), "l")
        assert caught.value.code == "size-limit"


def test_no_member_of_a_strange_type__is_more_than_counted() -> None:
    """Each member in turn is a number, a list, an object or null: nothing but a ConfigError."""
    for lines in (side_by_side(), rewritten_codex()):
        for place, line in enumerate(lines):
            for member in line:
                for strange in (5, ["x"], {"x": {"y": 1}}, None, ""):
                    changed = [*lines[:place], line | {member: strange}, *lines[place + 1 :]]
                    read_or_refuse(changed)
            for inner in ("message", "payload", "attachment"):
                for member in line.get(inner) or {}:
                    for strange in (5, ["x", 5, None], {"x": {"y": 1}}, None):
                        body = line[inner] | {member: strange}
                        changed = [*lines[:place], line | {inner: body}, *lines[place + 1 :]]
                        read_or_refuse(changed)


def read_or_refuse(lines: list[Line]) -> None:
    try:
        read_transcript(log_bytes(lines), "l")
    except ConfigError as error:
        assert error.code == "transcript-unknown"

"""Transcripts of any form, written as a trace and read again."""

from __future__ import annotations

import json

import pytest

from assembler.config.trace import read_trace
from assembler.model.transcript import Frame, Transcript
from assembler.transcript.ladder import build_ladder
from assembler.transcript.trace_lines import write_frames
from assembler.transcript.visible import show
from tests.builders.session_logs import (
    Line,
    block,
    boundary,
    event,
    prompt,
    read_log,
    rewritten_codex,
    said,
    side_by_side,
    summary_line,
    usage,
)
from tests.builders.transcripts import assistant, call, counted, read, result, rewrite, user


def write(transcript: Transcript) -> bytes:
    return write_frames(transcript, build_ladder(transcript, [1] * len(transcript.frames)))


def unnumbered(frames: list[Frame] | tuple[Frame, ...]) -> list[Frame]:
    """Frames without what a trace numbers by its own lines."""
    return [frame._replace(entry=0, message=0) for frame in frames]


def claude_with_rewrite() -> list[Line]:
    refused = block("a9", "u2", "x", said("too long")) | {"isApiErrorMessage": True}
    return [
        *side_by_side(),
        prompt("u2", "a4", "more"),
        refused,
        boundary("c1", "a9", ["a4", "u2"]),
        summary_line("c2", "c1"),
        prompt("u3", "c2", "and more"),
        block("a5", "u3", "m5", said("two"), usage(400, 10)),
    ]


@pytest.mark.parametrize(
    "lines",
    [
        side_by_side(),
        claude_with_rewrite(),
        rewritten_codex(),
        [*rewritten_codex(), event("turn_aborted"), event("error", message="no")],
    ],
)
def test_session_log__comes_back_from_its_trace(lines: list[Line]) -> None:
    transcript = read_log(*lines)
    written = write(transcript)
    again = read_trace(written, path="t")
    assert unnumbered(again.frames) == unnumbered(transcript.frames)
    resident = [frame for frame in transcript.frames if not frame.entry]
    assert unnumbered(show(again).frames) == unnumbered([*resident, *show(transcript).frames])
    assert write(again) == written
    assert build_ladder(again, [1] * len(again.frames)).context == (
        build_ladder(transcript, [1] * len(transcript.frames)).context
    )


def test_trace__comes_back_with_every_kind_of_frame() -> None:
    transcript = read(
        {"frame": "policy", "text": "rule"},
        user(context=counted(9, "estimated")),
        assistant(),
        call("A", arguments={"a": [1, "é"]}),
        result("A", tool="read", context=counted(20, "measured")),
        rewrite(20, 10),
        rewrite(10, 8, "", dropped=[[1, 2], [4, 4]], drops_task=True,
                cut={"asked": None, "at": 2, "reason": "pair-boundary"}),
        {"frame": "refusal", "text": "no"},
        {"frame": "end", "how": "overflow", "text": "over"},
        {"frame": "end", "how": "finished"},
        resident=counted(5),
    )  # fmt: skip
    again = read_trace(write(transcript), path="t")
    assert again.frames == transcript.frames
    assert again.resident == transcript.resident


def test_task_that_stayed__is_no_member_of_its_own() -> None:
    lines = write(read(user(), assistant(), rewrite(9, 5))).splitlines()
    assert "drops_task" not in json.loads(lines[-1])

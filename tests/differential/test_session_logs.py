"""Session logs of the real Claude Code and Codex: what is read is what their request held.

CLAUDE_BIN and CODEX_BIN name them. Nothing leaves the machine (`logged_agents`).
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from assembler.front.transcripts import read_transcript
from assembler.model.transcript import MODEL_KINDS, Frame
from assembler.transcript.pairs import pair_frames
from assembler.transcript.visible import show
from tests.builders.logged_agents import VARIABLES, run_session

ROLES = {"user": "user", "assistant": "assistant", "system": "policy", "developer": "policy"}


@pytest.mark.parametrize(
    "agent",
    [
        pytest.param(name, marks=pytest.mark.skipif(variable not in os.environ, reason=variable))
        for name, variable in VARIABLES.items()
    ],
)
def test_log__holds_what_the_last_request_did(agent: str, base: Path) -> None:
    log, requests = run_session(agent, base / "home")
    transcript = read_transcript(log, "log.jsonl")
    frames = list(show(transcript).frames)
    assert not pair_frames(frames).broken
    while frames and frames[-1].kind in MODEL_KINDS:
        del frames[-1]  # the answer to the last request
    sent = requests[-1]
    held = sent["messages"] if agent == "claude" else sent["input"][1:]
    assert _joined(map(_of_frame, frames)) == _joined(_of_messages(held))
    assert set(transcript.parts_dropped) <= {"thinking", "reasoning"}
    # All requests but that for a summary were counted as 1,000, and their answers as 40.
    assert {frame.context.tokens for frame in transcript.frames if frame.context} == {1_000, 1_040}


def _of_frame(frame: Frame) -> tuple[str, str]:
    kind = "user" if frame.kind == "compaction" else frame.kind
    return kind, f"{frame.call or ''} {frame.text}"


def _of_messages(messages: list[dict[str, Any]]) -> list[tuple[str, str]]:
    found = []
    for message in messages:
        content = message.get("content", [message])
        for part in [content] if isinstance(content, str) else content:
            found.append(_of_part(message.get("role", ""), part))
    return found


def _of_part(role: str, part: Any) -> tuple[str, str]:
    if isinstance(part, str):
        return ROLES[role], f" {part}"
    match part["type"]:
        case "tool_use":
            return "tool_call", f"{part['id']} {json.dumps(part['input'], separators=(',', ':'))}"
        case "tool_result":
            return "tool_result", f"{part['tool_use_id']} {part['content']}"
        case "function_call":
            return "tool_call", f"{part['call_id']} {part['arguments']}"
        case "function_call_output":
            return "tool_result", f"{part['call_id']} {part['output']}"
        case _:
            return ROLES[role], f" {part['text']}"


def _joined(parts: Any) -> list[tuple[str, str]]:
    """Texts of the system in a row are sent as one; white space at an end is nobody's."""
    made: list[tuple[str, str]] = []
    for kind, text in parts:
        words = text.strip()
        if kind == "policy" and made and made[-1][0] == "policy":
            made[-1] = (kind, f"{made[-1][1]}\n\n{words}".strip())
        elif words or kind != "policy":
            made.append((kind, words))
    return made

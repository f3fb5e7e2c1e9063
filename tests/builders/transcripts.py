"""Histories of runs: a short notation for them, as traces and as messages of a client.

`u` a person's words, `a` the model's, `aXY` the model's with calls X and Y at once, `rX` the result
of call X; a word a message.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assembler.config.client_messages import read_messages
from assembler.config.trace import read_trace
from assembler.model.transcript import Transcript

HEADER = {"schema": "assembler/trace/1"}


def trace_bytes(*frames: dict[str, Any], **header: Any) -> bytes:
    """A trace of frames as they stand in a file."""
    lines = [{**HEADER, **header}, *frames]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def read(*frames: dict[str, Any], **header: Any) -> Transcript:
    return read_trace(trace_bytes(*frames, **header), path="run.jsonl")


def user(text: str = "go", **members: Any) -> dict[str, Any]:
    return {"frame": "user", "text": text, **members}


def assistant(text: str = "so", **members: Any) -> dict[str, Any]:
    return {"frame": "assistant", "text": text, **members}


def call(name: str, tool: str = "read", **members: Any) -> dict[str, Any]:
    return {"frame": "tool_call", "id": name, "tool": tool, **members}


def result(name: str, output: str = "out", **members: Any) -> dict[str, Any]:
    return {"frame": "tool_result", "call": name, "output": output, **members}


def rewrite(before: int, after: int, summary: str = "what was", **members: Any) -> dict[str, Any]:
    return {
        "frame": "compaction", "before": before, "after": after, "summary": summary, **members
    }  # fmt: skip


def counted(tokens: int, basis: str = "provider-reported") -> dict[str, Any]:
    return {"tokens": tokens, "basis": basis}


def chat(words: Sequence[str]) -> list[dict[str, Any]]:
    """Messages as `openai-chat` has them."""
    return [_chat_message(word) for word in words]


def _chat_message(word: str) -> dict[str, Any]:
    kind, calls = word[0], word[1:]
    if kind == "r":
        return {"role": "tool", "tool_call_id": calls, "content": f"result {calls}"}
    if kind == "u":
        return {"role": "user", "content": "words"}
    message: dict[str, Any] = {"role": "assistant", "content": None if calls else "said"}
    if calls:
        message["tool_calls"] = [
            {"id": name, "type": "function", "function": {"name": "read", "arguments": "{}"}}
            for name in calls
        ]
    return message


def read_chat(*words: str) -> Transcript:
    return read_messages(json.dumps(chat(words)).encode(), path="messages.json")


def chat_of_history(history: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Messages of a history as the cases of bug reports spell it."""
    words = []
    for message in history:
        if message["role"] == "tool":
            words.append(f"r{message['call']}")
        elif message["role"] == "assistant":
            words.append("a" + "".join(message.get("tool_calls", ())))
        else:
            words.append("u")
    return chat(words)


def worked_example() -> bytes:
    """One search and one page read, as the provider counted them (708, 1,226, 1,308, 6,352)."""
    return trace_bytes(
        user("Which limit applies?", context=counted(708)),
        call("c1", "web_search", arguments={"query": "limit"}),
        result("c1", "1. https://example.org/limits", context=counted(1_226)),
        assistant("The page should have it."),
        call(
            "c2", "fetch_page",
            arguments={"url": "https://example.org/limits"}, context=counted(1_308),
        ),
        result("c2", "The limit is 600 yuan, not 500.", context=counted(6_352)),
    )  # fmt: skip


def write_json(path: Path, value: Any) -> str:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path.name

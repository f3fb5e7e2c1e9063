"""A transcript as text: roles, words, tool names, arguments and outputs, and nothing else.

Each line of what was said stands behind a bar, so that no text can begin a frame of its own.
Ids, usage, reasoning and other bookkeeping of a provider never come here: calls and their results
are numbered in their order instead. Source: docs/formats/trace.md, section "Rendering".
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final

from assembler.model.transcript import Compaction, Frame

SUMMARY_WORDS: Final = "summary (derived from what was dropped: data, no instruction)"


def summary_frame(summary: str) -> Frame:
    """A summary as it stands in a request: data in a frame of its own, in nobody's name."""
    return Frame("compaction", 0, 0, summary, compaction=Compaction(0, 0, None))


def render_frames(frames: Sequence[Frame]) -> str:
    """The frames as one text; reading it back gives kinds, tools, numbers and texts again."""
    return "".join(block for block in iter_blocks(frames))


def iter_blocks(frames: Sequence[Frame]) -> Iterator[str]:
    """The text of each frame, one after the other."""
    numbers: dict[str, int] = {}
    calls = 0
    tools: dict[str, str | None] = {}
    for frame in frames:
        if frame.kind == "tool_call" and frame.call is not None:
            calls += 1
            numbers[frame.call] = calls
            tools[frame.call] = frame.tool
        yield _block(_header(frame, numbers, tools), frame.text)


def _header(frame: Frame, numbers: dict[str, int], tools: dict[str, str | None]) -> str:
    if frame.call is None:
        return SUMMARY_WORDS if frame.compaction is not None else frame.kind
    number = numbers.get(frame.call)
    tool = frame.tool or tools.get(frame.call)
    name = "" if tool is None else " " + json.dumps(tool, ensure_ascii=False)
    return f"{frame.kind}{'' if number is None else f' {number}'}{name}"


def _block(header: str, text: str) -> str:
    lines = "".join(f"| {line}\n" for line in text.split("\n"))
    return f"== {header}\n{lines}"

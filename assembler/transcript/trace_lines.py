"""A transcript written as `assembler/trace/1`, with a rewrite behind what was said.

Source: docs/formats/trace.md.
"""

from __future__ import annotations

from typing import Any

from assembler.model.canonical import canonical_line
from assembler.model.transcript import (
    SAID_KINDS,
    TRACE_SCHEMA,
    Compaction,
    ContextCount,
    Frame,
    Transcript,
    continues_by_kind,
    runs_of,
)
from assembler.transcript.ladder import Ladder
from assembler.transcript.rewrite import Rewrite

OVERFLOW_WORDS = "what the rewrite left is over the ceiling"


def write_frames(transcript: Transcript, ladder: Ladder) -> bytes:
    """The whole transcript as a trace, a line a frame.

    Args:
        transcript: of any form.
        ladder: its sizes; says what stood in front of every request.
    """
    lines: list[dict[str, Any]] = [{"schema": TRACE_SCHEMA}]
    if ladder.resident:
        stated = transcript.resident or ContextCount(ladder.resident, "estimated")
        lines[0]["resident"] = _count(stated)
    before: Frame | None = None
    for frame in transcript.frames:
        lines.append({**_frame(frame), **_joint(before, frame)})
        before = frame
    return b"".join(canonical_line(line) for line in lines)


def write_rewrite(rewrite: Rewrite, summary: str, *, overflows: bool) -> bytes:
    """The lines that a rewrite adds; all that was said stays in front of them.

    Args:
        rewrite: as planned.
        summary: empty: there is none.
        overflows: whether what is left is still too much, which is a line of its own.
    """
    compaction = Compaction(rewrite.before, rewrite.after, runs_of(rewrite.dropped), rewrite.cut)
    lines = [_compaction(compaction, summary)]
    if overflows:
        lines.append({"frame": "end", "how": "overflow", "text": OVERFLOW_WORDS})
    return b"".join(canonical_line(line) for line in lines)


def _compaction(compaction: Compaction, summary: str) -> dict[str, Any]:
    dropped, cut = compaction.dropped, compaction.cut
    line: dict[str, Any] = {
        "frame": "compaction",
        "before": compaction.before_tokens,
        "after": compaction.after_tokens,
        "summary": summary,
        "dropped": None if dropped is None else [list(run) for run in dropped],
        "cut": None if cut is None else cut._asdict(),
    }
    if compaction.drops_task:
        line["drops_task"] = True
    return line


def _frame(frame: Frame) -> dict[str, Any]:
    if frame.compaction is not None:
        return _compaction(frame.compaction, frame.text)
    line: dict[str, Any] = {"frame": frame.kind}
    if frame.context is not None:
        line["context"] = _count(frame.context)
    match frame.kind:
        case "tool_call":
            line |= {"id": frame.call, "tool": frame.tool, "arguments": frame.text}
        case "tool_result":
            line |= {"call": frame.call, "output": frame.text}
            if frame.tool is not None:
                line["tool"] = frame.tool
        case "end":
            line |= {"how": frame.how, "text": frame.text}
        case _:
            line["text"] = frame.text
    return line


def _joint(before: Frame | None, frame: Frame) -> dict[str, bool]:
    """Which message a frame is of, where its kind does not say so; entry 0 is of no message."""
    if before is None or not frame.entry or not before.entry or frame.kind not in SAID_KINDS:
        return {}
    continues = frame.message == before.message
    return (
        {} if continues == continues_by_kind(before.kind, frame.kind) else {"continues": continues}
    )


def _count(count: ContextCount) -> dict[str, Any]:
    return {"tokens": count.tokens, "basis": count.basis}

"""Session logs in the shape in which Claude Code 2.1.332 and Codex 0.171.0 write them.

Only members that are read, and some that must not be.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from assembler.front.transcripts import read_transcript
from assembler.model.transcript import Frame, Transcript

TIME = "2026-01-01T00:00:00.000Z"
Line = dict[str, Any]


def log_bytes(lines: Sequence[Line]) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def read_log(*lines: Line) -> Transcript:
    return read_transcript(log_bytes(lines), "log.jsonl")


def spell(frames: Sequence[Frame]) -> list[str]:
    """Frames as one reads them: kind, and call or text."""
    return [f"{frame.kind} {frame.call or frame.text}".strip() for frame in frames]


def claude(kind: str, name: str | None, parent: str | None, **members: Any) -> Line:
    """A line of Claude Code; `name` is its uuid."""
    line: Line = {"type": kind, "sessionId": "s", "timestamp": TIME, "isSidechain": False}
    if name is not None:
        line |= {"uuid": name, "parentUuid": parent}
    return line | members


def prompt(name: str, parent: str | None, text: str = "go", **members: Any) -> Line:
    message = {"role": "user", "content": text}
    return claude("user", name, parent, message=message, promptId="p", **members)


def block(
    name: str, parent: str | None, message: str, part: Line, usage: Line | None = None
) -> Line:
    """A block of a message of the model."""
    body = {"id": message, "type": "message", "role": "assistant", "content": [part]}
    if usage is not None:
        body["usage"] = usage
    return claude("assistant", name, parent, message=body, requestRef=f"request-{message}")


def said(text: str) -> Line:
    return {"type": "text", "text": text}


def use(name: str) -> Line:
    return {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": "ls"}}


def outcome(name: str, parent: str, call: str, *, is_error: bool = False) -> Line:
    part = {"type": "tool_result", "tool_use_id": call, "content": f"of {call}"}
    message = {"role": "user", "content": [part | {"is_error": is_error}]}
    return claude("user", name, parent, message=message, toolUseResult={"stdout": "elsewhere"})


def attachment(name: str, parent: str, text: str | None, role: str = "system") -> Line:
    """A text of the host; None: nothing of it was sent."""
    told: Line = {"attachment": {"type": "environment", "content": "never read"}}
    if text is not None:
        told["rendered"] = [{"content": f"<system-reminder>\n{text}\n</system-reminder>"}]
        told["renderedRole"] = role
    return claude("attachment", name, parent, **told)


def usage(told: int, wrote: int) -> Line:
    """As the provider counts: most of what it was told was cached."""
    return {
        "input_tokens": 10,
        "cache_creation_input_tokens": 20,
        "cache_read_input_tokens": told - 30,
        "output_tokens": wrote,
    }


def boundary(name: str, before: str, kept: Sequence[str], **metadata: Any) -> Line:
    told = {"trigger": "manual", "preTokens": 900, "postTokens": 300} | metadata
    told["preservedMessages"] = {"uuids": list(kept)}
    return claude(
        "system", name, None, logicalParentUuid=before, subtype="compact_boundary",
        content="Conversation compacted", compactMetadata=told,
    )  # fmt: skip


def summary_line(name: str, parent: str, text: str = "what was") -> Line:
    return prompt(name, parent, text, isCompactSummary=True, isVisibleInTranscriptOnly=True)


def side_by_side() -> list[Line]:
    """Two calls of one message, answered the other way round: only one is an ancestor."""
    count = usage(1_000, 50)
    return [
        claude("queue-operation", None, None, operation="enqueue", content="go"),
        prompt("u1", None),
        attachment("h1", "u1", "env"),
        attachment("h2", "h1", "rules", "user"),
        attachment("h3", "h2", None),
        block("a1", "h3", "m1", {"type": "thinking", "thinking": "hm"}, count),
        block("a2", "a1", "m1", use("A"), count),
        block("a3", "a2", "m1", use("B"), count),
        claude("last-prompt", None, None, lastPrompt="go", leafUuid="a3"),
        outcome("r1", "a3", "B"),
        attachment("h4", "r1", "hook"),
        outcome("r2", "a2", "A"),
        block("a4", "r2", "m2", said("done"), usage(1_200, 10)),
    ]


def codex(kind: str, payload: Line, **members: Any) -> Line:
    """A line of Codex."""
    return {"timestamp": TIME, "type": kind, "payload": payload, **members}


def meta(text: str = "base") -> Line:
    return codex("session_meta", {"id": "s", "base_instructions": {"text": text}})


def item(**payload: Any) -> Line:
    return codex("response_item", payload)


def words(role: str, *texts: str) -> Line:
    """A message; what the model says is another type of text."""
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text} for text in texts]
    return {"type": "message", "role": role, "content": content}


def asked(call: str) -> Line:
    return item(type="function_call", name="shell", arguments="{}", call_id=call)


def answered(call: str) -> Line:
    return item(type="function_call_output", call_id=call, output=f"of {call}")


def event(kind: str, **members: Any) -> Line:
    return codex("event_msg", {"type": kind, **members})


def record(told: int, wrote: int) -> Line:
    return codex("token_usage_record", {"usage": _counts(told, wrote)})


def token_count(told: int, wrote: int, *, total: int, whole: int) -> Line:
    """As a screen is told: of the last response, and of all."""
    last = _counts(told, wrote) | {"total_tokens": total}
    info = {"last_token_usage": last, "total_token_usage": {"total_tokens": whole}}
    return event("token_count", info=info)


def _counts(told: int, wrote: int) -> Line:
    return {"input_tokens": told, "output_tokens": wrote, "total_tokens": told + wrote}


def rewritten_codex() -> list[Line]:
    """A turn with two calls, a rewrite that Codex made itself, and one more word."""
    return [
        meta(),
        item(**words("developer", "rules", "skills")),
        item(**words("user", "env")),
        codex("turn_context", {"model": "m"}),
        item(**words("user", "go")),
        item(type="reasoning", summary=[], encrypted_content="never read"),
        asked("A"),
        asked("B"),
        record(1_000, 50),
        event("item_completed", item={"type": "CommandExecution"}),
        answered("A"),
        answered("B"),
        token_count(1_000, 50, total=1_050, whole=1_050),
        item(**words("assistant", "done")),
        record(1_200, 10),
        token_count(1_200, 10, total=1_210, whole=2_260),
        item(**words("assistant", "what was")) | {"metadata": {"compaction_output": True}},
        record(1_300, 40),
        token_count(1_300, 40, total=1_340, whole=3_600),
        codex(
            "compacted",
            {
                "message": "Another model said: what was",
                "replacement_history": [
                    words("developer", "rules", "skills"),
                    words("user", "env, a day later"),
                    words("user", "go"),
                    words("user", "Another model said: what was"),
                ],
            },
        ),
        token_count(0, 0, total=700, whole=3_600),
        item(**words("user", "more")),
        item(**words("assistant", "said")),
        record(800, 5),
    ]  # fmt: skip

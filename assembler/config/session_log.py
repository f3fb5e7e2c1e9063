"""Session logs that agents write of themselves, read as transcripts.

In: the bytes of a log. Out: the frames that its last request held, and what was rewritten on the
way there. Rules: docs/formats/trace.md, section "Session logs". What one agent's lines mean is in
the file of that agent.
"""

from __future__ import annotations

import re
from typing import Any, Final, Literal, TypeAlias

from assembler.config.claude_log import ClaudeLog
from assembler.config.client_messages import unknown_transcript
from assembler.config.codex_log import CodexLog
from assembler.config.trace import iter_objects
from assembler.model.canonical import Numbers, StrictJsonError, read_strict
from assembler.model.transcript import Transcript

Agent: TypeAlias = Literal["claude", "codex"]

_HALF: Final = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE: Final = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\."
)
"""Each escape in a string of JSON: a whole character in two, half of one, or any other."""
_LINES_LOOKED_AT: Final = 10
"""Of the beginning; the first line of every log seen while this was written told already."""


def agent_of(data: bytes) -> Agent | None:
    """Which agent wrote a log, by its first lines; None: it is no session log.

    Codex puts what it says of a line into `payload`; Claude Code names the session in each line.
    """
    start = 0
    for _ in range(_LINES_LOOKED_AT):
        end = data.find(b"\n", start)
        agent = _agent_of_line(data[start:] if end < 0 else data[start:end])
        if agent is not None or end < 0:
            return agent
        start = end + 1
    return None


def _without_unfinished(data: bytes) -> bytes:
    """A log without the line that its agent is still writing."""
    last = data.rpartition(b"\n")[2]
    return data if not last.strip() or _value(last) is not None else data[: -len(last)]


def _without_halves(data: bytes) -> tuple[bytes, int]:
    """A log with U+FFFD for each half of a character that stands alone, and how many there were.

    Agents cut long outputs where they please, and a log is to be weighed all the same.
    """
    if _HALF.search(data) is None:
        return data, 0
    count = 0

    def replace(match: re.Match[bytes]) -> bytes:
        nonlocal count
        if match.group("half") is None:
            return match.group()
        count += 1
        return b"\\ufffd"

    return _ESCAPE.sub(replace, data), count


def _value(text: bytes) -> Any:
    """The value of a line; None: it is no strict JSON, or null."""
    try:
        return read_strict(text, numbers=Numbers.FINITE)
    except StrictJsonError:
        return None


def _agent_of_line(text: bytes) -> Agent | None:
    value = _value(text)
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return None
    if isinstance(value.get("payload"), dict) and isinstance(value.get("timestamp"), str):
        return "codex"
    return "claude" if isinstance(value.get("sessionId"), str) else None


def read_session_log(data: bytes, agent: Agent, *, path: str) -> Transcript:
    """The frames of a session log.

    Args:
        data: the bytes of the file.
        agent: who wrote it.
        path: how messages name it.

    Raises:
        ConfigError: `config-json`, `size-limit`, or `transcript-unknown`: no line of it holds a
            message.
    """
    log = CodexLog(path) if agent == "codex" else ClaudeLog(path)
    data, halves = _without_halves(data)
    if halves:
        log.reader.dropped["halves of characters"] += halves
    whole = _without_unfinished(data)
    if len(whole) < len(data):
        log.reader.dropped["of an unfinished line"] += 1
    for _, value in iter_objects(whole, path=path):
        if isinstance(value, dict):
            log.add(value)
        else:
            log.reader.dropped["of no object"] += 1
    log.finish()
    if not any(frame.entry for frame in log.reader.frames):
        raise unknown_transcript(path)
    return log.reader.transcript("session-log")

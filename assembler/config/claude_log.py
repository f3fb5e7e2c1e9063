"""What Claude Code logs of a session: a line a block of a message, in a tree of lines.

In: the lines of `~/.claude/projects/DIRECTORY/SESSION.jsonl`, one after the other. Out: frames, in
the order in which a request holds them.
Held against what Claude Code 2.1.332 sent: see docs/formats/trace.md, section "Session logs".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from assembler.config.claude_branch import Node, live_lines
from assembler.config.client_messages import MessageReader, is_token_count, type_name
from assembler.config.still_said import StillSaid
from assembler.model.canonical import canonical_text
from assembler.model.transcript import Frame

_BOOKKEEPING: Final = frozenset(
    {
        "agent-color",
        "agent-name",
        "agent-setting",
        "ai-title",
        "api-request",
        "api-request-blob",
        "api-request-resumed",
        "api-request-shape",
        "artifact-autoreact-ledger",
        "artifact-comment-monitor",
        "atis-latch",
        "attachment",
        "attribution-snapshot",
        "bridge-session",
        "continued-in",
        "cost-state",
        "custom-title",
        "data-flow-incomplete",
        "data-flow-records",
        "derived-from",
        "dev-mods",
        "file-history-delta",
        "file-history-snapshot",
        "frame-link",
        "isolation-latch",
        "last-prompt",
        "memory-mode",
        "mode",
        "observer-ref",
        "permission-mode",
        "pr-link",
        "progress",
        "queue-operation",
        "relocated",
        "resume-head-vouch",
        "session-owner",
        "summary",
        "system",
        "tag",
        "tools-used",
        "worktree-state",
    }
)
"""Types of lines of which no request holds anything, unless `_read_line` says so.

The program's own table has some more, which are counted: they change what earlier lines say.
"""
_QUIET_EVENTS: Final = frozenset(
    {"api_error", "away_summary", "informational", "stop_hook_summary", "turn_duration"}
)
"""Subtypes of `system` lines that only a person is shown."""
_REMINDER: Final = ("<system-reminder>\n", "\n</system-reminder>")
"""What the log puts around a text that is sent as a message of the system, without it."""

_Kind: TypeAlias = Literal[
    "assistant", "refusal", "rewrite", "summary", "result", "reminder", "user", "system"
]
_RANKS: Final[dict[str, int]] = {"result": 0, "reminder": 1, "user": 2, "system": 3}
"""Order in a request of what stands between two messages of the model."""


class _Line(NamedTuple):
    """What matters of a line that a request holds."""

    kind: _Kind
    uuid: str | None
    message: dict[str, Any]
    """As the provider is sent it; of a rewrite, what the log says of it."""
    request: str | None = None
    """Which request the model answered with it."""


class ClaudeLog:
    """Makes frames of the lines of one log; which of them count is only known at its end.

    Args:
        path: how messages name it.
    """

    def __init__(self, path: str) -> None:
        self.reader = MessageReader()
        self._path = path
        self._said = StillSaid(self.reader)
        self._nodes: list[Node] = []
        self._lines: list[_Line | None] = []
        self._is_side: bool | None = None
        self._parents: dict[str | None, str | None] = {}
        self._residents = _Residents()
        self._places: dict[str, range] = {}
        """Of the frames of each line, by its uuid."""
        self._waiting: list[_Line] = []
        """What stands behind the model's newest message."""
        self._open: tuple[str | None, int] | None = None
        """The id of the model's newest message, and the place of its first frame."""
        self._usage: Any = None
        self._rewritten: _Line | None = None
        """A rewrite of which the summary is a line still to come."""

    def add(self, line: dict[str, Any]) -> None:
        """One line."""
        is_side = line.get("isSidechain")
        if isinstance(is_side, bool):
            # A subagent has a log of its own; early versions wrote its lines between the others.
            self._is_side = is_side if self._is_side is None else self._is_side
            if is_side != self._is_side:
                name = "of a subagent" if is_side else "of no subagent"
                self.reader.dropped[name] += 1
                return
        self._residents.add(line)
        said = self._read_line(line)
        if said is None and _text(line.get("type")) not in _BOOKKEEPING:
            self.reader.dropped[type_name(line)] += 1
        if said is not None or _text(line.get("uuid")) is not None:
            self._nodes.append(_node(line, said))
            self._lines.append(said)

    def finish(self) -> None:
        """Make the frames.

        Raises:
            ConfigError: `size-limit`.
        """
        live, others = [], 0
        self._parents = {node.uuid: node.parent for node in self._nodes}
        for said, is_live in zip(self._lines, live_lines(self._nodes), strict=True):
            if said is not None and is_live:
                live.append(said)
            elif said is not None:
                others += 1
        if others:
            self.reader.dropped["of another branch"] += others
        for value in self._residents.of(_last_request(live)):
            self.reader.add_resident(value)
        for said in live:
            self._say(said)
            self.reader.require_bounded(self._path)
        self._flush()
        self.reader.require_bounded(self._path)

    def _read_line(self, line: dict[str, Any]) -> _Line | None:
        """What a request holds of a line; None: nothing."""
        kind, uuid, message = line.get("type"), _text(line.get("uuid")), line.get("message")
        if kind == "assistant" and isinstance(message, dict):
            word: _Kind = "refusal" if line.get("isApiErrorMessage") is True else "assistant"
            return _Line(word, uuid, message, _text(line.get("requestRef")))
        if kind == "user" and isinstance(message, dict):
            if line.get("isCompactSummary") is True:
                return _Line("summary", uuid, message)
            return _Line("result" if _has_result(message) else "user", uuid, message)
        if kind == "attachment":
            return _read_attachment(line, uuid)
        if kind != "system":
            return None
        subtype = _text(line.get("subtype"))
        if subtype == "compact_boundary":
            metadata = line.get("compactMetadata")
            return _Line("rewrite", uuid, metadata if isinstance(metadata, dict) else {})
        if subtype == "local_command":
            return _Line("user", uuid, {"role": "user", "content": line.get("content")})
        if subtype not in _QUIET_EVENTS:
            self.reader.dropped[type_name({"type": subtype})] += 1
        return None

    def _say(self, said: _Line) -> None:
        match said.kind:
            case "assistant":
                self._say_block(said)
            case "refusal":
                self._flush()
                for text in _texts(said.message):
                    self.reader.add_unsaid(Frame("refusal", 0, 0, text))
            case "rewrite":
                self._flush()
                self._rewritten = said
            case "summary":
                if self._rewritten is None:
                    self._flush()
                self._rewrite(self._rewritten, "\n".join(_texts(said.message)))
            case _:
                self._waiting.append(said)

    def _say_block(self, said: _Line) -> None:
        """A block of the model's message; results that the log has in between come behind it."""
        name = _text(said.message.get("id"))
        is_same = (
            self._open is not None
            and name is not None
            and self._open[0] == name
            and all(waiting.kind != "user" for waiting in self._waiting)
        )
        if not is_same:
            self._flush()
            self._open = (name, len(self.reader.frames))
        self._add(said, continues=is_same)
        self._usage = said.message.get("usage")

    def _add(self, said: _Line, *, continues: bool = False) -> None:
        start = len(self.reader.frames)
        self.reader.add(said.message, continues=continues)
        if said.uuid is not None:
            self._places[said.uuid] = range(start, len(self.reader.frames))

    def _flush(self) -> None:
        """The model's newest message is whole, and so is what stands behind it."""
        self._count()
        self._open = None
        if self._rewritten is not None:
            self._rewrite(self._rewritten, "")
        for said in sorted(self._waiting, key=lambda said: _RANKS[said.kind]):
            self._add(said)
        self._waiting = []

    def _count(self) -> None:
        if self._open is None or not isinstance(self._usage, dict):
            return
        start, end = self._open[1], len(self.reader.frames)
        names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        parts = [self._usage.get(name) or 0 for name in (*names, "output_tokens")]
        if not all(is_token_count(part) for part in parts) or not is_token_count(sum(parts)):
            return
        told = sum(parts[:-1])
        if told:
            self.reader.count(start - 1, told)
            if end > start:
                self.reader.count(end - 1, sum(parts))

    def _rewrite(self, said: _Line | None, summary: str) -> None:
        """A summary in place of all but the lines that the log names; None: it names none."""
        metadata = {} if said is None else said.message
        before, after = metadata.get("preTokens"), metadata.get("postTokens")
        kept = [
            place
            for uuid in _kept_lines(metadata, self._parents)
            for place in self._places.get(uuid, ())
        ]
        self._said.rewrite(
            summary,
            kept,
            before=before if is_token_count(before) else None,
            after=after if is_token_count(after) else None,
        )
        self._rewritten = None


class _Residents:
    """What stands in front of every request: of each request's shape, or of the newest prompt."""

    def __init__(self) -> None:
        self._shapes: dict[str, dict[str, Any]] = {}
        self._shape_of: dict[str, str] = {}
        self._prompt: Any = None

    def add(self, line: dict[str, Any]) -> None:
        kind, shape = line.get("type"), _text(line.get("shapeHash"))
        attachment = line.get("attachment")
        if kind == "api-request-shape" and shape and isinstance(line.get("shape"), dict):
            self._shapes[shape] = line["shape"]
        elif kind == "api-request" and shape and _text(line.get("id")):
            self._shape_of[line["id"]] = shape
        elif isinstance(attachment, dict) and attachment.get("type") == "prompt_snapshot":
            self._prompt = attachment.get("systemPrompt")

    def of(self, request: str | None) -> Iterator[Any]:
        """The texts that stand in front of a request, in its order."""
        shape = self._shapes.get(self._shape_of.get(request or "", ""))
        if shape is None:
            yield self._prompt
            return
        yield shape.get("system")
        tools = shape.get("tools")
        for tool in tools if isinstance(tools, list) else []:
            yield canonical_text(tool)


def _last_request(live: Sequence[_Line]) -> str | None:
    return next((said.request for said in reversed(live) if said.request is not None), None)


def _read_attachment(line: dict[str, Any], uuid: str | None) -> _Line | None:
    """A text of the host, where the log says how it was sent."""
    rendered, role = line.get("rendered"), line.get("renderedRole")
    if not isinstance(rendered, list) or not rendered:
        return None
    contents = [part.get("content") if isinstance(part, dict) else part for part in rendered]
    if role == "system":
        contents = [_without_reminder(content) for content in contents]
    parts: list[Any] = []
    for content in contents:
        parts += content if isinstance(content, list) else [content]
    message = {"role": "system" if role == "system" else "user", "content": parts}
    return _Line("system" if role == "system" else "reminder", uuid, message)


def _without_reminder(content: Any) -> Any:
    begin, end = _REMINDER
    if not isinstance(content, str) or not content.startswith(begin):
        return content
    return content.removeprefix(begin).rstrip("\n").removesuffix(end)


def _node(line: dict[str, Any], said: _Line | None) -> Node:
    is_block = said is not None and said.kind == "assistant"
    return Node(
        _text(line.get("uuid")),
        _text(line.get("parentUuid")) or _text(line.get("logicalParentUuid")),
        _text(said.message.get("id")) if said is not None and is_block else None,
        is_result=said is not None and said.kind == "result",
        is_attachment=line.get("type") == "attachment",
    )


def _kept_lines(metadata: Mapping[str, Any], parents: Mapping[str | None, str | None]) -> list[str]:
    """The lines that a rewrite left as they were: by name, or from one to another."""
    kept = metadata.get("preservedMessages")
    if isinstance(kept, dict) and isinstance(kept.get("uuids"), list):
        return [uuid for uuid in kept["uuids"] if isinstance(uuid, str)]
    segment = metadata.get("preservedSegment")
    if not isinstance(segment, dict):
        return []
    head, uuid = _text(segment.get("headUuid")), _text(segment.get("tailUuid"))
    found: list[str] = []
    while uuid is not None and uuid in parents and len(found) < len(parents):
        found.append(uuid)
        if uuid == head:
            return found
        uuid = parents[uuid]
    return []


def _has_result(message: dict[str, Any]) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(
        isinstance(part, dict) and part.get("type") == "tool_result" for part in content
    )


def _texts(message: dict[str, Any]) -> list[str]:
    content = message.get("content")
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, list) else []
    return [
        part["text"]
        for part in parts
        if isinstance(part, dict) and isinstance(part.get("text"), str)
    ]


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None

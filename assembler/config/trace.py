"""`assembler/trace/1`: a run as lines of JSON, a header and a frame each.

In: the bytes of a trace. Out: its frames. Rules: docs/formats/trace.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal, TypeAlias

from assembler.config.records import Meta, Struct, msgspec
from assembler.errors import ConfigError
from assembler.model.canonical import Numbers, StrictJsonError, read_strict
from assembler.model.transcript import (
    TRACE_SCHEMA,
    Compaction,
    ContextCount,
    CutRecord,
    Frame,
    FrameKind,
    Transcript,
    continues_by_kind,
)

MAX_FRAMES: Final = 200_000
"""Of one file; the longest session seen while this was written had some thousands."""
MAX_REWRITES: Final = 500
"""Of one file; each is a walk over what is still shown."""
MAX_NAME_CHARACTERS: Final = 1_000
"""Of a tool's name or a call's id."""
MAX_HEADER_BYTES: Final = 64 * 1024
MAX_TOKENS: Final = 10**12
"""Of one count."""

Tokens = Annotated[int, Meta(ge=0, le=MAX_TOKENS)]
Place = Annotated[int, Meta(ge=1, le=MAX_FRAMES)]
Name = Annotated[str, Meta(min_length=1, max_length=MAX_NAME_CHARACTERS)]


class Count(Struct, frozen=True, forbid_unknown_fields=True):
    """A size, and who says so."""

    tokens: Tokens
    """In tokens of whoever counted."""
    basis: Literal["provider-reported", "measured", "estimated"]
    """The provider counted it, the writer counted it, or somebody guessed it."""


class Header(Struct, frozen=True, forbid_unknown_fields=True, rename={"schema_": "schema"}):
    """The first line of a trace."""

    schema_: Literal["assembler/trace/1"]
    id: str | None = None
    """The run, as its writer calls it."""
    resident: Count | None = None
    """Policy and tools that every request holds."""


class _Frame(Struct, frozen=True, forbid_unknown_fields=True, tag_field="frame"):
    """What every frame may say."""


class _Said(_Frame, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a request holds may say besides."""

    context: Count | None = None
    """Size of the whole input once this frame is in."""
    continues: bool | None = None
    """Whether it is of the same message as the frame in front; null: as its kind says."""


class Policy(_Said, frozen=True, forbid_unknown_fields=True, tag="policy", kw_only=True):
    """Instructions of the host, in front or in between; no rewrite drops them."""

    text: str
    """What they say."""


class User(_Said, frozen=True, forbid_unknown_fields=True, tag="user", kw_only=True):
    """What a person, or the host in a person's place, said."""

    text: str
    """What was said."""


class Assistant(_Said, frozen=True, forbid_unknown_fields=True, tag="assistant", kw_only=True):
    """What the model said; its calls are frames behind it."""

    text: str
    """What was said."""


class ToolCall(_Said, frozen=True, forbid_unknown_fields=True, tag="tool_call", kw_only=True):
    """A call that the model asked for."""

    id: Name
    """Pairs it with its results."""
    tool: Name
    """The tool's name."""
    arguments: dict[str, Any] | str = ""
    """As an object, or as the text that the model wrote."""


class ToolResult(_Said, frozen=True, forbid_unknown_fields=True, tag="tool_result", kw_only=True):
    """What a tool gave back."""

    call: Name
    """The id of the call that it answers."""
    output: str
    """What it gave back, as the model was shown it."""
    tool: Name | None = None
    """The tool's name, where it is not told by the call."""


class Cut(Struct, frozen=True, forbid_unknown_fields=True):
    """Where a rewrite cut."""

    asked: Annotated[int, Meta(ge=0, le=MAX_FRAMES)] | None
    """Entries in front of the cut that was asked for; null: none was."""
    at: Annotated[int, Meta(ge=0, le=MAX_FRAMES)]
    """Entries in front of the cut that was made."""
    reason: Literal["pair-boundary", "message-boundary"] | None = None
    """Why it is another one; null: it is the same."""


class Rewrite(_Frame, frozen=True, forbid_unknown_fields=True, tag="compaction", kw_only=True):
    """A summary in place of what was said before."""

    before: Tokens
    """Tokens of the whole input before it, by the estimate of whoever rewrote it."""
    after: Tokens
    """Tokens of the whole input after it, by the same estimate."""
    summary: str
    """The summary; empty: there is none."""
    dropped: list[tuple[Place, Place]] | None = None
    """First and last frame of each run that it stands for; null: all but the task and the
    newest turn."""
    cut: Cut | None = None
    """Where it was asked to cut, and where it did."""
    drops_task: bool = False
    """Whether frames of the task that `dropped` names are gone too."""


class Refusal(_Frame, frozen=True, forbid_unknown_fields=True, tag="refusal", kw_only=True):
    """A request that the provider refused; nothing of it is in a later one."""

    text: str
    """Its reason."""


class End(_Frame, frozen=True, forbid_unknown_fields=True, tag="end", kw_only=True):
    """How a run ended; what stands behind it is of a run that went on."""

    how: Literal["finished", "stopped", "step-cap", "overflow"]
    """`overflow`: over the ceiling, and nothing was left to drop."""
    text: str = ""
    """More about it."""


AnyFrame: TypeAlias = Policy | User | Assistant | ToolCall | ToolResult | Rewrite | Refusal | End
"""A line of a trace below its header."""
_KINDS: Final[dict[type[Any], FrameKind]] = {
    Policy: "policy",
    User: "user",
    Assistant: "assistant",
    ToolCall: "tool_call",
    ToolResult: "tool_result",
    Rewrite: "compaction",
    Refusal: "refusal",
    End: "end",
}


def is_trace(data: bytes) -> bool:
    """Whether the first line is the header of a trace, of whatever version."""
    first = data.partition(b"\n")[0]
    if len(first) > MAX_HEADER_BYTES or b"assembler/trace/" not in first:
        return False
    try:
        value = read_strict(first, numbers=Numbers.FINITE)
    except StrictJsonError:
        return True  # and then its mistake is told
    schema = value.get("schema") if isinstance(value, dict) else None
    return isinstance(schema, str) and schema.startswith("assembler/trace/")


def read_trace(data: bytes, *, path: str) -> Transcript:
    """The frames of a trace.

    Args:
        data: the bytes of the file.
        path: how messages name it.

    Raises:
        ConfigError: with `PATH:LINE`: `trace-header`, `trace-frame` (a frame of no known kind,
            an unknown member, or a value of another type), `config-json`, `size-limit`.
    """
    lines = iter_objects(data, path=path)
    header = _read_header(next(lines, None), path)
    records = [_read_frame(value, line, path) for line, value in lines]
    frames: list[Frame] = []
    if sum(isinstance(record, Rewrite) for record in records) > MAX_REWRITES:
        raise ConfigError(
            "size-limit", f"{path} holds more than {MAX_REWRITES:,} rewrites", where=path
        )
    for record in records:
        frames.append(_frame(record, len(frames) + 1, frames))
        _require_dropped(frames[-1], path)
    return Transcript("assembler/trace/1", tuple(frames), len(frames), _count(header.resident))


def iter_objects(data: bytes, *, path: str) -> Iterator[tuple[int, Any]]:
    """The value of each line that is not blank, with its number.

    Raises:
        ConfigError: `config-json`, `size-limit`.
    """
    seen = 0
    for line, text in enumerate(data.split(b"\n"), 1):
        if not text.strip():
            continue
        seen += 1
        if seen > MAX_FRAMES + 1:
            raise ConfigError(
                "size-limit",
                f"{path} holds more than {MAX_FRAMES:,} frames",
                where=path,
                next_step="split it where a run ends",
            )
        try:
            yield line, read_strict(text, numbers=Numbers.FINITE)
        except StrictJsonError as error:
            raise ConfigError(
                "config-json",
                f"line {line:,} of {path} is not strict JSON: {error.problem}",
                where=f"{path}:{line}",
                next_step="write one JSON object a line",
            ) from None


def _read_header(first: tuple[int, Any] | None, path: str) -> Header:
    line, value = first or (1, None)
    try:
        return msgspec.convert(value, Header, strict=True)
    except msgspec.ValidationError as error:
        schema = value.get("schema") if isinstance(value, dict) else None
        is_other = isinstance(schema, str) and schema != TRACE_SCHEMA
        problem = f"`schema` is not {TRACE_SCHEMA}" if is_other else _spell(error)
        raise ConfigError(
            "trace-header",
            f"the first line of {path} is no header of a trace: {problem}",
            where=f"{path}:{line}",
            next_step=f'begin with {{"schema": "{TRACE_SCHEMA}"}}',
        ) from None


def _read_frame(value: Any, line: int, path: str) -> AnyFrame:
    try:
        frame: AnyFrame = msgspec.convert(value, AnyFrame, strict=True)
    except msgspec.ValidationError as error:
        kinds = ", ".join(_KINDS.values())
        raise ConfigError(
            "trace-frame",
            f"line {line:,} of {path} is no frame: {_spell(error)}",
            where=f"{path}:{line}",
            next_step=f"a frame is one of {kinds}; docs/formats/trace.md has their members",
        ) from None
    return frame


def _spell(error: Exception) -> str:
    """What msgspec says, without the value: that is content of the file."""
    text = str(error)
    place = text.rpartition(" - at ")[2] if " - at " in text else "its place"
    if text.startswith("Invalid value"):
        return "`frame` is not one of the kinds"
    if text.startswith("Invalid enum value"):
        return f"not one of the words that may stand at {place}"
    return text[:1].lower() + text[1:]


def _frame(record: AnyFrame, entry: int, before: list[Frame]) -> Frame:
    """The frame of a record; a call belongs to the message of the model that it stands behind."""
    kind = _KINDS[type(record)]
    continues = getattr(record, "continues", None)
    if continues is None:
        continues = bool(before) and continues_by_kind(before[-1].kind, kind)
    message = before[-1].message + (not continues) if before else 1
    context = _count(getattr(record, "context", None))
    match record:
        case ToolCall():
            text = spell_arguments(record.arguments)
            return Frame(kind, entry, message, text, record.tool, record.id, context)
        case ToolResult():
            return Frame(kind, entry, message, record.output, record.tool, record.call, context)
        case Rewrite():
            cut = record.cut
            compaction = Compaction(
                record.before,
                record.after,
                None if record.dropped is None else tuple(record.dropped),
                None if cut is None else CutRecord(cut.asked, cut.at, cut.reason),
                record.drops_task,
            )
            return Frame(kind, entry, message, record.summary, compaction=compaction)
        case End():
            return Frame(kind, entry, message, record.text, how=record.how)
        case _:
            return Frame(kind, entry, message, record.text, context=context)


def spell_arguments(arguments: Any) -> str:
    """Arguments as text: what is text stays as it is."""
    if isinstance(arguments, str):
        return arguments
    return json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))


def _count(count: Count | None) -> ContextCount | None:
    return None if count is None else ContextCount(count.tokens, count.basis)


def _require_dropped(frame: Frame, path: str) -> None:
    """Refuse runs of dropped frames that overlap, go backwards or are not before the rewrite."""
    if frame.compaction is None or frame.compaction.dropped is None:
        return
    last = 0
    for start, end in frame.compaction.dropped:
        if not last < start <= end < frame.entry:
            raise ConfigError(
                "trace-frame",
                f"frame {frame.entry:,} of {path} drops {start:,} to {end:,}, which is no run of "
                "frames before it",
                where=path,
                next_step="name frames from 1, in order, each once",
            )
        last = end

"""What one run of an agent said and was told, in order: frames, and what each made of the input.

Format: docs/formats/trace.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

FrameKind: TypeAlias = Literal[
    "policy", "user", "assistant", "tool_call", "tool_result", "compaction", "refusal", "end"
]
Basis: TypeAlias = Literal["provider-reported", "measured", "estimated"]
How: TypeAlias = Literal["finished", "stopped", "step-cap", "overflow"]

TRACE_SCHEMA: Final = "assembler/trace/1"
Form: TypeAlias = Literal["assembler/trace/1", "messages", "session-log"]

MODEL_KINDS: Final = frozenset({"assistant", "tool_call"})
"""Frames that the model wrote."""
SAID_KINDS: Final = MODEL_KINDS | {"policy", "user", "tool_result"}
"""Frames that a message holds; these alone can be counted."""
UNSENT_KINDS: Final = frozenset({"refusal", "end"})
"""Frames of which no request holds anything."""


class ContextCount(NamedTuple):
    """Size of the whole input once a frame is in it."""

    tokens: int
    basis: Basis


class CutRecord(NamedTuple):
    """Where a rewrite was asked to cut, and where it did."""

    asked: int | None
    """Entries in front of the cut; None: it was left to the rule."""
    at: int
    reason: str | None
    """Why it was moved; None: it was not."""


class Compaction(NamedTuple):
    """A rewrite: a summary in place of what was said before."""

    before_tokens: int
    """Of the whole input, by the estimate of whoever rewrote it."""
    after_tokens: int
    dropped: tuple[tuple[int, int], ...] | None
    """First and last frame of each run that it stands for, from 1; None: all but the task and
    the newest turn."""
    cut: CutRecord | None = None
    drops_task: bool = False
    """Whether frames of the task that it names are gone too; no rewrite of ours does so."""


class Frame(NamedTuple):
    """One thing that was said; nothing of a provider's bookkeeping but what pairs and counts."""

    kind: FrameKind
    entry: int
    """Which line of a trace, or message of a list, it is of; from 1."""
    message: int
    """Frames of one number were said in one message, and are kept or dropped together."""
    text: str
    """What was said, the arguments, the output, the summary, or the reason."""
    tool: str | None = None
    call: str | None = None
    """The call that it is, or that it answers."""
    context: ContextCount | None = None
    compaction: Compaction | None = None
    how: How | None = None
    """Of an end."""


class Transcript(NamedTuple):
    """The frames of one run."""

    form: Form
    frames: tuple[Frame, ...]
    entries: int
    resident: ContextCount | None = None
    """Policy and tools that every request holds, where somebody said or the list has them."""
    parts_dropped: Mapping[str, int] = {}
    """How many parts and lines were not read, by type, or by whose they are."""


def continues_by_kind(before: FrameKind, kind: FrameKind) -> bool:
    """Whether a frame of a trace is of the message in front of it, where nothing says so."""
    return kind == "tool_call" and before in MODEL_KINDS


def runs_of(indexes: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """First and last of each run of whole numbers, counted from 1, in order."""
    runs: list[tuple[int, int]] = []
    for index in sorted(indexes):
        number = index + 1
        if runs and runs[-1][1] == index:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return tuple(runs)

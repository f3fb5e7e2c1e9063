"""How the input grew, frame by frame: what a provider counted, and our own counts between.

A provider's count is trusted for all that stands in front of it, and void after a rewrite; what
came since is added by our own counts. Where a count covers several frames, it is spread over
them by those. Source: docs/formats/trace.md, section "Sizes".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from assembler.model.names import first_few
from assembler.model.transcript import MODEL_KINDS, UNSENT_KINDS, Basis, Frame, Transcript
from assembler.transcript.visible import Shown, Window, head_length, show
from assembler.transcript.weights import Weights, spread


class Rung(NamedTuple):
    """The input after some frames came in."""

    frames: tuple[int, ...]
    """Indexes of what came in."""
    label: str
    increment: int
    """In tokens; below 0 where the provider counted less than before, or a rewrite."""
    context: int
    """Tokens of the whole input."""
    basis: Basis
    estimated_increment: int | None
    """What our own counts say of the increment, where the provider counted it."""


class Ladder(NamedTuple):
    """All that was measured of a transcript."""

    rungs: tuple[Rung, ...]
    resident: int
    """Tokens of policy and tools: stated, counted, or the first count less what was said."""
    sizes: tuple[int, ...]
    """Tokens of each frame as the next request has it; 0 of what no request holds."""
    brought: tuple[int, ...]
    """The same when it came in: more, where something that was counted with it is gone."""
    context: int
    basis: Basis
    shown: Shown
    """What the next request holds."""
    tools: Mapping[int, str]
    """The tool of each result by its index."""


def build_ladder(transcript: Transcript, counts: Sequence[int]) -> Ladder:
    """The ladder of a transcript.

    Args:
        transcript: the frames.
        counts: of each frame's text, by our own counter.
    """
    climb = _Climb(transcript, counts)
    for index in range(len(transcript.frames)):
        climb.add(index)
    return climb.finish()


class _Climb:
    """A ladder while it is made."""

    def __init__(self, transcript: Transcript, counts: Sequence[int]) -> None:
        self._transcript = transcript
        self._frames = transcript.frames
        self._counts = counts
        self._head = head_length(self._frames)
        self._tools = tool_names(self._frames)
        self._window = Window(self._frames)
        self._rungs: list[Rung] = []
        self._waiting: list[int] = []
        stated = transcript.resident
        self._context = 0 if stated is None else stated.tokens
        self._weights = Weights(counts, self._head, self._context)
        self._knows_resident = stated is not None
        self._basis: Basis = "measured" if stated is None else stated.basis
        self._rewritten: int | None = None
        """The rewrite behind which nobody counted yet."""

    def add(self, index: int) -> None:
        frame = self._frames[index]
        if frame.kind in UNSENT_KINDS:
            return
        if frame.compaction is not None:
            self._count_waiting()
            self._window.add(index)
            self._rewrite(index)
            return
        self._window.add(index)
        self._waiting.append(index)
        if frame.context is not None:
            self._take(frame.context.tokens, frame.context.basis)

    def finish(self) -> Ladder:
        self._count_waiting()
        weights = self._weights
        return Ladder(
            tuple(self._rungs),
            weights.resident,
            tuple(weights.sizes),
            tuple(weights.brought),
            self._context,
            self._basis,
            show(self._transcript),
            self._tools,
        )

    def _take(self, tokens: int, basis: Basis) -> None:
        """Somebody counted the whole input up to here."""
        own = [self._counts[index] for index in self._waiting]
        increment = tokens - self._context
        label = self._label(self._waiting)
        estimated: int | None = None
        if self._rewritten is not None:
            # What the rewrite left was an estimate: the count corrects it, and not the new frames.
            self._put(own)
        elif not self._knows_resident:
            self._put(own if sum(own) <= tokens else spread(tokens, own))
            label = "task and tools" if self._is_head(self._waiting) else f"tools, {label}"
        else:
            self._put(spread(max(increment, 0), own))
            estimated = sum(own)
        self._settle(tokens)
        told = estimated if basis == "provider-reported" else None
        self._rungs.append(Rung(tuple(self._waiting), label, increment, tokens, basis, told))
        self._context, self._basis, self._rewritten = tokens, basis, None
        self._waiting = []

    def _settle(self, tokens: int) -> None:
        """Make all that is held weigh what was counted."""
        weights = self._weights
        more = tokens - weights.total
        if more < 0:
            weights.take_back(-more)
        elif not self._knows_resident:
            weights.resident += more
        elif self._rewritten is not None:
            weights.add(self._rewritten, more)
        self._knows_resident = True

    def _put(self, sizes: Sequence[int]) -> None:
        for index, size in zip(self._waiting, sizes, strict=True):
            self._weights.put(index, size)

    def _count_waiting(self) -> None:
        """Frames that nobody counted since, a rung a message, by our own counts."""
        groups: dict[int, list[int]] = {}
        for index in self._waiting:
            groups.setdefault(self._frames[index].message, []).append(index)
        self._waiting = []
        for group in groups.values():
            for index in group:
                self._weights.put(index, self._counts[index])
            increment = sum(self._counts[index] for index in group)
            self._context += increment
            self._basis = "measured" if self._basis == "measured" else "estimated"
            self._rungs.append(
                Rung(tuple(group), self._label(group), increment, self._context, self._basis, None)
            )

    def _rewrite(self, index: int) -> None:
        compaction = self._frames[index].compaction
        assert compaction is not None  # asked by the caller
        weights, after = self._weights, compaction.after_tokens
        weights.keep(other for other in self._window.shown if other != index)
        weights.put(index, max(0, after - weights.total))
        increment = after - self._context
        self._rungs.append(Rung((index,), "rewrite", increment, after, "estimated", None))
        self._context, self._basis, self._rewritten = after, "estimated", index

    def _label(self, indexes: Sequence[int]) -> str:
        """What came in, by the weightiest kind of it: results, words of people, the model's."""
        frames = [self._frames[index] for index in indexes]
        results = [name for index in indexes if (name := self._tools.get(index)) is not None]
        if results:
            return spell_tools(results)
        if any(frame.kind in MODEL_KINDS for frame in frames):
            return "model"
        if all(frame.kind == "policy" for frame in frames):
            return "policy and tools"
        return "task" if self._is_head(indexes) else "user"

    def _is_head(self, indexes: Sequence[int]) -> bool:
        return all(index < self._head for index in indexes)


class Calibration(NamedTuple):
    """Our counts beside a provider's, where both are known."""

    rungs: int
    estimated: int
    """Tokens by our counts."""
    counted: int
    """Tokens by the provider's."""
    error_per_mille: int
    """Ours less theirs, divided by theirs, with its sign."""


def calibrate(ladder: Ladder) -> Calibration | None:
    """How far our counts were off; None where a provider counted nothing that we count too."""
    pairs = [
        (rung.estimated_increment, rung.increment)
        for rung in ladder.rungs
        if rung.estimated_increment is not None and rung.increment > 0
    ]
    counted = sum(increment for _, increment in pairs)
    if not counted:
        return None
    estimated = sum(estimate for estimate, _ in pairs)
    error = round(1000 * (estimated - counted) / counted)
    return Calibration(len(pairs), estimated, counted, error)


def front_tokens(transcript: Transcript, ladder: Ladder) -> int:
    """What stands in front of every request and is no entry: policy and tools."""
    sizes = zip(transcript.frames, ladder.sizes, strict=True)
    return ladder.resident + sum(size for frame, size in sizes if frame.entry == 0)


def base_tokens(transcript: Transcript, ladder: Ladder) -> int:
    """What no rewrite of ours drops: tools, policy wherever it was said, and the task.

    Of a task that a rewrite dropped, nothing is left to count.
    """
    frames, shown = transcript.frames, ladder.shown.indexes
    task = shown[: ladder.shown.head]
    rules = (index for index in shown[len(task) :] if frames[index].kind == "policy")
    staying = sum(ladder.sizes[index] for index in (*task, *rules))
    return front_tokens(transcript, ladder) + staying


def tool_names(frames: Sequence[Frame]) -> dict[int, str]:
    """The tool of each result by its index: its own word, else that of the call it answers."""
    called: dict[str, str] = {}
    names = {}
    for index, frame in enumerate(frames):
        if frame.call is None:
            continue
        if frame.kind == "tool_call" and frame.tool is not None:
            called[frame.call] = frame.tool
        elif frame.kind == "tool_result":
            names[index] = frame.tool or called.get(frame.call, "tool")
    return names


def spell_tools(names: Sequence[str]) -> str:
    """`fetch_page`, `3 fetch_page`, `fetch_page, search`; of many tools the first few."""
    counted = sorted(Counter(names).items())
    return ", ".join(
        first_few([f"{count} {name}" if count > 1 else name for name, count in counted])
    )

"""How the input grew, frame by frame: what a provider counted, and our own counts between.

A provider's count is trusted for all that stands in front of it, and void after a rewrite; what
came since is added by our own counts. Where a count covers several frames, it is spread over
them by those. Source: docs/formats/trace.md, section "Sizes".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from assembler.model.names import first_few
from assembler.model.transcript import MODEL_KINDS, UNSENT_KINDS, Basis, Frame, Transcript
from assembler.transcript.visible import Window, head_length, visible_frames


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
    """Tokens of each frame; 0 of what no request holds."""
    context: int
    basis: Basis


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
        self._frames = transcript.frames
        self._counts = counts
        self._head = head_length(self._frames)
        self._tools = tool_names(self._frames)
        self._window = Window(self._frames)
        self._sizes = [0] * len(self._frames)
        self._rungs: list[Rung] = []
        self._waiting: list[int] = []
        stated = transcript.resident
        self._resident = 0 if stated is None else stated.tokens
        self._knows_resident = stated is not None
        self._context = self._resident
        self._basis: Basis = "measured" if stated is None else stated.basis
        self._is_void = False

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
        return Ladder(
            tuple(self._rungs), self._resident, tuple(self._sizes), self._context, self._basis
        )

    def _take(self, tokens: int, basis: Basis) -> None:
        """Somebody counted the whole input up to here."""
        weights = [self._counts[index] for index in self._waiting]
        own = sum(weights)
        increment = tokens - self._context
        label = self._label(self._waiting)
        estimated: int | None = own
        if self._is_void:
            # What the rewrite left was an estimate: the count corrects it, and not the new frames.
            spread = weights
        elif not self._knows_resident and not self._rungs:
            spread = weights if own <= tokens else _spread(tokens, weights)
            self._resident = tokens - sum(spread)
            label = "task and tools" if self._is_head() else f"tools, {label}"
            estimated = None
        else:
            spread = _spread(max(increment, 0), weights)
        self._put(spread)
        told = estimated if basis == "provider-reported" else None
        self._rungs.append(Rung(tuple(self._waiting), label, increment, tokens, basis, told))
        self._context, self._basis, self._is_void = tokens, basis, False
        self._waiting = []

    def _is_head(self) -> bool:
        return all(index < self._head for index in self._waiting)

    def _put(self, sizes: Sequence[int]) -> None:
        for index, size in zip(self._waiting, sizes, strict=True):
            self._sizes[index] = size

    def _count_waiting(self) -> None:
        """Frames that nobody counted since, a rung a message, by our own counts."""
        groups: dict[int, list[int]] = {}
        for index in self._waiting:
            groups.setdefault(self._frames[index].message, []).append(index)
        self._waiting = []
        for group in groups.values():
            for index in group:
                self._sizes[index] = self._counts[index]
            increment = sum(self._counts[index] for index in group)
            self._context += increment
            self._basis = "measured" if self._basis == "measured" else "estimated"
            self._rungs.append(
                Rung(tuple(group), self._label(group), increment, self._context, self._basis, None)
            )

    def _rewrite(self, index: int) -> None:
        compaction = self._frames[index].compaction
        assert compaction is not None  # asked by the caller
        kept = sum(self._sizes[other] for other in self._window.shown if other != index)
        after = compaction.after_tokens
        self._sizes[index] = max(0, after - self._resident - kept)
        increment = after - self._context
        self._rungs.append(Rung((index,), "rewrite", increment, after, "estimated", None))
        self._context, self._basis, self._is_void = after, "estimated", True

    def _label(self, indexes: Sequence[int]) -> str:
        """What came in, by the weightiest kind of it: results, words of people, the model's."""
        frames = [self._frames[index] for index in indexes]
        results = [name for index in indexes if (name := self._tools.get(index)) is not None]
        if results:
            return spell_tools(results)
        if any(frame.kind in MODEL_KINDS for frame in frames):
            return "model"
        return "task" if self._is_all_head(indexes) else "user"

    def _is_all_head(self, indexes: Sequence[int]) -> bool:
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


def base_tokens(transcript: Transcript, ladder: Ladder) -> int:
    """What no rewrite of ours drops: tools, policy wherever it was said, and the task.

    Of a task that a rewrite dropped, nothing is left to count.
    """
    frames = transcript.frames
    head = head_length(frames)
    staying = (
        index
        for index in visible_frames(frames)
        if index < head or frames[index].kind == "policy"
    )
    return ladder.resident + sum(ladder.sizes[index] for index in staying)


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


def _spread(total: int, weights: Sequence[int]) -> list[int]:
    """A whole number in shares by weight, which add up to it: the largest remainders first."""
    whole = sum(weights)
    if not weights:
        return []
    if whole == 0:
        return [*([0] * (len(weights) - 1)), total]
    shares = [total * weight // whole for weight in weights]
    remainders = [total * weight % whole for weight in weights]
    order = sorted(range(len(weights)), key=lambda place: (-remainders[place], place))
    for place in order[: total - sum(shares)]:
        shares[place] += 1
    return shares

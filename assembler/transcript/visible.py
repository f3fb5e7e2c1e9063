"""Which frames the next request holds: what rewrites dropped is in the file, and not in the input.

Source: docs/formats/trace.md, section "What the next request holds".
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import NamedTuple

from assembler.model.transcript import (
    MODEL_KINDS,
    UNSENT_KINDS,
    Compaction,
    Frame,
    Transcript,
)


def head_length(frames: Sequence[Frame]) -> int:
    """How many of the frames stand in front of the model's first word: policy and the task."""
    for index, frame in enumerate(frames):
        if frame.kind not in ("policy", "user"):
            return index
    return len(frames)


class Window:
    """What the next request holds, while frames come in one after the other.

    The task stays in front unless a rewrite says that it dropped it, a summary stands where what
    it replaces stood, and what was kept follows it.
    """

    def __init__(self, frames: Sequence[Frame]) -> None:
        self._frames = frames
        self._head = head_length(frames)
        self.shown: list[int] = []
        """Indexes of frames, in the order of the request."""

    def add(self, index: int) -> None:
        """The next frame came in."""
        frame = self._frames[index]
        if frame.kind in UNSENT_KINDS:
            return
        if frame.compaction is None:
            self.shown.append(index)
            return
        dropped = _dropped(self._frames, self.shown, self._head, frame.compaction)
        left = [other for other in self.shown if other not in dropped]
        front = [other for other in left if other < self._head]
        self.shown = [*front, index, *left[len(front) :]]


def visible_frames(frames: Sequence[Frame]) -> tuple[int, ...]:
    """The indexes of the frames that the next request holds, in its order."""
    window = Window(frames)
    for index in range(len(frames)):
        window.add(index)
    return tuple(window.shown)


def _dropped(
    frames: Sequence[Frame], shown: Sequence[int], head: int, compaction: Compaction
) -> set[int]:
    if compaction.dropped is None:
        newest = newest_turn(frames, shown)
        # Policy never goes: rules that a rewrite lost are the fault seen most often.
        return {
            index for index in shown[:newest] if index >= head and frames[index].kind != "policy"
        }
    named = {index for first, last in compaction.dropped for index in range(first - 1, last)}
    return named if compaction.drops_task else named - {*range(head)}


class Shown(NamedTuple):
    """What the next request holds, without what stands in front of every request."""

    indexes: tuple[int, ...]
    """Of the frames, in the order of the request."""
    frames: tuple[Frame, ...]
    """The same, with entries that are numbered in this order where a rewrite changed it."""
    entries: int
    head: int
    """How many of them are the task, which no rewrite of ours drops."""


def show(transcript: Transcript) -> Shown:
    """What the next request holds of what was said."""
    frames = transcript.frames
    indexes = tuple(index for index in visible_frames(frames) if frames[index].entry)
    length = head_length(frames)
    head = sum(index < length for index in indexes)
    shown = tuple(frames[index] for index in indexes)
    if all(frame.compaction is None for frame in frames):
        return Shown(indexes, shown, transcript.entries, head)
    numbers: dict[int, int] = {}
    for frame in shown:
        numbers.setdefault(frame.entry, len(numbers) + 1)
    renumbered = tuple(frame._replace(entry=numbers[frame.entry]) for frame in shown)
    return Shown(indexes, renumbered, len(numbers), head)


def positions_of(shown: Shown) -> dict[int, int]:
    """The number of each frame's entry as cuts count it, by index."""
    return {index: frame.entry for index, frame in zip(shown.indexes, shown.frames, strict=True)}


def newest_prompt(shown: Shown, place: int) -> frozenset[int]:
    """Indexes of what a person asked last in front of a place, and of all they said since.

    In a session with several prompts the newest one is what the model works on; words that came
    with results steer it. Empty where a prompt stands behind the place.
    """
    with_results = {frame.message for frame in shown.frames if frame.kind == "tool_result"}
    if any(_is_prompt(frame, with_results) for frame in shown.frames[place:]):
        return frozenset()
    said: list[int] = []
    seen = False
    for at in range(place - 1, shown.head - 1, -1):
        frame = shown.frames[at]
        if _is_prompt(frame, with_results):
            seen = True
        elif seen and frame.kind != "policy":
            break
        if frame.kind == "user":
            said.append(shown.indexes[at])
    return frozenset(said)


def _is_prompt(frame: Frame, with_results: Set[int]) -> bool:
    return frame.kind == "user" and frame.message not in with_results


def newest_turn(frames: Sequence[Frame], shown: Sequence[int]) -> int:
    """Where in what is shown the model's newest message begins; its end, if there is none."""
    newest: int | None = None
    start = len(shown)
    for place in range(len(shown) - 1, -1, -1):
        frame = frames[shown[place]]
        if newest is None and frame.kind in MODEL_KINDS:
            newest = frame.message
        if newest is not None and frame.message == newest:
            start = place
        elif newest is not None and frame.kind in MODEL_KINDS:
            break
    return start

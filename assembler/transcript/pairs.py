"""Calls and their results: which belong together, which lost the other, and where a cut may fall.

A result without its call is refused by every provider, and a call without its result by most:
what one cut parts can't be sent any more. Seen in five clients (MoonshotAI/kimi-code#1053,
datakurre/graph-agent#85, anomalyco/opencode#25774, HKUDS/OpenHarness#191, earendil-works/pi#4570).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from assembler.model.transcript import MODEL_KINDS, Frame

PAIR_BOUNDARY: Final = "pair-boundary"
MESSAGE_BOUNDARY: Final = "message-boundary"


class Pair(NamedTuple):
    """A call and what answers it, by place in what is shown."""

    call: int
    last: int
    """The place of its last result; behind the end, while one can still come."""


class Broken(NamedTuple):
    """A call or a result that stands alone."""

    place: int
    is_call: bool


class Pairing(NamedTuple):
    """What belongs together, and what belongs to nothing."""

    pairs: tuple[Pair, ...]
    broken: tuple[Broken, ...]


def pair_frames(frames: Sequence[Frame]) -> Pairing:
    """Pair the frames that a request holds.

    A result answers the last call of its id that stands in front of it. A call of the newest
    message may still be answered; an older one without a result is broken.

    Args:
        frames: in the order of the request.
    """
    open_calls: dict[str, int] = {}
    last_result: dict[int, int] = {}
    calls: list[int] = []
    broken: list[Broken] = []
    for place, frame in enumerate(frames):
        if frame.call is None:
            continue
        if frame.kind == "tool_call":
            calls.append(place)
            open_calls[frame.call] = place
        elif frame.kind == "tool_result":
            call = open_calls.get(frame.call)
            if call is None:
                broken.append(Broken(place, is_call=False))
            else:
                last_result[call] = place
    pairs = []
    newest = _newest_message(frames)
    for call in calls:
        if call in last_result:
            pairs.append(Pair(call, last_result[call]))
        elif frames[call].message == newest:
            pairs.append(Pair(call, len(frames)))
        else:
            broken.append(Broken(call, is_call=True))
    return Pairing(tuple(pairs), tuple(sorted(broken)))


def _newest_message(frames: Sequence[Frame]) -> int | None:
    """The model's last message, while nobody but tools answered it."""
    for frame in reversed(frames):
        if frame.kind in MODEL_KINDS:
            return frame.message
        if frame.kind == "user":
            return None
    return None


class CutMove(NamedTuple):
    """Where a cut falls."""

    at: int
    reason: str | None
    """Why it is not where it was asked; None: it is."""


def allowed_cuts(frames: Sequence[Frame], entries: int) -> tuple[int, ...]:
    """Each number of entries in front that can go without parting a pair or a message.

    Args:
        frames: in the order of the request; `entry` never falls from one to the next.
        entries: how many there are, those that made no frame too.

    Returns:
        From 0, which drops nothing, to `entries`, unless a call is still open.
    """
    parted = _parted(frames)
    places = enumerate(cut_places(frames, entries))
    return tuple(cut for cut, place in places if not parted[place])


def move_cut(frames: Sequence[Frame], entries: int, asked: int) -> tuple[CutMove, CutMove | None]:
    """The nearest cuts that may be made: in front of what was asked, and behind it.

    Args:
        frames: in the order of the request.
        entries: how many there are.
        asked: entries in front of the cut, from 0 to `entries`.

    Returns:
        Twice what was asked, where it may be made; the second is None where none is behind it.
    """
    allowed = allowed_cuts(frames, entries)
    if asked in allowed:
        return CutMove(asked, None), CutMove(asked, None)
    place = cut_places(frames, entries)[asked]
    is_pair = any(pair.call < place <= pair.last for pair in pair_frames(frames).pairs)
    reason = PAIR_BOUNDARY if is_pair else MESSAGE_BOUNDARY
    before = max(cut for cut in allowed if cut < asked)
    behind = min((cut for cut in allowed if cut > asked), default=None)
    return CutMove(before, reason), None if behind is None else CutMove(behind, reason)


def cut_places(frames: Sequence[Frame], entries: int) -> tuple[int, ...]:
    """For each number of entries in front of a cut, the place of the first frame behind it."""
    places, place = [], 0
    for cut in range(entries + 1):
        while place < len(frames) and frames[place].entry <= cut:
            place += 1
        places.append(place)
    return tuple(places)


def _parted(frames: Sequence[Frame]) -> list[bool]:
    """For each place in front of a frame, and the end, whether a cut there parts something."""
    depth = [0] * (len(frames) + 2)
    together = [(pair.call, pair.last) for pair in pair_frames(frames).pairs]
    for first, last in (*together, *_message_spans(frames)):
        depth[first + 1] += 1
        depth[last + 1] -= 1
    parted, inside = [], 0
    for place in range(len(frames) + 1):
        inside += depth[place]
        parted.append(inside > 0)
    return parted


def _message_spans(frames: Sequence[Frame]) -> list[tuple[int, int]]:
    """The first and the last place of each message; results may stand between its frames."""
    spans: dict[int, tuple[int, int]] = {}
    for place, frame in enumerate(frames):
        first, _ = spans.get(frame.message, (place, place))
        spans[frame.message] = (first, place)
    return list(spans.values())

"""Which lines two texts have in common, in order.

Pure, and bounded whatever the texts are: lines that stand once on both sides part the texts into
gaps, each gap is searched for its shortest change, and once the steps are used up the rest of the
gaps counts as different.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

MAX_STEPS: Final = 1_000_000
"""Of one comparison: about half a second."""
MAX_DISTANCE: Final = 500
"""Lines that come and go in one gap; a longer way through it is not looked for."""


class Match(NamedTuple):
    """A stretch of equal lines."""

    old: int
    new: int
    lines: int


def match_lines(old: Sequence[str], new: Sequence[str]) -> list[Match]:
    """The stretches that both texts have, in order; the last one is at both ends and may be empty.

    Args:
        old: lines.
        new: lines.
    """
    # Always from the same side, so that a comparison turned round is its own mirror.
    if [*old] > [*new]:
        turned = _Search(new, old).run()
        return [Match(match.new, match.old, match.lines) for match in turned]
    return _Search(old, new).run()


class _Gap(NamedTuple):
    """A part of both texts that is still to be searched."""

    old: int
    old_end: int
    new: int
    new_end: int


class _Search:
    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self._old = old
        self._new = new
        self._steps = MAX_STEPS
        self._pairs: list[tuple[int, int]] = []

    def run(self) -> list[Match]:
        waiting = [_Gap(0, len(self._old), 0, len(self._new))]
        while waiting:
            gap = self._trim(waiting.pop())
            if gap.old == gap.old_end or gap.new == gap.new_end:
                continue
            self._steps -= gap.old_end - gap.old + gap.new_end - gap.new
            if self._steps < 0:
                continue
            anchors = self._anchors(gap)
            if anchors:
                waiting += self._between(gap, anchors)
            else:
                self._pairs += self._shortest(gap)
        return self._joined()

    def _trim(self, gap: _Gap) -> _Gap:
        """The gap without equal lines at its ends, which are matches."""
        old, new = self._old, self._new
        first, last, begin, end = gap
        while first < last and begin < end and old[first] == new[begin]:
            self._pairs.append((first, begin))
            first, begin = first + 1, begin + 1
        while first < last and begin < end and old[last - 1] == new[end - 1]:
            last, end = last - 1, end - 1
            self._pairs.append((last, end))
        return _Gap(first, last, begin, end)

    def _anchors(self, gap: _Gap) -> list[tuple[int, int]]:
        """Pairs of lines that stand once on each side, the most of them that are in order."""
        old, new = self._old[gap.old : gap.old_end], self._new[gap.new : gap.new_end]
        once = {line for line, count in Counter(old).items() if count == 1}
        once &= {line for line, count in Counter(new).items() if count == 1}
        if not once:
            return []
        places = {line: gap.new + at for at, line in enumerate(new) if line in once}
        pairs = [(gap.old + at, places[line]) for at, line in enumerate(old) if line in once]
        return _longest_rising(pairs)

    def _between(self, gap: _Gap, anchors: Sequence[tuple[int, int]]) -> Iterator[_Gap]:
        first, begin = gap.old, gap.new
        for old, new in anchors:
            self._pairs.append((old, new))
            yield _Gap(first, old, begin, new)
            first, begin = old + 1, new + 1
        yield _Gap(first, gap.old_end, begin, gap.new_end)

    def _shortest(self, gap: _Gap) -> list[tuple[int, int]]:
        """The matches on the shortest way through a gap (Myers 1986); none where it is too long."""
        old, new = self._old[gap.old : gap.old_end], self._new[gap.new : gap.new_end]
        trail: list[_Reached] = []
        reached: _Reached = {}
        for distance in range(min(len(old) + len(new), MAX_DISTANCE) + 1):
            trail.append(reached)
            reached = _go_on(reached, distance, old, new)
            self._steps -= distance + 1
            if reached.get(len(old) - len(new), -1) >= len(old):
                ways = _walk_back(trail, len(old), len(new))
                return [(gap.old + one, gap.new + other) for one, other in ways]
            if self._steps < 0:
                break
        return []

    def _joined(self) -> list[Match]:
        matches: list[Match] = []
        for old, new in (*sorted(self._pairs), (len(self._old), len(self._new))):
            last = matches[-1] if matches else Match(0, 0, 0)
            if matches and (last.old + last.lines, last.new + last.lines) == (old, new):
                matches[-1] = last._replace(lines=last.lines + 1)
            else:
                matches.append(Match(old, new, 1))
        # The end of both texts came with the pairs, and is no line.
        matches[-1] = matches[-1]._replace(lines=matches[-1].lines - 1)
        return matches


_Reached = dict[int, int]
"""How far into the old lines a way leads, by diagonal: lines of the old less those of the new."""


def _go_on(reached: _Reached, distance: int, old: Sequence[str], new: Sequence[str]) -> _Reached:
    """Where ways lead that take one change more, each followed along equal lines."""
    further: _Reached = {}
    for diagonal in range(-distance, distance + 1, 2):
        at = _first_step(reached, diagonal, distance)
        if not (at <= len(old) and 0 <= at - diagonal <= len(new)):
            continue
        while at < len(old) and at - diagonal < len(new) and old[at] == new[at - diagonal]:
            at += 1
        further[diagonal] = at
    return further


def _first_step(reached: _Reached, diagonal: int, distance: int) -> int:
    """Where a way comes to a diagonal: by a line that is gone, or by one that is new."""
    if distance == 0:
        return 0
    return max(reached.get(diagonal - 1, -2) + 1, reached.get(diagonal + 1, -1))


def _walk_back(trail: Sequence[_Reached], old: int, new: int) -> Iterator[tuple[int, int]]:
    """The pairs of equal lines on the way that led to the end of both."""
    for distance in reversed(range(len(trail))):
        diagonal = old - new
        start = _first_step(trail[distance], diagonal, distance)
        while old > start:
            old, new = old - 1, new - 1
            yield old, new
        came_by_gone = trail[distance].get(diagonal - 1, -2) + 1 == start
        if distance and came_by_gone:
            old -= 1
        else:
            new -= 1


def _longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The most of the pairs, sorted by their first, whose second rise too."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for at, (_, new) in enumerate(pairs):
        length = bisect_left(ends, new)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [new]
        last[length : length + 1] = [at]
    found: list[tuple[int, int]] = []
    at = last[-1] if last else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]

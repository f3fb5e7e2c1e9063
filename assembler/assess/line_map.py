"""Where lines of a file stand in a later version of it, told by the lines that both have.

Pure. Lines that stand once in both versions are the anchors; small gaps between them are
compared whole. The work is bounded: beyond it the answer is that it was not looked for.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

from assembler.model.lines import count_lines
from assembler.model.symbols import LineRange

MAX_LINES: Final = 50_000
"""Of either version."""
MAX_STEPS: Final = 8_000_000
"""Lines and pairs of lines that are looked at for all files of a run; takes some two seconds."""
MAX_GAP_PAIRS: Final = 250_000
"""Pairs of lines of a gap without an anchor; a larger one counts as rewritten."""

_SAYS_SOMETHING: Final = re.compile(rb"[0-9A-Za-z\x80-\xff]")
_Pairs = list[tuple[int, int]]


def says_something(line: bytes) -> bool:
    """Whether a line is more than blanks and lone brackets."""
    return _SAYS_SOMETHING.search(line) is not None


class OverBoundError(Exception):
    """The versions are too large, or too unlike, to be compared within the bound."""

    def __init__(self, steps: int = 0) -> None:
        """Tell the work that was done until then."""
        super().__init__()
        self.steps = steps


class LineMaps:
    """Maps of several files, until the work of a run is used up; each is made once."""

    def __init__(self, left_steps: int = MAX_STEPS) -> None:
        self._left_steps = left_steps
        self._made: dict[tuple[bytes, bytes], LineMap | None] = {}

    def compare(self, old: bytes, new: bytes) -> LineMap:
        """The lines that two versions have in common.

        Raises:
            OverBoundError: too many lines, or too much work.
        """
        if (old, new) not in self._made:
            self._made[old, new] = None
            try:
                made = LineMap(old, new, most_steps=self._left_steps)
            except OverBoundError as error:
                self._left_steps -= error.steps
                raise
            self._left_steps -= made.steps
            self._made[old, new] = made
        known = self._made[old, new]
        if known is None:
            raise OverBoundError
        return known


class LineMap:
    """The lines that two versions of a file have in common, in order."""

    def __init__(self, old: bytes, new: bytes, *, most_steps: int = MAX_STEPS) -> None:
        """Compare two versions.

        Raises:
            OverBoundError: too many lines, or too much work.
        """
        old_size, new_size = count_lines(old), count_lines(new)
        # Counted before anything is split: a large file must cost nothing where it is not compared.
        if max(old_size, new_size) > MAX_LINES or old_size + new_size > most_steps:
            raise OverBoundError
        self._old, self._new = _split(old), _split(new)
        numbers: dict[bytes, int] = {}
        old_numbers = [numbers.setdefault(line, len(numbers)) for line in self._old]
        new_numbers = [numbers.setdefault(line, len(numbers)) for line in self._new]
        self._pairs, self.steps = _match(old_numbers, new_numbers, most_steps)
        self._places = [old_line for old_line, _ in self._pairs]

    def find(self, lines: LineRange) -> LineRange | None:
        """The lines of the new version that stand where these stood; None: nothing is left.

        Blank lines and lone brackets count for nothing. Where none of the lines is left, those
        that were written just in their place are meant. Lines that were added right before or
        behind them are not.
        """
        first, last = lines[0] - 1, lines[1] - 1
        start, starts_clean = self._edge(first, is_end=False)
        end, ends_clean = self._edge(last, is_end=True)
        if start < end:
            start = start if first else 0
            end = end if last < len(self._old) - 1 else len(self._new)
        if not any(says_something(line) for line in self._new[start:end]):
            return None
        kept = self._old_lines_kept(first, last)
        if not any(says_something(line) for line in kept) and not (starts_clean and ends_clean):
            return None
        return start + 1, end

    def find_kept(self, lines: LineRange) -> LineRange | None:
        """Where these very lines stand, one right behind the other; None: not all are left so."""
        first, last = lines[0] - 1, lines[1] - 1
        place = bisect_left(self._places, first)
        end_place = place + last - first
        if end_place >= len(self._pairs):
            return None
        (old_first, start), (old_last, end) = self._pairs[place], self._pairs[end_place]
        # Pairs ascend on both sides, so the ends alone tell that nothing is between them.
        is_whole = (old_first, old_last) == (first, last) and end - start == last - first
        return (start + 1, end + 1) if is_whole else None

    def keeps_apart(self, lines: LineRange, copy: LineRange) -> bool:
        """Whether one of the lines that says something is left at another place than in a copy."""
        begin = bisect_left(self._places, lines[0] - 1)
        end = bisect_left(self._places, lines[1])
        shift = copy[0] - lines[0]
        return any(
            new - old != shift and says_something(self._old[old])
            for old, new in self._pairs[begin:end]
        )

    def adds_beside(self, copy: LineRange) -> bool:
        """Whether a line that says something was written anywhere but in a copy."""
        inside = bisect_left(self._added, copy[1]) - bisect_left(self._added, copy[0] - 1)
        return inside < len(self._added)

    @cached_property
    def _added(self) -> list[int]:
        """Lines of the new version that say something and are none of the old one's."""
        common = {new for _, new in self._pairs}
        return [
            number
            for number, line in enumerate(self._new)
            if number not in common and says_something(line)
        ]

    def _old_lines_kept(self, first: int, last: int) -> list[bytes]:
        begin, end = bisect_left(self._places, first), bisect_left(self._places, last + 1)
        return [self._old[number] for number in self._places[begin:end]]

    def _edge(self, line: int, *, is_end: bool) -> tuple[int, bool]:
        """Where the first line begins or the last one ends, and whether no change reaches over."""
        place = bisect_left(self._places, line)
        if place < len(self._places) and self._places[place] == line:
            return self._pairs[place][1] + (1 if is_end else 0), True
        before = self._pairs[place - 1] if place else (-1, -1)
        behind = (
            self._pairs[place] if place < len(self._pairs) else (len(self._old), len(self._new))
        )
        gap = _Gap(before[0] + 1, behind[0], before[1] + 1, behind[1])
        is_clean = line == (gap.old_end - 1 if is_end else gap.old_start)
        if not is_clean and gap.is_even:
            return gap.new_start + line - gap.old_start + (1 if is_end else 0), False
        return gap.new_end if is_end else gap.new_start, is_clean


class _Gap(NamedTuple):
    """Lines between two that both versions have; ends are behind the last one."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int

    @property
    def is_even(self) -> bool:
        return self.old_end - self.old_start == self.new_end - self.new_start


def _split(data: bytes) -> list[bytes]:
    lines = data.split(b"\n")
    return [*(line + b"\n" for line in lines[:-1]), *([lines[-1]] if lines[-1] else [])]


def _match(old: Sequence[int], new: Sequence[int], most_steps: int) -> tuple[_Pairs, int]:
    """The pairs of equal lines, in order, and the work that it took."""
    pairs: _Pairs = []
    gaps = [_Gap(0, len(old), 0, len(new))]
    steps = len(old) + len(new)
    while gaps:
        gap = _trim(gaps.pop(), old, new, pairs)
        old_size, new_size = gap.old_end - gap.old_start, gap.new_end - gap.new_start
        if not old_size or not new_size:
            continue
        if steps + old_size + new_size > most_steps:
            raise OverBoundError(steps)
        steps += old_size + new_size
        anchors = _anchors(gap, old, new)
        is_small = not anchors and old_size * new_size <= MAX_GAP_PAIRS
        pairs_steps = old_size * new_size if is_small else 0
        if steps + pairs_steps > most_steps:
            raise OverBoundError(steps)
        steps += pairs_steps
        if is_small:
            pairs.extend(_longest_common(gap, old, new))
        at = (gap.old_start, gap.new_start)
        for anchor in anchors:
            gaps.append(_Gap(at[0], anchor[0], at[1], anchor[1]))
            at = (anchor[0] + 1, anchor[1] + 1)
        if anchors:
            pairs.extend(anchors)
            gaps.append(_Gap(at[0], gap.old_end, at[1], gap.new_end))
    return sorted(pairs), steps


def _trim(gap: _Gap, old: Sequence[int], new: Sequence[int], pairs: _Pairs) -> _Gap:
    """The gap without the lines that it begins and ends with in both versions."""
    old_start, old_end, new_start, new_end = gap
    while old_start < old_end and new_start < new_end and old[old_start] == new[new_start]:
        pairs.append((old_start, new_start))
        old_start, new_start = old_start + 1, new_start + 1
    while old_start < old_end and new_start < new_end and old[old_end - 1] == new[new_end - 1]:
        old_end, new_end = old_end - 1, new_end - 1
        pairs.append((old_end, new_end))
    return _Gap(old_start, old_end, new_start, new_end)


def _anchors(gap: _Gap, old: Sequence[int], new: Sequence[int]) -> _Pairs:
    """The longest run, in the order of both, of lines that each has once in the gap."""
    counts = Counter(old[gap.old_start : gap.old_end])
    new_counts = Counter(new[gap.new_start : gap.new_end])
    places = {
        new[place]: place
        for place in range(gap.new_start, gap.new_end)
        if new_counts[new[place]] == 1
    }
    common = [
        (place, places[old[place]])
        for place in range(gap.old_start, gap.old_end)
        if counts[old[place]] == 1 and old[place] in places
    ]
    return _longest_ascending(common)


def _longest_ascending(pairs: _Pairs) -> _Pairs:
    """The most pairs whose second numbers ascend; the first ones do already."""
    ends: list[int] = []
    holders: list[int] = []
    previous: list[int] = []
    for number, (_, value) in enumerate(pairs):
        place = bisect_left(ends, value)
        previous.append(holders[place - 1] if place else -1)
        ends[place : place + 1] = [value]
        holders[place : place + 1] = [number]
    found: _Pairs = []
    number = holders[-1] if holders else -1
    while number >= 0:
        found.append(pairs[number])
        number = previous[number]
    return found[::-1]


def _longest_common(gap: _Gap, old: Sequence[int], new: Sequence[int]) -> _Pairs:
    """The longest common subsequence of a small gap."""
    one, two = old[gap.old_start : gap.old_end], new[gap.new_start : gap.new_end]
    lengths = [[0] * (len(two) + 1)]
    for line in reversed(one):
        row, below = [0], lengths[-1]
        for place, other in enumerate(reversed(two)):
            row.append(below[place] + 1 if line == other else max(below[place + 1], row[place]))
        lengths.append(row)
    pairs: _Pairs = []
    left, top = 0, 0
    while left < len(one) and top < len(two):
        rows, columns = len(one) - left, len(two) - top
        if one[left] == two[top]:
            pairs.append((gap.old_start + left, gap.new_start + top))
            left, top = left + 1, top + 1
        elif lengths[rows - 1][columns] >= lengths[rows][columns - 1]:
            left += 1
        else:
            top += 1
    return pairs

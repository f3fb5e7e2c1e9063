"""What each frame weighs while counts come in, so that all together is what was counted.

Source: docs/formats/trace.md, section "Sizes".
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence


class Weights:
    """Sizes of frames in tokens, and of what stands in front of every request.

    Args:
        counts: of each frame by our own counter.
        head: how many frames are the task.
        resident: tokens of policy and tools, as stated.
    """

    def __init__(self, counts: Sequence[int], head: int, resident: int) -> None:
        self.sizes = [0] * len(counts)
        """As the next request has them."""
        self.brought = [0] * len(counts)
        """The same when they came in."""
        self.resident = resident
        self._counts = counts
        self._nothing = [0] * len(counts)
        self._head = head
        self._held = 0
        # What can be taken back, in this order; each stands in one of the last two.
        self._heavy: deque[int] = deque()
        self._said: deque[int] = deque()
        self._task: deque[int] = deque()

    @property
    def total(self) -> int:
        """Tokens of all that the next request holds."""
        return self.resident + self._held

    def put(self, index: int, size: int) -> None:
        """A frame came in."""
        self.sizes[index] = self.brought[index] = size
        self._hold(index)

    def add(self, index: int, tokens: int) -> None:
        """A frame weighs more than was thought."""
        self.sizes[index] += tokens
        self.brought[index] += tokens
        self._held += tokens
        self._heavy.appendleft(index)

    def keep(self, shown: Iterable[int]) -> None:
        """A rewrite left no more than these."""
        self._held = 0
        for frames in (self._heavy, self._said, self._task):
            frames.clear()
        for index in shown:
            self._hold(index)

    def take_back(self, tokens: int) -> None:
        """Something that was counted is gone, and nobody says what.

        First what frames weigh above their text, the newest first: reasoning is counted with the
        message that it was in, and no later request holds it. Then what was said first, which
        hosts clear first; policy, tools and the task last.
        """
        tokens = self._lighten(self._heavy, tokens, self._counts)
        tokens = self._lighten(self._said, tokens, self._nothing)
        taken = min(tokens, self.resident)
        self.resident -= taken
        self._lighten(self._task, tokens - taken, self._nothing)

    def _hold(self, index: int) -> None:
        self._held += self.sizes[index]
        (self._task if index < self._head else self._said).append(index)
        if self.sizes[index] > self._counts[index]:
            self._heavy.appendleft(index)

    def _lighten(self, frames: deque[int], tokens: int, floors: Sequence[int]) -> int:
        """Take it from the first of these, down to their floors; what is left to take."""
        while tokens and frames:
            index = frames[0]
            taken = min(tokens, max(0, self.sizes[index] - floors[index]))
            self.sizes[index] -= taken
            self._held -= taken
            tokens -= taken
            if self.sizes[index] <= floors[index]:
                frames.popleft()
        return tokens


def spread(total: int, weights: Sequence[int]) -> list[int]:
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

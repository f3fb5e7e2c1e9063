"""Fit the catalog of skills into its ceiling: whole lines, else shorter ones, else fewer.

Pure: the same lines under the same ceiling come out the same, on every machine. Nothing is
lost without an answer: each line comes back with what it costs and what became of it.
Rules: docs/formats/profile.md.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

SHORTEST_CHARACTERS: Final = 40
"""Of a description that was shortened; a shorter one tells nobody when to use the skill."""
MARK: Final = "..."

Price = Callable[[str, str], int]
"""The cost of a skill's line, by its name and its description."""


class CatalogLine(NamedTuple):
    """One line that wants to be in."""

    name: str
    description: str
    """On one line."""
    is_kept: bool = False
    """Last to lose anything: the skill is active, or the profile always wants it."""


class FittedLine(NamedTuple):
    """What became of one line."""

    name: str
    description: str | None
    """As it is shown; None: dropped."""
    cost: int
    """Of what is shown; of a dropped line that of its shortest form."""
    full_cost: int

    @property
    def is_shortened(self) -> bool:
        """Whether it is in with less than its whole description."""
        return self.description is not None and self.cost != self.full_cost


def fit_catalog(lines: Sequence[CatalogLine], ceiling: int, price: Price) -> list[FittedLine]:
    """The lines that are in, whole or shortened, and those that are dropped.

    Those that are kept are fitted first, the others into what is left. Each group is in whole if
    it fits. Else its descriptions are shortened to the greatest length, one for all, with which
    it fits. If even the shortest do not fit, they are tried in order, going past one that does
    not fit.

    Args:
        lines: in the order in which they lose last.
        ceiling: in the unit of `price`, >= 0.
        price: asked once for each text.

    Returns:
        In the order of `lines`.
    """
    fitter = _Fitter(price)
    fitted = fitter.fit([line for line in lines if line.is_kept], ceiling)
    used = sum(line.cost for line in fitted.values() if line.description is not None)
    fitted |= fitter.fit([line for line in lines if not line.is_kept], ceiling - used)
    return [fitted[line.name] for line in lines]


def shorten(description: str, most_characters: int) -> str:
    """Whole words of the description and `...`, together at most so many characters.

    A first word that is too long is cut, never before a combining mark: some scripts have no
    blanks.
    """
    if len(description) <= most_characters:
        return description
    room = most_characters - len(MARK)
    cut = description.rfind(" ", 0, room + 1)
    if cut < 1:
        cut = room
        while cut > 1 and unicodedata.category(description[cut]).startswith("M"):
            cut -= 1
    return description[:cut].rstrip() + MARK


class _Fitter:
    def __init__(self, price: Price) -> None:
        self._ask = price
        self._costs: dict[tuple[str, str], int] = {}

    def fit(self, lines: Sequence[CatalogLine], room: int) -> dict[str, FittedLine]:
        whole = {line.name: self._at(line, len(line.description)) for line in lines}
        if _total(whole) <= room:
            return whole
        shortest = {line.name: self._at(line, SHORTEST_CHARACTERS) for line in lines}
        if _total(shortest) > room:
            return _drop(shortest, room)
        fits, too_long = SHORTEST_CHARACTERS, max(len(line.description) for line in lines)
        best = shortest
        while too_long - fits > 1:
            middle = (fits + too_long) // 2
            tried = {line.name: self._at(line, middle) for line in lines}
            if _total(tried) <= room:
                fits, best = middle, tried
            else:
                too_long = middle
        return best

    def _at(self, line: CatalogLine, most_characters: int) -> FittedLine:
        full_cost = self._price(line.name, line.description)
        text = shorten(line.description, most_characters)
        cost = self._price(line.name, text)
        if cost >= full_cost:  # a vocabulary may count the mark for more than a word
            return FittedLine(line.name, line.description, full_cost, full_cost)
        return FittedLine(line.name, text, cost, full_cost)

    def _price(self, name: str, description: str) -> int:
        key = (name, description)
        if key not in self._costs:
            self._costs[key] = self._ask(name, description)
        return self._costs[key]


def _total(lines: dict[str, FittedLine]) -> int:
    return sum(line.cost for line in lines.values())


def _drop(lines: dict[str, FittedLine], room: int) -> dict[str, FittedLine]:
    left = room
    fitted = {}
    for name, line in lines.items():
        if line.cost <= left:
            left -= line.cost
            fitted[name] = line
        else:
            fitted[name] = line._replace(description=None)
    return fitted

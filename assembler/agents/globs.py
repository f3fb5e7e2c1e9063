"""Patterns of whole paths as JavaScript's `picomatch` takes them, hidden names included. Pure.

A pattern is carried out on the set of all positions that it can have reached, so that no pattern
takes more than its length times the square of the path's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

Step: TypeAlias = Callable[[str, frozenset[int]], frozenset[int]]
"""Where a part of a pattern ends in a text that it began at one of some positions."""

MAX_CHARACTERS: Final = 4_096
MAX_DEPTH: Final = 32
MAX_MARKS: Final = 128
"""Of those that mean more than themselves; a pattern with more means nothing."""
_MARKS: Final = re.compile(r"[*?\[{(]")


def compile_glob(pattern: str) -> Callable[[str], bool]:
    """Whether a pattern means a whole path; one that can't be understood means none.

    Args:
        pattern: with `**`, `*`, `?`, classes, braces, and groups such as `@(a|b)`; a backslash is
            a slash, and `!` at the beginning means all other paths.
    """
    plain = pattern.replace("\\", "/")
    is_negated = False
    while plain.startswith("!") and not plain.startswith("!("):
        is_negated, plain = not is_negated, plain[1:]
    plain = plain.removeprefix("./")
    plain = re.sub(r"(?<![^/])\*\*/(?:\*\*/)+", "**/", plain)
    marks = len(_MARKS.findall(plain))
    if not plain or len(plain) > MAX_CHARACTERS or marks > MAX_MARKS:
        return lambda _: False
    step = _Parser(plain).parse()
    if step is None:
        return lambda _: False
    start = frozenset({0})
    return lambda path: (len(path) in step(path, start)) != is_negated


def fixed_folder(pattern: str) -> str:
    """The folder of the last plain name before the first mark; empty where there is none."""
    found = _MARKS.search(pattern)
    plain = pattern if found is None else pattern[: found.start()]
    return plain.rstrip("/").rpartition("/")[0]


class _TooDeepError(Exception):
    """More groups in each other than are followed."""


class _Parser:
    """Reads a pattern from its beginning to its end."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.depth = 0

    def parse(self) -> Step | None:
        """All of it as one step; None: it is none that is followed."""
        try:
            return self._sequence("")
        except _TooDeepError:
            return None

    def _sequence(self, ends: str) -> Step:
        steps: list[Step] = []
        while self.at < len(self.pattern) and self.pattern[self.at] not in ends:
            steps.append(self._one())
        return _in_turn(steps)

    def _one(self) -> Step:
        text, at = self.pattern, self.at
        mark = text[at]
        if mark in "@!+*?" and text[at + 1 : at + 2] == "(" and _close(text, at + 1, "()"):
            self.at += 2
            return _GROUPS[mark](self._choices("|", ")"))
        if mark == "*":
            return self._stars()
        self.at += 1
        if mark == "?":
            return _one_of(lambda other: other != "/")
        if mark == "[":
            return self._class()
        if mark == "(" and _close(text, at, "()"):
            return _any_of(self._choices("|", ")"))
        if mark == "{" and (end := _close(text, at, "{}")):
            return self._braces(end)
        return _one_of(lambda other: other == mark)

    def _stars(self) -> Step:
        start = self.at
        while self.pattern[self.at : self.at + 1] == "*":
            self.at += 1
        before, after = self.pattern[start - 1 : start], self.pattern[self.at : self.at + 1]
        if self.at - start == 2 and before in ("", "/") and after in ("", "/"):
            self.at += len(after)
            return _folders if after else _everything
        return _name_part if before not in ("", "/") or after not in ("", "/") else _name

    def _class(self) -> Step:
        end = self.pattern.find("]", self.at + 1)
        if end < 0:
            return _one_of(lambda other: other == "[")
        inside = self.pattern[self.at : end]
        self.at = end + 1
        is_negated = inside.startswith("^")
        wanted = re.sub(r"([\[&~|])", r"\\\1", inside[1:] if is_negated else inside)
        try:
            found = re.compile(f"[{'^/' if is_negated else ''}{wanted}]")
        except re.error:
            return _one_of(lambda _: False)
        return _one_of(lambda other: found.match(other) is not None)

    def _braces(self, end: int) -> Step:
        inside = self.pattern[self.at : end]
        range_of = re.fullmatch(r"(-?\d{1,6})\.\.(-?\d{1,6})|([a-zA-Z])\.\.([a-zA-Z])", inside)
        if range_of is not None:
            self.at = end + 1
            return _one_in(*range_of.groups())
        if "," not in inside:
            return _one_of(lambda other: other == "{")
        return _any_of(self._choices(",", "}"))

    def _choices(self, between: str, end: str) -> list[Step]:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _TooDeepError
        found = [self._sequence(between + end)]
        while self.pattern[self.at : self.at + 1] == between:
            self.at += 1
            found.append(self._sequence(between + end))
        self.at += 1
        self.depth -= 1
        return found


def _close(text: str, start: int, pair: str) -> int:
    """Where a group ends; 0 where it never does."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == pair[0]) - (text[at] == pair[1])
        if depth == 0:
            return at
    return 0


def _in_turn(steps: Iterable[Step]) -> Step:
    taken = tuple(steps)

    def step(text: str, starts: frozenset[int]) -> frozenset[int]:
        for one in taken:
            if not starts:
                break
            starts = one(text, starts)
        return starts

    return step


def _any_of(steps: list[Step]) -> Step:
    return lambda text, starts: frozenset().union(*(one(text, starts) for one in steps))


def _maybe(steps: list[Step]) -> Step:
    return lambda text, starts: starts | _any_of(steps)(text, starts)


def _repeated(steps: list[Step]) -> Step:
    one = _any_of(steps)

    def step(text: str, starts: frozenset[int]) -> frozenset[int]:
        found = fresh = one(text, starts)
        while fresh:
            fresh = one(text, fresh) - found
            found |= fresh
        return found

    return step


def _repeated_maybe(steps: list[Step]) -> Step:
    return lambda text, starts: starts | _repeated(steps)(text, starts)


def _none_of(steps: list[Step]) -> Step:
    """What does not begin with one of them (measured)."""

    def step(text: str, starts: frozenset[int]) -> frozenset[int]:
        found: set[int] = set()
        for start in starts:
            own = frozenset({start})
            if not _any_of(steps)(text, own):
                found |= _name_part(text, own)
        return frozenset(found)

    return step


_GROUPS: Final = {
    "@": _any_of,
    "?": _maybe,
    "+": _repeated,
    "*": _repeated_maybe,
    "!": _none_of,
}


def _one_of(is_wanted: Callable[[str], bool]) -> Step:
    return lambda text, starts: frozenset(
        start + 1 for start in starts if start < len(text) and is_wanted(text[start])
    )


def _one_in(first: str | None, last: str | None, low: str | None, high: str | None) -> Step:
    """A number, or a letter, between two."""
    if low is not None and high is not None:
        bounds = sorted((low, high))
        return _one_of(lambda other: bounds[0] <= other <= bounds[1])
    numbers = sorted((int(first or 0), int(last or 0)))

    def step(text: str, starts: frozenset[int]) -> frozenset[int]:
        found: set[int] = set()
        for start in starts:
            for end in range(start + 1, min(start + 8, len(text)) + 1):
                part = text[start:end]
                if re.fullmatch(r"0|-?[1-9]\d*", part) and numbers[0] <= int(part) <= numbers[1]:
                    found.add(end)
        return frozenset(found)

    return step


def _name_part(text: str, starts: frozenset[int]) -> frozenset[int]:
    """Any characters but slashes."""
    found: set[int] = set()
    for start in starts:
        end = text.find("/", start)
        found.update(range(start, (len(text) if end < 0 else end) + 1))
    return frozenset(found)


def _name(text: str, starts: frozenset[int]) -> frozenset[int]:
    """A whole name, which has a character."""
    return _name_part(text, _one_of(lambda other: other != "/")(text, starts))


def _folders(text: str, starts: frozenset[int]) -> frozenset[int]:
    """Any folders, or none."""
    first = min(starts)
    return starts | {at + 1 for at in range(first, len(text)) if text[at] == "/"}


def _everything(text: str, starts: frozenset[int]) -> frozenset[int]:
    return frozenset(range(min(starts), len(text) + 1))

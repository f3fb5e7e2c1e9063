"""The runs of plain text in a paragraph: what stands in code, tags and images is none. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

MAX_DEPTH: Final = 40
_TAG: Final = re.compile(
    r"<!--(?:-?>|.*?-->)"
    r"|</[a-zA-Z][\w:-]*\s*>"
    r"|<[a-zA-Z][\w-]*(?:\s+[a-zA-Z:_][\w.:-]*(?:\s*=\s*\"[^\"]*\"|\s*=\s*'[^']*'"
    r"|\s*=\s*[^\s\"'=<>`]+)?)*?\s*/?>"
    r"|<\?.*?\?>|<![a-zA-Z]+\s.*?>|<!\[CDATA\[.*?\]\]>",
    re.S,
)
_AUTOLINK: Final = re.compile(
    r"<(?:[a-zA-Z][a-zA-Z0-9+.-]{1,31}:[^\s\x00-\x1f<>]*|[a-zA-Z0-9.!#$%&'*+/=?_`{|}~-]+@"
    r"[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)+)>"
)
_ESCAPE: Final = re.compile(r"\\[!-/:-@\[-`{-~]")
_LINK: Final = re.compile(r"(!?)\[((?:\\.|[^\[\]\\])*)\](?:\(([^()\n]*)\)|\[([^\[\]\n]*)\])?", re.S)
_PUNCTUATION: Final = re.compile(r"[!-/:-@\[-`{-~\u2010-\u2027\u2030-\u205e]")


def text_runs(text: str, labels: frozenset[str], depth: int = 0) -> Iterator[str]:
    """The runs of plain text; another kind of element ends a run.

    Args:
        text: of a paragraph, a heading or an item.
        labels: of the definitions of links, in small letters.
        depth: how many elements are around it.
    """
    run: list[str] = []
    position = 0
    spans = dict(_code_spans(text))
    closers = _Closers(text)
    while position < len(text):
        end, inner = _element(text, position, spans, labels, closers)
        if end == position:
            run.append(text[position])
            position += 1
            continue
        yield "".join(run)
        run = []
        if inner is not None and depth < MAX_DEPTH:
            yield from text_runs(inner, labels, depth + 1)
        position = end
    yield "".join(run)


def _element(
    text: str, position: int, spans: dict[int, int], labels: frozenset[str], closers: _Closers
) -> tuple[int, str | None]:
    """Where an element ends that begins here, and the text inside of it; else its own place."""
    mark = text[position]
    if mark == "`":
        return spans.get(position, position), None
    if mark == "\\":
        found = _ESCAPE.match(text, position)
        return (position if found is None else found.end()), None
    if mark == "<":
        found = _TAG.match(text, position) or _AUTOLINK.match(text, position)
        return (position if found is None else found.end()), None
    if mark in "![":
        return _link(text, position, labels)
    if mark in "*_":
        return closers.element(position)
    return position, None


def _link(text: str, position: int, labels: frozenset[str]) -> tuple[int, str | None]:
    found = _LINK.match(text, position)
    if found is None:
        return position, None
    is_image, label, target, reference = found.groups()
    is_known = (reference or label).strip().lower() in labels
    if target is None and not is_known:
        return position, None
    return found.end(), None if is_image else label


def _code_spans(text: str) -> Iterator[tuple[int, int]]:
    """Begin and end of each code span, by the run of marks that closes it."""
    runs = [(found.start(), found.end()) for found in re.finditer("`+", text)]
    by_length: dict[int, list[int]] = {}
    for start, end in runs:
        by_length.setdefault(end - start, []).append(start)
    taken, used = 0, dict.fromkeys(by_length, 0)
    for start, end in runs:
        if start < taken:
            continue
        same = by_length[end - start]
        index = used[end - start]
        while index < len(same) and same[index] < end:
            index += 1
        used[end - start] = index
        if index < len(same):
            taken = same[index] + end - start
            yield start, taken


class _Closers:
    """Emphasis: which run of stars or lines closes which; a failed search is not repeated."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._runs = [(f.start(), f.end()) for f in re.finditer(r"\*+|_+", text)]
        self._failed: dict[str, int] = {}

    def element(self, position: int) -> tuple[int, str | None]:
        """The emphasis that begins here; else the place itself."""
        text = self._text
        mark = text[position]
        length = len(text) - position - len(text[position:].lstrip(mark))
        opens, _ = self._sides(position, position + length)
        if not opens or self._failed.get(mark, len(text) + 1) <= position:
            return position, None
        for start, end in self._runs:
            if start < position + length or text[start] != mark:
                continue
            _, closes = self._sides(start, end)
            if closes:
                size = min(length, end - start)
                inner = text[position + size : start]
                return start + size, inner
        self._failed[mark] = position
        return position, None

    def _sides(self, start: int, end: int) -> tuple[bool, bool]:
        """Whether a run may open emphasis, and whether it may close one."""
        before = self._text[start - 1] if start else " "
        after = self._text[end] if end < len(self._text) else " "
        is_left = not after.isspace() and (
            not _PUNCTUATION.match(after) or before.isspace() or bool(_PUNCTUATION.match(before))
        )
        is_right = not before.isspace() and (
            not _PUNCTUATION.match(before) or after.isspace() or bool(_PUNCTUATION.match(after))
        )
        if self._text[start] == "*":
            return is_left, is_right
        return (
            is_left and (not is_right or bool(_PUNCTUATION.match(before))),
            is_right and (not is_left or bool(_PUNCTUATION.match(after))),
        )

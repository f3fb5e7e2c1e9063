"""The lines that differ between two texts, in hunks with the lines around them.

Pure, and bounded: texts without much in common are told as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from assembler.compare.matching import match_lines

CONTEXT_LINES: Final = 3


class Line(NamedTuple):
    """One line of a hunk."""

    mark: str
    """A blank, `-` or `+`."""
    text: str
    """Without the line feed at its end."""


class Hunk(NamedTuple):
    """A stretch of both texts."""

    old_start: int
    """Line, from 1; 0 where nothing of the text is in it."""
    old_lines: int
    new_start: int
    new_lines: int
    lines: tuple[Line, ...]


class TextChange(NamedTuple):
    """How two texts differ."""

    hunks: tuple[Hunk, ...]
    added: int
    removed: int


def compare_texts(old: str, new: str) -> TextChange:
    """The hunks that make one text out of the other.

    A line feed that is missing at the end makes the last line another one, as in git.
    """
    before, after = _split(old), _split(new)
    hunks = tuple(_hunk(before, after, group) for group in _grouped(_opcodes(before, after)))
    marks = [line.mark for hunk in hunks for line in hunk.lines]
    return TextChange(hunks, marks.count("+"), marks.count("-"))


_Opcode = tuple[str, int, int, int, int]
NO_NEWLINE: Final = "\\ No newline at end of file"


def _split(text: str) -> list[str]:
    """Lines with their line feeds; any other break stays in its line."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _opcodes(before: list[str], after: list[str]) -> list[_Opcode]:
    found: list[_Opcode] = []
    old = new = 0
    for match in match_lines(before, after):
        if (old, new) != (match.old, match.new):
            found.append(("replace", old, match.old, new, match.new))
        old, new = match.old + match.lines, match.new + match.lines
        if match.lines:
            found.append(("equal", match.old, old, match.new, new))
    return found


def _grouped(opcodes: Sequence[_Opcode]) -> Iterator[list[_Opcode]]:
    """Runs of changes with the lines around them; a long equal stretch parts two runs."""
    group: list[_Opcode] = []
    final = len(opcodes) - 1
    for index, (tag, first, last, begin, end) in enumerate(opcodes):
        if tag != "equal":
            group.append((tag, first, last, begin, end))
            continue
        head = 0 if index == 0 else CONTEXT_LINES
        tail = 0 if index == final else CONTEXT_LINES
        if last - first <= head + tail:
            group.append((tag, first, last, begin, end))
            continue
        if index:
            group.append((tag, first, first + head, begin, begin + head))
            yield group
        group = [(tag, last - tail, last, end - tail, end)]
    if any(tag != "equal" for tag, *_ in group):
        yield group


def _hunk(before: Sequence[str], after: Sequence[str], group: Sequence[_Opcode]) -> Hunk:
    lines: list[Line] = []
    for tag, first, last, begin, end in group:
        if tag == "equal":
            lines += _spell(" ", before[first:last])
            continue
        lines += _spell("-", before[first:last])
        lines += _spell("+", after[begin:end])
    old_start, old_end = group[0][1], group[-1][2]
    new_start, new_end = group[0][3], group[-1][4]
    return Hunk(
        old_start + 1 if old_end > old_start else old_start,
        old_end - old_start,
        new_start + 1 if new_end > new_start else new_start,
        new_end - new_start,
        tuple(lines),
    )


def _spell(mark: str, lines: Sequence[str]) -> Iterator[Line]:
    for line in lines:
        yield Line(mark, line.removesuffix("\n"))
        if not line.endswith("\n"):
            yield Line("\\", NO_NEWLINE.removeprefix("\\"))

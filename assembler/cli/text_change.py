"""Two texts side by side for a reviewer: what differs is seen, also where it can't be seen.

Every line is spelled so that two different lines look different: blanks at its end, characters
without a picture, and backslashes that could pass for one of ours are written out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from assembler.cli.output import escape, number, paint

MAX_SHOWN_LINES: Final = 60
"""Of one side of one text; JSON has all of it."""
MAX_SHOWN_CHARACTERS: Final = 2_000
"""Of one line."""
MAX_COMPARED: Final = 1_000_000
"""Pairs of lines that are compared; beyond it all lines between equal ends are told."""
MAX_NAMED: Final = 8
"""Characters that a note names."""
_CONTEXT: Final = 40
_TAIL: Final = re.compile(r"\s+\Z")
_OUR_MARK: Final = re.compile(r"\\(?=[uU\\])")


def spell_line(line: str) -> str:
    """One line as a terminal may have it; no two lines have one spelling."""
    tail = _TAIL.search(line)
    end = len(line) if tail is None else tail.start()
    marked = _OUR_MARK.sub(r"\\\\", line[:end]) if "\\" in line else line[:end]
    return escape(marked) + "".join(f"\\u{ord(mark):04x}" for mark in line[end:])


def spell_lines(text: str) -> Iterator[str]:
    """All lines of a text, each spelled."""
    return map(spell_line, text.split("\n"))


def side_by_side(old: str, new: str, *, color: bool) -> Iterator[str]:
    """The lines that are gone and those that are new, and which characters came with them."""
    gone, come = changed_lines(old.split("\n"), new.split("\n"))
    start = _first_difference(gone, come)
    for mark, style, lines in (("-", "31", gone), ("+", "32", come)):
        for line in lines[:MAX_SHOWN_LINES]:
            yield paint(f"    {mark} {_cut(line, start)}", style, color=color)
        if len(lines) > MAX_SHOWN_LINES:
            yield f"    {mark} ... {number(len(lines) - MAX_SHOWN_LINES)} more lines: --format json"
    yield from notes(_joined(gone), _joined(come))


def changed_lines(old: Sequence[str], new: Sequence[str]) -> tuple[list[str], list[str]]:
    """The lines of each side that the other does not have there."""
    start, end_old, end_new = 0, len(old), len(new)
    while start < min(end_old, end_new) and old[start] == new[start]:
        start += 1
    while min(end_old, end_new) > start and old[end_old - 1] == new[end_new - 1]:
        end_old, end_new = end_old - 1, end_new - 1
    before, after = list(old[start:end_old]), list(new[start:end_new])
    if len(before) * len(after) > MAX_COMPARED:
        return before, after
    import difflib

    gone: list[str] = []
    come: list[str] = []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, first, last, begin, end in matcher.get_opcodes():
        if tag != "equal":
            gone += before[first:last]
            come += after[begin:end]
    return gone, come


def notes(old: str, new: str) -> Iterator[str]:
    """What of a new text nobody sees, and letters that it did not have and may look like others."""
    hidden = hidden_note(new)
    if hidden:
        yield f"      {hidden}"
    if new.isascii():
        return
    fresh = dict.fromkeys(mark for mark in new if ord(mark) > 0x7F and mark not in old)
    seen = [mark for mark in fresh if mark.isprintable()]
    if seen:
        yield f"      now holds {_name_all([ord(mark) for mark in seen])}"


def hidden_note(text: str) -> str:
    """The code points that a reader does not see, by number and name; empty without any."""
    from assembler.model.hidden_runs import grave_runs, slight_runs

    spans = sorted({*grave_runs(text), *slight_runs(text)})
    points = list(dict.fromkeys(ord(mark) for start, end in spans for mark in text[start:end]))
    return f"invisible: {_name_all(points)}" if points else ""


def _name_all(points: Sequence[int]) -> str:
    import unicodedata

    names = [
        f"U+{point:04X} {unicodedata.name(chr(point), '')}".strip() for point in points[:MAX_NAMED]
    ]
    more = len(points) - len(names)
    return f"{', '.join(names)}{f' and {number(more)} more' if more else ''}"


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(lines)


def _first_difference(gone: Sequence[str], come: Sequence[str]) -> int:
    """Where two lines that took each other's place begin to differ."""
    if len(gone) != 1 or len(come) != 1:
        return 0
    old, new = gone[0], come[0]
    return next(
        (at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other),
        min(len(old), len(new)),
    )


def _cut(line: str, start: int) -> str:
    """The line, or of a long one what stands around the place where it begins to differ."""
    if len(line) <= MAX_SHOWN_CHARACTERS:
        return spell_line(line)
    first = max(0, start - _CONTEXT)
    part = line[first : first + MAX_SHOWN_CHARACTERS]
    head = f"(from character {number(first + 1)}) ..." if first else ""
    left = len(line) - first - len(part)
    tail = f"... ({number(left)} more characters: --format json)" if left else ""
    return f"{head}{spell_line(part)}{tail}"

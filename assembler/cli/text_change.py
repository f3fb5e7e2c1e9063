"""Two texts side by side for a reviewer: what differs is seen, also where it can't be seen.

Every line is spelled so that two different lines look different: blanks at its end, characters
without a picture, and backslashes that could pass for one of ours are written out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from assembler.cli.output import escape, number, paint

MAX_NAMED: Final = 8
"""Characters that a note names."""
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
    """The lines that are gone and those that are new, and which characters came with them.

    Nothing is cut: what was not shown was not reviewed.
    """
    gone, come = changed_lines(old.split("\n"), new.split("\n"))
    for mark, style, lines in (("-", "31", gone), ("+", "32", come)):
        for line in lines:
            yield paint(f"    {mark} {spell_line(line)}", style, color=color)
    yield from notes("\n".join(gone), "\n".join(come))


def changed_lines(old: Sequence[str], new: Sequence[str]) -> tuple[list[str], list[str]]:
    """The lines of each side that the other does not have there."""
    from assembler.compare.matching import match_lines

    gone: list[str] = []
    come: list[str] = []
    before = after = 0
    for match in match_lines(old, new):
        gone += old[before : match.old]
        come += new[after : match.new]
        before, after = match.old + match.lines, match.new + match.lines
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

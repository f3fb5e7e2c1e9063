"""The few things of Markdown that decide what an agent takes out of a file: code and comments.

Pure, a line at a time, linear in the text. Blocks as CommonMark has them where the measured
agents follow it: fences, indented code behind a blank line, HTML comments that begin a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_LIST_ITEM: Final = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])(?:\s|$)")
_COMMENT: Final = re.compile(r" {0,3}<!--")


class TextLine(NamedTuple):
    """One line outside code blocks and comments."""

    start: int
    """Offset in the text."""
    text: str


class Blocks(NamedTuple):
    """Where the parts of a text stand."""

    lines: tuple[TextLine, ...]
    comments: tuple[tuple[int, int], ...]
    """From the beginning of the line to the end of the comment, with the blank lines behind it
    where nothing else follows on its last line."""


def scan(text: str, *, indented_code: bool = True, comments: bool = True) -> Blocks:
    """The lines that are text, and the block comments that are closed.

    Args:
        text: Markdown.
        indented_code: leave lines out that four blanks make code.
        comments: leave comments out that are blocks.
    """
    lines: list[TextLine] = []
    found: list[tuple[int, int]] = []
    position, fence = 0, ""
    after_blank, in_code, in_list = True, False, False
    while position < len(text):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end + 1
        line = text[position:end]
        opened = _FENCE.match(line)
        is_blank = not line.strip()
        if fence:
            is_end = opened is not None and opened.group(1).startswith(fence)
            if is_end and not line.strip().strip(fence[0]):
                fence = ""
        elif opened is not None and not (
            opened.group(1)[0] == "`" and "`" in line[opened.end() :].rstrip("\n")
        ):
            fence, in_code = opened.group(1), False
        elif comments and _COMMENT.match(line):
            closing = text.find("-->", line.index("<!--") + position + 2)
            if closing >= 0:
                stop = _end_of_comment(text, closing + 3)
                found.append((position, stop))
                position, after_blank = stop, True
                continue
            lines.append(TextLine(position, line))
        elif is_blank:
            pass
        elif indented_code and _is_indented(line) and (in_code or after_blank) and not in_list:
            in_code, position, after_blank = True, end, False
            continue
        else:
            in_list = _LIST_ITEM.match(line) is not None or (in_list and line[:1] in " \t")
            in_code = False
            lines.append(TextLine(position, line))
        after_blank = is_blank or (in_code and after_blank)
        in_code = in_code and is_blank
        position = end
    return Blocks(tuple(lines), tuple(found))


def block_comments(text: str) -> tuple[tuple[int, int], ...]:
    """Where block comments stand that are closed."""
    return scan(text).comments


def mask_code_spans(line: str) -> str:
    """The line with the inside of code spans blanked out; as long as before."""
    pieces: list[str] = []
    position = 0
    for start, end in _code_spans(line):
        pieces.append(line[position:start] + "\0" * (end - start))
        position = end
    return "".join([*pieces, line[position:]])


def _code_spans(line: str) -> Iterator[tuple[int, int]]:
    position = 0
    runs = [(found.start(), found.end()) for found in re.finditer("`+", line)]
    lengths: dict[int, list[int]] = {}
    for start, end in runs:
        lengths.setdefault(end - start, []).append(start)
    for start, end in runs:
        if start < position:
            continue
        same = lengths[end - start]
        closing = next((place for place in same if place >= end), None)
        if closing is not None:
            position = closing + end - start
            yield start, position


def _is_indented(line: str) -> bool:
    return line.startswith(("    ", "\t", " \t", "  \t", "   \t"))


def _end_of_comment(text: str, end: int) -> int:
    """Behind the comment; with the line feeds that follow it, where its line has nothing more."""
    rest = re.compile(r"[^\S\n]*\n+").match(text, end)
    return end if rest is None else rest.end()

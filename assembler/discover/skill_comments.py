"""Values of a skill that lose their end to a comment of YAML, without a word of any reader."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from assembler.model.document import Position
from assembler.model.field_line import spell_quoted
from assembler.model.skill import FrontMatter

_FIELDS: Final = ("description",)
"""No name holds a number sign, so that a name loses nothing."""
_QUOTED_OR_BLOCK: Final = ("'", '"', "|", ">")
_COMMENT: Final = re.compile(r"[ \t]#")
_LOST_WHOLE: Final = re.compile(r"[ \t]+#(?=\S)")
"""A comment that has a blank behind its sign was meant to be one."""


class LostTail(NamedTuple):
    """A plain value, name or description, with a comment behind it."""

    field: str
    place: Position
    """Of the number sign, in the file."""
    characters: int
    """That are lost."""
    fix: str


def find_lost_tails(front: FrontMatter, data: bytes) -> Iterator[LostTail]:
    """One for each value; none for a comment on a line of its own.

    Args:
        front: as it was read.
        data: the whole file.
    """
    if b"#" not in data[front.start : front.end]:
        return
    lines = data[: front.end].decode("utf-8").replace("\r\n", "\n").split("\n")
    for field in _FIELDS:
        # Inside braces the end of a value is another question.
        if field not in front.value_positions or front.positions[field][1] != 1:
            continue
        found = _find(field, front, lines)
        if found is not None:
            yield found


def _find(field: str, front: FrontMatter, lines: list[str]) -> LostTail | None:
    line, column = front.place_of(field)
    written = lines[line - 1][column - 1 :]
    if front.members[field] is None:
        match = _LOST_WHOLE.match(written)
        return None if match is None else _lost(field, [written], match, (line, column))
    if written.startswith(_QUOTED_OR_BLOCK):
        return None
    parts: list[str] = []
    for number, text in enumerate([written, *lines[line:]], start=line):
        is_first = number == line
        if not is_first and (text.lstrip().startswith("#") or text[:1] not in ("", " ", "\t")):
            return None
        parts.append(text)
        match = _COMMENT.search(text)
        if match is not None:
            return _lost(field, parts, match, (number, column if is_first else 1))
    return None


def _lost(field: str, parts: list[str], match: re.Match[str], start: Position) -> LostTail:
    """The tail that begins at the match, in the last of the value's lines."""
    texts = [part.strip() for part in parts]
    sign = match.end() - 1
    # An empty line is a line break of the value, which one line in quotes has not.
    fix = spell_quoted(field, " ".join(texts)) if all(texts) else "put the whole value in quotes"
    return LostTail(
        field,
        (start[0], start[1] + sign),
        len(parts[-1].rstrip()) - sign,
        fix,
    )

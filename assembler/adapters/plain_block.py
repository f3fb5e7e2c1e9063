"""Read the plainest YAML there is without a parser: lines `key: value`, and one level below.

Most front matter is that, and a parser costs five times as much as all of its lines. What any line
leaves open is not read here: the answer is None, and the parser's.
"""

from __future__ import annotations

import re
from typing import Final

from assembler.adapters.text_block import NULLS, TextBlock
from assembler.model.document import Position, Value

MAX_CHARACTERS: Final = 4_096
"""The largest of 2,049 real ones has fewer; what is longer is the parser's, with its bounds."""

_LINE: Final = re.compile(
    r"(?P<indent>(?:  )?)(?P<key>[A-Za-z][A-Za-z0-9_-]{0,63}):(?P<gap> *)"
    # Plain: no indicator in front, no colon or number sign that could end it, nothing but ASCII.
    r"(?:(?P<plain>[A-Za-z0-9(](?:[!-\"$-9;-~]| (?=[!-\"$-9;-~])|:(?=[!-\"$-9;-~]))*)"
    r"|\"(?P<double>[ !#-\[\]-~]*)\"|'(?P<single>[ -&(-~]*)')?\n"
)


def read_plain_block(text: str, *, first_line: int) -> TextBlock | None:
    """The block, as `read_text_block` gives it; None if it is not plain enough to say.

    Args:
        text: lines, each with its line feed.
        first_line: the number of its first line.
    """
    if len(text) > MAX_CHARACTERS:
        return None
    members: dict[str, Value] = {}
    keys: dict[str, Position] = {}
    values: dict[str, Position] = {}
    open_key: str | None = None
    inner: dict[str, Value] = {}
    position = 0
    line = first_line
    while position < len(text):
        match = _LINE.match(text, position)
        if match is None:
            return None
        indent, key, gap, plain, double, single = match.groups()
        value = plain if plain is not None else double if double is not None else single
        if value is not None and (not gap or (plain is not None and plain in NULLS)):
            return None
        column = len(indent) + 1
        if indent:
            if open_key is None or value is None or key in inner:
                return None
            if not inner:
                values[open_key] = (line, column)
            inner[key] = value
        elif key in members or (open_key is not None and not inner):
            return None
        else:
            keys[key] = (line, column)
            open_key, inner = (key, {}) if value is None else (None, {})
            members[key] = inner if value is None else value
            if value is not None:
                values[key] = (line, column + len(key) + 1 + len(gap))
        position = match.end()
        line += 1
    if not members or (open_key is not None and not inner):
        return None
    return TextBlock(members, keys, values, frozenset())

"""Where a text looks like the definition of a name, without knowing the language.

Pure, and linear in the text: one pass a part of the name.
"""

from __future__ import annotations

import re
from typing import Final

from assembler.model.symbols import split_name

_KEYWORDS: Final = (
    "class|const|constexpr|data|def|defmodule|defn|enum|extension|fn|fun|func|function|impl|"
    "interface|let|macro|macro_rules!|mod|module|namespace|object|package|procedure|proc|protocol|"
    "record|static|struct|sub|trait|type|typedef|union|val|var"
)
_NOT_FIRST: Final = (
    "assert|await|case|elif|else|from|if|import|new|raise|return|throw|use|while|yield"
)
_SIGNS: Final = r"\s{0,8}(?:[(:=<\[{]|$)"
"""What stands behind a name that is defined: no call has another word in front of it."""
_LONGEST_LINE: Final = 10_000
"""Bytes of a line that are looked at: what stands behind is no code that a person wrote."""


def find_definition_line(data: bytes, name: str, *, mentions: bool) -> int | None:
    """The first line, from 1, that looks like the definition of the name.

    Args:
        data: the text.
        name: plain, or with the names around it; these are looked for first.
        mentions: whether a line that merely has the name is taken where none looks like it.
    """
    lines = data.split(b"\n")
    start = 0
    found = None
    for part in split_name(name):
        found = _find_line(lines, part, start, mentions=mentions)
        if found is None:
            return None
        start = found
    return None if found is None else found + 1


def _find_line(lines: list[bytes], name: str, start: int, *, mentions: bool) -> int | None:
    word = rf"(?<![\w$]){re.escape(name)}(?![\w$])"
    keyword = re.compile(rf"(?<![\w$])(?:{_KEYWORDS})\s{{1,8}}(?:\([^()]{{0,200}}\)\s?)?{word}")
    signs = re.compile(rf"^\s*(?!(?:{_NOT_FIRST})\b)(?:[\w$@<>\[\],.*&?]+\s+){{0,8}}{word}{_SIGNS}")
    whole = re.compile(word)
    wanted = name.encode("utf-8")
    seconds: int | None = None
    thirds: int | None = None
    for number in range(start, len(lines)):
        if wanted not in lines[number]:
            continue
        line = lines[number][:_LONGEST_LINE].decode("utf-8", "replace").rstrip("\r")
        if keyword.search(line):
            return number
        if seconds is None and signs.search(line):
            seconds = number
        if thirds is None and whole.search(line):
            thirds = number
    if seconds is not None:
        return seconds
    return thirds if mentions else None

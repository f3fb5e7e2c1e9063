"""Items of a Markdown list: which lines belong to one. Pure; as `marked` decides it."""

from __future__ import annotations

import re
from typing import NamedTuple


class Item(NamedTuple):
    """One item."""

    text: str
    """Its content without the bullet and the indentation."""
    end: int
    """Offset behind it."""


def read_item(text: str, position: int, bullet: str) -> Item | None:
    """The item that begins there; None where none of this bullet does.

    Args:
        text: the whole text.
        position: where a line begins.
        bullet: as a pattern; another bullet begins another list.
    """
    found = re.compile(rf"( {{0,3}}{bullet})((?:[\t ][^\n]*)?(?:\n|\Z))").match(text, position)
    if found is None or found.end() == position:
        return None
    rest = found.group(2).partition("\n")[0]
    line = re.sub(r"\A\t+", lambda tabs: " " * 3 * len(tabs.group()), rest)
    position = found.end()
    is_blank = not line.strip()
    if is_blank:
        indent, content = len(found.group(1)) + 1, ""
    else:
        indent = len(line) - len(line.lstrip(" "))
        indent = 1 if indent > 4 else indent
        content = line[indent:]
        indent += len(found.group(1))
    following = _line(text, position)
    if is_blank and position < len(text) and not following.strip():
        return Item(content, min(position + len(following) + 1, len(text)))
    return _read_lines(text, position, indent, content, line=line, is_blank=is_blank)


def _read_lines(
    text: str, position: int, indent: int, content: str, *, line: str, is_blank: bool
) -> Item:
    """The lines below the first one that belong to the item."""
    ends = _ends(min(3, indent - 1))
    lines = [content]
    while position < len(text):
        raw = _line(text, position)
        plain = raw.replace("\t", "    ")
        if ends.match(raw):
            break
        if not raw.strip() or len(plain) - len(plain.lstrip(" ")) >= indent:
            lines.append(plain[indent:])
        elif is_blank or _begins_another(line, ends):
            break
        else:
            lines.append(raw)
        is_blank = is_blank or not raw.strip()
        position = min(position + len(raw) + 1, len(text))
        line = plain[indent:]
    return Item("\n".join(lines), position)


def _ends(most: int) -> re.Pattern[str]:
    """What begins another item or another block, less indented than the item."""
    space = rf" {{0,{most}}}"
    return re.compile(
        rf"{space}(?:```|~~~)|{space}#|{space}<(?:[a-z].*>|!--)"
        rf"|{space}(?:[*+-]|\d{{1,9}}[.)])(?:[ \t][^\n]*)?\Z"
        rf"|{space}(?:(?:- *){{3,}}|(?:_ *){{3,}}|(?:\* *){{3,}})\Z",
        re.I,
    )


def _begins_another(line: str, ends: re.Pattern[str]) -> bool:
    """Whether a line of the item is none that a paragraph goes on behind."""
    plain = line.replace("\t", "    ")
    if len(plain) - len(plain.lstrip(" ")) >= 4 and plain.strip():
        return True
    found = ends.match(line)
    return found is not None and not re.match(r" *(?:<|[*+-] |\d{1,9}[.)])", line)


def _line(text: str, position: int) -> str:
    end = text.find("\n", position)
    return text[position:] if end < 0 else text[position:end]

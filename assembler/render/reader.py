"""Read `assembler-input/1` back: headings, items and their contents, or refuse.

For whoever has a text and no ledger. Every item is read by its byte count and checked by being
written again: there is one spelling, so a changed byte is refused or gives other items.
Rules: docs/formats/assembler-input.md.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from assembler.model.candidate import SECTIONS, Absent, Candidate
from assembler.model.names import write_name
from assembler.model.trust import TRUST_WORDS
from assembler.render.envelope import LINE_BREAK, write_item
from assembler.render.input_text import CLOSING, HEADINGS, PREAMBLE

_NAME: Final = r"(?:[A-Za-z0-9!#$&'()*+,\-./:;=?@_~]|%[0-9A-F]{2})+"
_HEADER: Final = re.compile(
    rf"\[\[(?P<kind>(?!end )[a-z][a-z0-9-]{{0,31}}) (?P<id>{_NAME})(?: from (?P<source>{_NAME}))?"
    rf"(?: @(?P<revision>{_NAME}))? (?P<trust>{'|'.join(TRUST_WORDS)})"
    r" (?P<bytes>0|[1-9][0-9]{0,11}) bytes(?: (?P<form>quoted|escaped))?"
    r" (?P<digest>[0-9a-f]{8})\]\]"
)
_ESCAPE: Final = re.compile(rb"\\(?:\\|x([0-9A-F]{2}))")


class InputUnreadableError(ValueError):
    """The text is not what a writer would have written."""


class ReadItem(NamedTuple):
    """What a header shows of an item, and its content."""

    section: str
    kind: str
    id: str
    source: str | None
    revision: str | None
    trust: str
    content: bytes


def read_input(data: bytes) -> tuple[ReadItem, ...]:
    """The items of a text, in order.

    Raises:
        InputUnreadableError: any byte that a writer would not have written.
    """
    if not data.startswith(PREAMBLE):
        raise InputUnreadableError("the preamble is another")
    position = len(PREAMBLE)
    items: list[ReadItem] = []
    for section in SECTIONS:
        if not data.startswith(HEADINGS[section], position):
            raise InputUnreadableError(f"no heading of section {section}")
        position += len(HEADINGS[section])
        while not _ends_section(data, position):
            item, position = _read_item(data, position, section)
            items.append(item)
    if data[position:] != CLOSING:
        raise InputUnreadableError("no closing line at the end")
    return tuple(items)


def _ends_section(data: bytes, position: int) -> bool:
    # A heading begins with a digit and the closing line has no space: no header looks so.
    return data[position : position + 3] in (b"[[2", b"[[3", b"[[4", b"[[5") or data.startswith(
        CLOSING, position
    )


def _read_item(data: bytes, position: int, section: str) -> tuple[ReadItem, int]:
    line_end = data.find(b"]]", position)
    try:
        head = data[position : line_end + 2].decode("ascii")
    except UnicodeDecodeError:
        raise InputUnreadableError("a header is not ASCII") from None
    match = _HEADER.fullmatch(head)
    if match is None:
        raise InputUnreadableError("not a header")
    start = line_end + 2
    content = _read_content(data, start, int(match["bytes"]), match["form"])
    item = ReadItem(
        section=section,
        kind=match["kind"],
        id=_read_name(match["id"]),
        source=None if match["source"] is None else _read_name(match["source"]),
        revision=None if match["revision"] is None else _read_name(match["revision"]),
        trust=match["trust"],
        content=content,
    )
    written = write_item(_as_candidate(item), content).data
    # One spelling: digest, form, marks and end line are all compared at once.
    if not data.startswith(written, position):
        raise InputUnreadableError("an item is not as a writer would have written it")
    return item, position + len(written)


def _read_content(data: bytes, start: int, size_bytes: int, form: str | None) -> bytes:
    if form is None:
        body = start + 1
        if body + size_bytes > len(data):
            raise InputUnreadableError("an item ends before its byte count")
        return data[body : body + size_bytes]
    quoted = _take_quoted(data, start + 1)
    content = _unescape(quoted) if form == "escaped" else quoted
    if len(content) == size_bytes + 1 and content.endswith(b"\n"):
        content = content[:-1]
    if len(content) != size_bytes:
        raise InputUnreadableError("a quoted item has another length")
    return content


def _take_quoted(data: bytes, start: int) -> bytes:
    """The lines that begin with the mark, without it."""
    end = start
    while data.startswith(b"> ", end):
        line_end = data.find(b"\n", end)
        if line_end < 0:
            raise InputUnreadableError("a quoted line has no end")
        end = line_end + 1
    try:
        text = data[start:end].decode("utf-8")
    except UnicodeDecodeError:
        raise InputUnreadableError("a quoted item is not UTF-8") from None
    lines: list[str] = []
    position = 0
    while position < len(text):
        if not text.startswith("> ", position):
            raise InputUnreadableError("a line without its mark")
        found = LINE_BREAK.search(text, position)
        line_stop = len(text) if found is None else found.end()
        lines.append(text[position + 2 : line_stop])
        position = line_stop
    return "".join(lines).encode("utf-8")


def _unescape(data: bytes) -> bytes:
    return _ESCAPE.sub(
        lambda match: b"\\" if match.group(1) is None else bytes([int(match.group(1), 16)]), data
    )


def _read_name(text: str) -> str:
    data = re.sub(
        rb"%([0-9A-F]{2})", lambda match: bytes([int(match.group(1), 16)]), text.encode("ascii")
    )
    try:
        name = data.decode("utf-8")
    except UnicodeDecodeError:
        raise InputUnreadableError("a name is not UTF-8") from None
    if write_name(name) != text:
        raise InputUnreadableError("a name has another spelling")
    return name


def _as_candidate(item: ReadItem) -> Candidate:
    return Candidate(
        id=item.id,
        kind=item.kind,
        section=item.section,
        trust=item.trust,
        content=Absent("unread"),
        source=item.source,
        revision=item.revision,
    )

"""What one instruction file holds, apart from its place in a chain.

In: the raw bytes. Out: digest, encoding, blankness, headings, findings about the text.
Offsets are bytes of the raw file, half open.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from assembler.assess.hidden_text import find_delimiters, find_hidden
from assembler.model.chain import WHITE_SPACE, CutPlace
from assembler.model.digest import sha256_hex
from assembler.model.finding import Finding, make_finding
from assembler.model.utf8 import first_bad_byte

BOM: Final = b"\xef\xbb\xbf"

MAX_HEADINGS: Final = 100
MAX_RANGES: Final = 20
MAX_HEADING_CHARACTERS: Final = 120
_MAX_LINK_BYTES: Final = 512


class TextFacts(NamedTuple):
    """One file's bytes, looked through once."""

    data: bytes
    sha256: str
    has_bom: bool
    bad_byte: int | None
    """Offset of the first byte that is not UTF-8."""
    is_utf16: bool
    findings: tuple[Finding, ...]


def examine_text(data: bytes, path: str) -> TextFacts:
    """Look through a file that is policy if it is loaded."""
    marks = (
        find_delimiters(data, path),
        find_comments(data, path),
        find_conflict(data, path),
    )
    return TextFacts(
        data=data,
        sha256=sha256_hex(data),
        has_bom=data.startswith(BOM),
        bad_byte=first_bad_byte(data),
        is_utf16=data.startswith((b"\xff\xfe", b"\xfe\xff")),
        findings=find_hidden(data, path) + tuple(mark for mark in marks if mark is not None),
    )


def find_comments(data: bytes, path: str) -> Finding | None:
    """HTML comments: a reader of the page does not see them, and the model does."""
    ranges: list[list[int]] = []
    start = data.find(b"<!--")
    while start >= 0:
        end = data.find(b"-->", start + 4)
        if end < 0:
            break
        ranges.append([start, end + 3])
        start = data.find(b"<!--", end + 3)
    if not ranges:
        return None
    count = "an HTML comment" if len(ranges) == 1 else f"{len(ranges):,} HTML comments"
    return make_finding(
        "ASM605",
        path,
        f"holds {count}: no page shows it, and the model reads it",
        line=data.count(b"\n", 0, ranges[0][0]) + 1,
        data={"count": len(ranges), "byte_ranges": ranges[:MAX_RANGES]},
    )


def find_conflict(data: bytes, path: str) -> Finding | None:
    """The marks of a merge that is not resolved: all three of them, each at the start of a line."""
    if b"<<<<<<< " not in data:
        return None
    lines = _without_fenced(data)
    first = next((n for n, line in enumerate(lines) if line.startswith(b"<<<<<<< ")), None)
    if first is None:
        return None
    rest = lines[first:]
    if not any(line.rstrip(b"\r") == b"=======" for line in rest):
        return None
    if not any(line.startswith(b">>>>>>> ") for line in rest):
        return None
    return make_finding(
        "ASM606",
        path,
        "holds the marks of a merge that is not resolved: the model reads both sides",
        line=first + 1,
        fix="resolve the conflict",
    )


def is_blank(data: bytes) -> bool:
    """Whether there is nothing but Unicode White_Space; a byte order mark is not."""
    return not data.decode("utf-8", "replace").strip(WHITE_SPACE)


def whole_characters(data: bytes, limit: int) -> int:
    """The largest length up to `limit` that ends no character early; of valid UTF-8."""
    end = min(limit, len(data))
    while 0 < end < len(data) and data[end] & 0xC0 == 0x80:
        end -= 1
    return end


@lru_cache(maxsize=2)  # one long root file is cut alike in the chain of every folder
def cut_at(data: bytes, byte: int) -> CutPlace:
    """Say what a cut before this byte does."""
    return CutPlace(
        byte=byte,
        line=data.count(b"\n", 0, byte) + 1,
        splits_character=byte < len(data) and data[byte] & 0xC0 == 0x80,
        headings=find_headings(data, start=byte),
    )


def find_headings(data: bytes, *, start: int = 0) -> tuple[str, ...]:
    """Markdown headings (`#` form) whose line begins at or behind `start`; not in code fences."""
    found: list[str] = []
    fence: bytes | None = None
    position = 0
    for line in data.split(b"\n"):
        mark = line.lstrip(b" ")
        if len(line) - len(mark) <= 3:
            opened = _fence(mark)
            if fence is not None:
                fence = None if opened is not None and opened.startswith(fence) else fence
            elif opened is not None:
                fence = opened
            elif position >= start and _is_heading(mark) and len(found) < MAX_HEADINGS:
                text = mark.decode("utf-8", "replace").strip(WHITE_SPACE)
                found.append(text[:MAX_HEADING_CHARACTERS])
        position += len(line) + 1
    return tuple(found)


def _without_fenced(data: bytes) -> list[bytes]:
    """The lines of a text, those inside code fences empty."""
    lines: list[bytes] = []
    fence: bytes | None = None
    for line in data.split(b"\n"):
        opened = _fence(line.lstrip(b" "))
        inside = fence is not None
        if fence is None:
            fence = opened
        elif opened is not None and opened.startswith(fence):
            fence = None
        lines.append(b"" if inside else line)
    return lines


def holds_a_link(data: bytes) -> str | None:
    """The path, where the whole file is one: a link that was checked out as text.

    Git writes a link's target without a line feed where it can't make links.
    """
    if not data or len(data) > _MAX_LINK_BYTES or len(data.split()) != 1:
        return None
    if data != data.strip() or not data.isascii():
        return None
    text = data.decode("ascii")
    if text.startswith("@") or not text.isprintable():
        return None
    return text if text.lower().endswith((".md", ".mdc", ".txt")) else None


def _fence(mark: bytes) -> bytes | None:
    """The run of three or more backticks or tildes that a line begins with."""
    for sign in (b"`", b"~"):
        run = len(mark) - len(mark.lstrip(sign))
        if run >= 3:
            return sign * run
    return None


def _is_heading(mark: bytes) -> bool:
    level = len(mark) - len(mark.lstrip(b"#"))
    rest = mark[level : level + 1]
    return 1 <= level <= 6 and rest in {b" ", b"\t"}

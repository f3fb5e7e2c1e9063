"""Blocks of Markdown as one agent's parser cuts them: which parts are text, code or comments.

Pure. The cuts are those that were measured on Claude Code 2.1.332 (`marked` without its
extensions for tables and strikethrough), not those of CommonMark where the two differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

from assembler.agents.markdown_lists import read_item

MAX_DEPTH: Final = 40
"""Of lists and quotes in each other; what is deeper is passed over."""

BlockKind: TypeAlias = Literal["blank", "code", "html", "definition", "text", "quote", "list"]

_BLANK: Final = re.compile(r"(?:[ \t]*\n)+|[ \t]+\Z")
_INDENTED: Final = re.compile(r"(?:(?: {4}| {0,3}\t)[^\n]+(?:\n(?:[ \t]*\n)*|\Z))+")
_FENCE: Final = re.compile(r" {0,3}(`{3,}(?=[^`\n]*(?:\n|\Z))|~{3,})[^\n]*(?:\n|\Z)")
_HEADING: Final = re.compile(r" {0,3}#{1,6}(?=\s|\Z)[^\n]*(?:\n+|\Z)")
_RULE: Final = re.compile(r" {0,3}(?:(?:-[\t ]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})(?:\n+|\Z)")
_QUOTE: Final = re.compile(r" {0,3}>")
_LIST: Final = re.compile(r" {0,3}(?:[*+-]|\d{1,9}[.)])(?:[ \t][^\n]*)?(?:\n|\Z)")
_DEFINITION: Final = re.compile(
    r" {0,3}\[(?!\s*\])(?:\\.|[^\[\]\\])+\]: *(?:\n[ \t]*)?(?:[^<\s][^\s]*|<[^\n]*?>)"
    r"(?:(?: +(?:\n[ \t]*)?| *\n[ \t]*)(?:\"(?:\\\"?|[^\"\\])*\"|'[^'\n]*(?:\n[^'\n]+)*\n?'"
    r"|\([^()]*\)))? *(?:\n+|\Z)"
)
_TAGS: Final = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details"
    "|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header"
    "|hr|html|iframe|legend|li|link|main|menu|menuitem|meta|nav|noframes|ol|optgroup|option|p"
    "|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul"
)
_ATTRIBUTE: Final = (
    r"(?: +[a-zA-Z:_][\w.:-]*(?: *= *\"[^\"\n]*\"| *= *'[^'\n]*'| *= *[^\s\"'=<>`]+)?)"
)
_HTML_STARTS: Final = (
    (re.compile(r" {0,3}<(script|pre|style|textarea)[\s>]", re.I), None),
    (re.compile(r" {0,3}<!--"), "-->"),
    (re.compile(r" {0,3}<\?"), "?>"),
    (re.compile(r" {0,3}<![A-Z]"), ">"),
    (re.compile(r" {0,3}<!\[CDATA\["), "]]>"),
)
_HTML_TO_BLANK: Final = re.compile(
    rf" {{0,3}}(?:</?(?:{_TAGS})(?: +|\n|/?>)"
    rf"|<(?!script|pre|style|textarea)[a-z][\w-]*{_ATTRIBUTE}*? */?>(?=[ \t]*(?:\n|\Z))"
    r"|</(?!script|pre|style|textarea)[a-z][\w-]*\s*>(?=[ \t]*(?:\n|\Z)))",
    re.I,
)
_BLANK_LINE: Final = re.compile(r"(?:\n[ \t]*)+\n|\Z")
_INTERRUPTS: Final = re.compile(
    r"(?: {0,3}(?:(?:-[\t ]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})(?:\n|\Z)"
    r"| {0,3}#{1,6}(?:\s|\Z)| {0,3}>| {0,3}(?:`{3,}(?=[^`\n]*\n)|~{3,})[^\n]*\n"
    r"| {0,3}(?:[*+-]|1[.)]) "
    rf"|</?(?:{_TAGS})(?: +|\n|/?>)|<(?:script|pre|style|textarea|!--)| +\n)",
    re.I,
)

_INTERRUPTS_QUOTE: Final = re.compile(
    rf"{_INTERRUPTS.pattern}"
    rf"| {{1,3}}(?:</?(?:{_TAGS})(?: +|\n|/?>)|<(?:script|pre|style|textarea|!--))",
    re.I,
)
"""HTML that is indented ends a quote's paragraph and no other one (measured)."""


class Block(NamedTuple):
    """One block at the top of a text or inside of a list or quote."""

    kind: BlockKind
    raw: str
    """As it stands in the text, line feeds behind it included."""
    inner: tuple[Block, ...] = ()
    """Of a list and a quote."""


def read_blocks(text: str, depth: int = 0) -> tuple[Block, ...]:
    """The blocks of a text, whose raw texts together are the text.

    Args:
        text: with line feeds alone as ends of lines.
        depth: how many lists and quotes are around it.
    """
    return tuple(_blocks(text, depth))


def _blocks(text: str, depth: int) -> Iterator[Block]:
    position = 0
    while position < len(text):
        block = _next(text, position, depth)
        yield block
        position += len(block.raw)


def _next(text: str, position: int, depth: int) -> Block:
    for kind, pattern in (("blank", _BLANK), ("code", _INDENTED)):
        found = pattern.match(text, position)
        if found is not None and found.end() > position:
            return Block("blank" if kind == "blank" else "code", found.group())
    fence = _FENCE.match(text, position)
    if fence is not None:
        return Block("code", text[position : _end_of_fence(text, fence)])
    for pattern in (_HEADING, _RULE):
        found = pattern.match(text, position)
        if found is not None:
            return Block("text", found.group())
    if _QUOTE.match(text, position):
        return _quote(text, position, depth)
    if _LIST.match(text, position):
        return _list(text, position, depth)
    end = _end_of_html(text, position)
    if end is not None:
        return Block("html", text[position:end])
    found = _DEFINITION.match(text, position)
    if found is not None:
        return Block("definition", found.group())
    return Block("text", text[position : _end_of_paragraph(text, position)])


def _end_of_fence(text: str, fence: re.Match[str]) -> int:
    mark = fence.group(1)
    closing = re.compile(rf"^ {{0,3}}{mark}[~`]* *(?=\n|\Z)", re.M)
    found = closing.search(text, fence.end())
    return len(text) if found is None else min(found.end() + 1, len(text))


def _end_of_html(text: str, position: int) -> int | None:
    for start, closing in _HTML_STARTS:
        found = start.match(text, position)
        if found is None:
            continue
        if closing is None:
            tag = re.compile(rf"</{found.group(1)}>[^\n]*\n+", re.I).search(text, found.end())
            return len(text) if tag is None else tag.end()
        # `<!-->` and `<!--->` are comments that end at once.
        end = text.find(closing, found.end() - (2 if closing == "-->" else 0))
        if end < 0:
            return len(text)
        end += len(closing)
        if closing != "-->":
            return _behind_line_feeds(text, end)
        line_end = text.find("\n", end)
        return len(text) if line_end < 0 else _behind_line_feeds(text, line_end)
    if _HTML_TO_BLANK.match(text, position):
        found = _BLANK_LINE.search(text, position)
        return len(text) if found is None else found.end()
    return None


def _behind_line_feeds(text: str, position: int) -> int:
    while position < len(text) and text[position] == "\n":
        position += 1
    return position


def _end_of_paragraph(text: str, position: int) -> int:
    """Behind the paragraph, with the line feeds that follow it."""
    while True:
        end = text.find("\n", position)
        if end < 0:
            return len(text)
        position = end + 1
        if position >= len(text) or text[position] == "\n" or _INTERRUPTS.match(text, position):
            return _behind_line_feeds(text, position)


def _quote(text: str, position: int, depth: int) -> Block:
    start = position
    while position < len(text) and _QUOTE.match(text, position):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end + 1
        words = re.sub(r"\A(?: {0,3}> ?)+", "", text[position:end])
        position = end
        if words.strip() and _next(words, 0, MAX_DEPTH).kind == "text":
            # A paragraph goes on without its mark, as long as nothing else begins.
            while (
                position < len(text)
                and text[position] != "\n"
                and not _INTERRUPTS_QUOTE.match(text, position)
            ):
                end = text.find("\n", position)
                position = len(text) if end < 0 else end + 1
    raw = text[start:position]
    if depth >= MAX_DEPTH:
        return Block("quote", raw)
    words = re.sub(r"^ *>[ \t]?", "", raw, flags=re.M)
    return Block("quote", raw, read_blocks(words, depth + 1))


def _list(text: str, position: int, depth: int) -> Block:
    start = position
    inner: list[Block] = []
    mark = re.match(r" {0,3}([*+-]|\d{1,9}([.)]))", text[position:])
    assert mark is not None  # it is a list
    bullet = rf"\d{{1,9}}\{mark.group(2)}" if mark.group(2) else rf"\{mark.group(1)}"
    while position < len(text):
        item = None if position != start and _RULE.match(text, position) else read_item(
            text, position, bullet
        )  # fmt: skip
        if item is None:
            break
        position = item.end
        if depth < MAX_DEPTH:
            inner += read_blocks(item.text, depth + 1)
    return Block("list", text[start:position], tuple(inner))

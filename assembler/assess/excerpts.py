"""The part of a file that a candidate holds: whole lines, recoverable from the source."""

from __future__ import annotations

from typing import Final, NamedTuple

from assembler.assess.definition_text import find_definition_line
from assembler.assess.symbols import SymbolError, find_symbol, show_name, spell_missing
from assembler.model.evidence import Discovered
from assembler.model.lines import count_lines, join_lines, whole_lines
from assembler.model.symbols import LineRange, Unparsed
from assembler.ports import SymbolReader

AROUND_LINES: Final = 15
"""Lines kept before and after the line that was looked for."""


class Excerpt(NamedTuple):
    """What was cut out of a file."""

    data: bytes
    ranges: tuple[LineRange, ...] = ()
    """The lines that these bytes are, in file order; none: the whole file."""
    why: str | None = None
    """Why just these lines, where the task does not say it."""


class NoExcerpt(NamedTuple):
    """The wanted part is not there."""

    why: str


def cut_excerpt(wanted: Discovered, data: bytes, symbols: SymbolReader) -> Excerpt | NoExcerpt:
    """The wanted bytes of a file, or why it has no such part."""
    if wanted.symbol is not None:
        return cut_symbol(wanted.path, data, wanted.symbol, symbols, with_imports=wanted.imports)
    if wanted.lines is not None:
        found = whole_lines(data, *wanted.lines)
        if found is None:
            first, last = wanted.lines
            return NoExcerpt(f"lines {first}-{last} of {count_lines(data)}")
        return Excerpt(found, (wanted.lines,))
    if wanted.around is None:
        return Excerpt(data)
    position = data.find(wanted.around.encode("utf-8"))
    if position < 0:
        return NoExcerpt(f'no line holds "{wanted.around}"')
    return _cut_around(data, data.count(b"\n", 0, position) + 1)


def cut_symbol(
    path: str, data: bytes, name: str, symbols: SymbolReader, *, with_imports: bool
) -> Excerpt | NoExcerpt:
    """The lines of a definition.

    Where the file can't be taken apart, the lines around the first one that looks like it.
    """
    outline = symbols.outline(path, data)
    if isinstance(outline, Unparsed):
        line = find_definition_line(data, name, mentions=True)
        why = f"{path.rpartition('/')[2]} was searched as text: {outline.why}"
        return _fall_back(data, line, why) or NoExcerpt(f"{why}; no line has {show_name(name)}")
    found = find_symbol(outline, name, with_imports=with_imports)
    if isinstance(found, SymbolError):
        why = f"a syntax error stands inside the definition ({outline.language})"
        return _cut_around(data, found.line, why)
    if found is not None:
        return Excerpt(join_lines(data, found.ranges), found.ranges, found.why)
    missing = spell_missing(outline, name)
    if not outline.has_errors:
        return NoExcerpt(missing)
    line = find_definition_line(data, name, mentions=False)
    why = f"the file has syntax errors ({outline.language})"
    return _fall_back(data, line, why) or NoExcerpt(f"{missing}; {why}")


def cut_section(
    path: str,
    data: bytes,
    symbols: SymbolReader,
    *,
    lines: LineRange | None,
    symbol: str | None,
    with_imports: bool = False,
) -> Excerpt | NoExcerpt:
    """The named section of a file, exactly: nothing that only looks like it stands in for it."""
    if lines is not None:
        found = whole_lines(data, *lines)
        if found is None:
            return NoExcerpt(f"lines {lines[0]}-{lines[1]} of {count_lines(data)}")
        return Excerpt(found, (lines,))
    if symbol is not None:
        return read_symbol(path, data, symbol, symbols, with_imports=with_imports)
    return Excerpt(data)


def read_symbol(
    path: str, data: bytes, name: str, symbols: SymbolReader, *, with_imports: bool = False
) -> Excerpt | NoExcerpt:
    """The lines of a definition and no others, or why they can't be told."""
    outline = symbols.outline(path, data)
    if isinstance(outline, Unparsed):
        return NoExcerpt(outline.why)
    found = find_symbol(outline, name, with_imports=with_imports)
    if found is None:
        return NoExcerpt(spell_missing(outline, name))
    if isinstance(found, SymbolError):
        return NoExcerpt(f"a syntax error stands inside the definition ({outline.language})")
    return Excerpt(join_lines(data, found.ranges), found.ranges, found.why)


def _fall_back(data: bytes, line: int | None, why: str) -> Excerpt | None:
    return None if line is None else _cut_around(data, line, why)


def _cut_around(data: bytes, line: int, why: str | None = None) -> Excerpt:
    """The lines around one; the reason is that of a symbol whose own lines can't be told."""
    first = max(1, line - AROUND_LINES)
    last = min(count_lines(data), line + AROUND_LINES)
    told = None if why is None else f"{why}: lines around line {line}, which looks like it"
    return Excerpt(join_lines(data, ((first, last),)), ((first, last),), told)

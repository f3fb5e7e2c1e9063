"""Which lines of a source file are a symbol, and which of its imports these lines use.

Pure: the outline of the file is at hand. The rules: docs/formats/task.md, *Symbols*.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from assembler.model.names import first_few, write_name
from assembler.model.symbols import (
    Definition,
    Import,
    LineRange,
    Outline,
    merge_ranges,
    spell_lines,
    split_name,
)

MOST_RANGES: Final = 64
"""Of one excerpt; over it the smallest gaps are closed, so that its address stays readable."""
MOST_NEAR: Final = 3
"""Names that are told where none is the asked one."""
MOST_COMPARED: Final = 2_000
"""Names of a file that are compared with one that it does not have."""
_LONGEST_SHOWN: Final = 48
"""Bytes of a name, as words have it: all words of a row fit into its limit."""
_MOST_OF_ONE_IMPORT: Final = 3


class SymbolLines(NamedTuple):
    """The lines of a symbol, and why just these."""

    ranges: tuple[LineRange, ...]
    why: str


class SymbolError(NamedTuple):
    """The definition is there, and a syntax error stands inside it."""

    line: int


def find_symbol(
    outline: Outline, name: str, *, with_imports: bool
) -> SymbolLines | SymbolError | None:
    """The lines of a symbol; None where the file defines no such thing.

    Args:
        outline: of the file.
        name: plain, or with the names around it.
        with_imports: whether the imports that it uses go with it.
    """
    named = _named(outline.definitions, split_name(name))
    if not named:
        return None
    chosen = _with_overloads(named[0], named)
    broken = [item for item in chosen if item.has_error]
    if broken:
        return SymbolError(broken[0].name_line)
    ranges = merge_ranges(_lines_of(chosen))
    words = [_spell_definition(outline, chosen)]
    taken = frozenset(chosen)
    words += _spell_others([item for item in named if item not in taken])
    if outline.has_errors:
        words.append("the file has syntax errors elsewhere")
    if with_imports and chosen[0].kind != "re-export":
        names = outline.names_in(ranges)
        imports = _used_imports(outline, chosen[0], ranges, names)
        words.append(_spell_imports(imports, names))
        ranges = merge_ranges([*ranges, *_import_lines(imports)])
    return SymbolLines(close_gaps(ranges), "; ".join(words))


def spell_missing(outline: Outline, name: str) -> str:
    """That a file does not define a name, and which of its names are nearest."""
    text = f"no definition of {show_name(name)} ({outline.language})"
    last = split_name(name)[-1]
    imported = [item for item in outline.imports if last in item.names]
    if imported:
        text += f"; {spell_lines(imported[0].lines)} imports it"
    near = nearest_names(outline, name)
    return f"{text}; nearest: {', '.join(near)}" if near else text


def nearest_names(outline: Outline, name: str) -> list[str]:
    """At most `MOST_NEAR` names of the file, the nearest first, spelled for a row."""
    import difflib  # wanted by a failing run alone

    wanted = ".".join(split_name(name))
    is_plain = "." not in wanted
    known: dict[str, str] = {}
    for item in outline.definitions[:MOST_COMPARED]:
        whole = ".".join(item.names)
        known.setdefault(item.names[-1] if is_plain else whole, whole)
    short = [text for text in known if len(text) <= 2 * len(wanted) + 8]
    near = difflib.get_close_matches(wanted, short, n=MOST_NEAR)
    return [show_name(known[text]) for text in near]


def close_gaps(ranges: tuple[LineRange, ...]) -> tuple[LineRange, ...]:
    """The same ranges, at most `MOST_RANGES`: lines between the nearest of them come in."""
    if len(ranges) <= MOST_RANGES:
        return ranges
    gaps = [(after[0] - before[1], before[1], after[0]) for before, after in pairwise(ranges)]
    closed = sorted(gaps)[: len(ranges) - MOST_RANGES]
    return merge_ranges([*ranges, *((first, last) for _, first, last in closed)])


def _named(definitions: Iterable[Definition], parts: tuple[str, ...]) -> list[Definition]:
    """Those whose names end so, the outermost first; what is only passed on comes last."""
    found = [item for item in definitions if item.names[-len(parts) :] == parts]
    return sorted(found, key=lambda item: (item.kind == "re-export", len(item.names)))


def _with_overloads(first: Definition, named: Sequence[Definition]) -> list[Definition]:
    """The definition with those that make it up together with it."""
    if first.kind != "function":
        return [first]
    family = [
        item
        for item in named
        if (item.names, item.scope, item.kind) == (first.names, first.scope, first.kind)
    ]
    return family if any(item.joins for item in family) else [first]


def _lines_of(items: Iterable[Definition | Import]) -> list[LineRange]:
    return [lines for item in items for lines in (item.lines, *item.frame)]


def _used_imports(
    outline: Outline, definition: Definition, ranges: Sequence[LineRange], names: frozenset[str]
) -> list[Import]:
    """The imports that the definition sees and whose names its lines have; ranges as merged."""
    return [
        item
        for item in outline.imports
        if (item.keeps is not None or not names.isdisjoint(item.names))
        and (item.scope is None or _holds(item.scope, definition.lines))
        and not _is_inside(item.lines, ranges)
    ]


def _is_inside(lines: LineRange, ranges: Sequence[LineRange]) -> bool:
    """Whether one of some ranges, ascending and apart, holds the lines."""
    place = bisect_right(ranges, lines[0], key=lambda held: held[0]) - 1
    return place >= 0 and _holds(ranges[place], lines)


def _holds(outer: LineRange, inner: LineRange) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _import_lines(imports: Sequence[Import]) -> tuple[LineRange, ...]:
    return merge_ranges(_lines_of(imports))


def _spell_definition(outline: Outline, chosen: Sequence[Definition]) -> str:
    first = chosen[0]
    what = "re-export, " if first.kind == "re-export" else ""
    where = spell_lines(*merge_ranges(item.lines for item in chosen))
    text = f"{what}{outline.language} {show_name('.'.join(first.names))}, {where}"
    if len(chosen) > 1:
        text += f" ({len(chosen)} definitions that belong together)"
    if first.frame:
        text += " in the group around it"
    return text


def _spell_others(others: Sequence[Definition]) -> list[str]:
    if not others:
        return []
    return [f"others of this name: {spell_lines(*merge_ranges(item.lines for item in others))}"]


def _spell_imports(imports: Sequence[Import], names: frozenset[str]) -> str:
    if not imports:
        return "it uses no import"
    words = [f"{_spell_import(item, names)} ({spell_lines(item.lines)})" for item in imports]
    return f"imports that it uses: {', '.join(first_few(words))}"


def _spell_import(item: Import, names: frozenset[str]) -> str:
    used = [show_name(name) for name in item.names if name in names]
    more = ["..."] if len(used) > _MOST_OF_ONE_IMPORT else []
    return item.keeps or " ".join([*used[:_MOST_OF_ONE_IMPORT], *more])


def show_name(name: str) -> str:
    """A name as a row has it: its end where it is long."""
    spelled = write_name(name)
    return spelled if len(spelled) <= _LONGEST_SHOWN else f"...{spelled[-_LONGEST_SHOWN:]}"

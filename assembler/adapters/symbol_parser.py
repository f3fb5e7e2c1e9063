"""Takes one source file apart with tree-sitter; runs in the process of `symbol_worker`.

A parse is bounded by steps, not by time: the same bytes are taken apart, or not, on every
machine.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple

from tree_sitter import Language as Grammar
from tree_sitter import Parser

from assembler.adapters import (
    symbols_go,
    symbols_java,
    symbols_python,
    symbols_rust,
    symbols_script,
)
from assembler.adapters.symbol_walk import read_outline
from assembler.model.symbols import Outline, Unparsed

if TYPE_CHECKING:
    from tree_sitter import Tree

    from assembler.adapters.symbol_nodes import Table

_STEPS_AT_LEAST: Final = 2_000
_BYTES_A_STEP: Final = 10
"""The parser tells of itself once in 35 to 200 bytes of real code, minified code included."""
_STEPS_OF_ERROR: Final = 40
"""A step of error recovery takes up to this many times as long as another (measured)."""
_BYTES_A_STEP_IN_PLACE: Final = 50
"""A parse that gets no further for longer is lost in the readings of one place; that of real code
ends with steps that put the tree in balance, one in 100 to 500 bytes."""
_CHUNK_BYTES: Final = 64 * 1024


class _Language(NamedTuple):
    """Where a grammar comes from, and how its trees are read."""

    package: str
    function: str
    table: Table


_LANGUAGES: Final = {
    "Go": _Language("tree_sitter_go", "language", symbols_go.TABLE),
    "Java": _Language("tree_sitter_java", "language", symbols_java.TABLE),
    "JavaScript": _Language("tree_sitter_javascript", "language", symbols_script.TABLE),
    "Python": _Language("tree_sitter_python", "language", symbols_python.TABLE),
    "Rust": _Language("tree_sitter_rust", "language", symbols_rust.TABLE),
    "TSX": _Language("tree_sitter_typescript", "language_tsx", symbols_script.TABLE),
    "TypeScript": _Language("tree_sitter_typescript", "language_typescript", symbols_script.TABLE),
}


def parse_source(language: str, data: bytes) -> Outline | Unparsed:
    """What a file defines, imports and names, or why that can't be told."""
    known = _LANGUAGES[language]
    tree = _parse(known, data)
    if tree is None:
        return Unparsed(f"too much of it is no {language}")
    return read_outline(tree, data, known.table, language)


def _parse(language: _Language, data: bytes) -> Tree | None:
    """The tree of a file, or None where its parse takes more steps than real code does."""
    parser = Parser(Grammar(getattr(import_module(language.package), language.function)()))
    try:
        return parser.parse(
            lambda offset, _: data[offset : offset + _CHUNK_BYTES],
            progress_callback=_step_limit(len(data)),
        )
    except ValueError:
        return None


def _step_limit(size_bytes: int) -> Callable[[int, bool], bool]:
    left = _STEPS_AT_LEAST + size_bytes // _BYTES_A_STEP
    most_in_place = _STEPS_AT_LEAST + size_bytes // _BYTES_A_STEP_IN_PLACE
    furthest, in_place = -1, 0

    def is_over(offset: int, is_in_error: bool) -> bool:
        nonlocal left, furthest, in_place
        left -= _STEPS_OF_ERROR if is_in_error else 1
        in_place = 0 if offset > furthest else in_place + 1
        furthest = max(furthest, offset)
        return left < 0 or in_place > most_in_place

    return is_over

"""TOML as Codex reads it: version 1.1, with the place of each value.

Python's own reader takes version 1.0 and tells other places for errors. Like Codex this one works
in two passes: the form of the whole text first, then keys and values in order; the first thing
wrong ends it. Measured on Codex 0.171.0 with random texts.
"""

from __future__ import annotations

from typing import Any

from assembler.config.codex_scalars import TomlError, decode_key, decode_scalar
from assembler.config.codex_toml_form import Statement, Token, Value, read_form


class Table(dict[str, Any]):
    """A table, with the offset at which each value starts."""

    __slots__ = ("dotted", "implicit", "inline", "starts")

    def __init__(
        self, *, implicit: bool = False, dotted: bool = False, inline: bool = False
    ) -> None:
        super().__init__()
        self.implicit = implicit
        self.dotted = dotted
        self.inline = inline
        self.starts: dict[str, int] = {}


class Array(list[Any]):
    """An array, with the offset at which each element starts."""

    __slots__ = ("of_tables", "starts")

    def __init__(self, *, of_tables: bool = False) -> None:
        super().__init__()
        self.of_tables = of_tables
        self.starts: list[int] = []


def read_toml(text: str) -> Table:
    """The values of a text.

    Raises:
        TomlError: with the offset (in characters) that Codex names.
    """
    return _Building(text).build(read_form(text))


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """The place as Codex tells it, both from 1.

    The end of the text belongs to the line before its last line break. A column counts
    characters, and bytes where the place itself holds a character outside ASCII.
    """
    if not text:
        return 1, 1
    at = min(offset, len(text) - 1)
    line_start = text.rfind("\n", 0, at) + 1
    before = text[line_start:at]
    inside_ascii = offset >= len(text) or text[at] < "\x80"
    column = len(before) if inside_ascii else len(before.encode())
    return text.count("\n", 0, line_start) + 1, column + offset - at + 1


class _Building:
    """The second pass: keys and values are decoded and put where they belong, in order."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.root = Table()
        self.current = self.root
        self.open: tuple[Statement, tuple[str, ...]] | None = None

    def build(self, statements: list[Statement]) -> Table:
        for statement in statements:
            if statement.value is not None:
                keys = self.decode_keys(statement.keys)
                value = self.decode(statement.value)
                self.put(self.current, statement.keys, keys, value, statement.value.token.start)
                continue
            self.finish()
            keys = self.decode_keys(statement.keys)
            self.open_table(statement, keys)
        self.finish()
        return self.root

    def decode_keys(self, tokens: tuple[Token, ...]) -> tuple[str, ...]:
        return tuple(decode_key(self.text, *token) for token in tokens)

    def decode(self, value: Value) -> Any:
        if value.token.kind == "[":
            array = Array()
            for item in value.items:
                array.append(self.decode(item))
                array.starts.append(item.token.start)
            return array
        if value.token.kind == "{":
            table = Table(inline=True)
            for tokens, inner in value.pairs:
                keys = self.decode_keys(tokens)
                if inner is None:
                    raise TomlError(value.end, "a key has no value")
                self.put(table, tokens, keys, self.decode(inner), inner.token.start)
            return table
        return decode_scalar(self.text, *value.token)

    def put(
        self, table: Table, tokens: tuple[Token, ...], keys: tuple[str, ...], value: Any, start: int
    ) -> None:
        dotted = len(keys) > 1
        parent = self.descend(table, tokens, keys, dotted=dotted)
        # A dotted key may add to what dotted keys made and to nothing else; inside an inline
        # table also the other way round.
        closed = dotted and not parent.implicit
        if table.inline:
            closed = parent.dotted != dotted
        if closed or keys[-1] in parent:
            raise TomlError(tokens[-1].start, "a key stands there twice")
        parent[keys[-1]] = value
        parent.starts[keys[-1]] = start

    def descend(
        self, table: Table, tokens: tuple[Token, ...], keys: tuple[str, ...], *, dotted: bool
    ) -> Table:
        inline = table.inline
        for token, key in zip(tokens[:-1], keys[:-1], strict=True):
            inner = table.get(key)
            if isinstance(inner, Array) and inner.of_tables and not inline:
                inner = inner[-1]
            if inner is None:
                inner = Table(implicit=True, dotted=dotted, inline=inline)
                table[key] = inner
                table.starts[key] = token.start
            elif not isinstance(inner, Table) or (inner.inline and not inline):
                raise TomlError(token.start, "a value is no table and can't be extended")
            elif dotted and not inner.implicit:
                raise TomlError(token.start, "a key stands there twice")
            table = inner
        return table

    def open_table(self, statement: Statement, keys: tuple[str, ...]) -> None:
        self.current = Table()
        self.open = (statement, keys)
        if statement.of_tables:
            return
        parent = self.descend(self.root, statement.keys, keys, dotted=False)
        if keys[-1] not in parent:
            return
        before = parent.pop(keys[-1])
        if not isinstance(before, Table) or not before.implicit or before.dotted:
            raise TomlError(statement.keys[-1].start, "a table stands there twice")
        before.implicit = False
        self.current = before

    def finish(self) -> None:
        """Put the table behind the last header in its place."""
        if self.open is None:
            return
        statement, keys = self.open
        self.open = None
        parent = self.descend(self.root, statement.keys, keys, dotted=False)
        key = keys[-1]
        if not statement.of_tables:
            parent[key] = self.current
            parent.starts[key] = statement.start
            return
        array = parent.get(key)
        if array is None:
            array = parent[key] = Array(of_tables=True)
            parent.starts[key] = statement.start
        if not isinstance(array, Array) or not array.of_tables:
            raise TomlError(statement.keys[-1].start, "a table stands there twice")
        array.append(self.current)
        array.starts.append(statement.start)

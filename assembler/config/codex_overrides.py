"""Codex's `-c KEY=VALUE` on the command line, as one more table.

In: the arguments, in order. Out: the table that they make together.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from assembler.config.codex_scalars import TomlError
from assembler.config.codex_toml import Table, read_toml
from assembler.errors import ConfigError
from assembler.model.chain import WHITE_SPACE


def read_overrides(arguments: Iterable[str]) -> Table:
    """The settings of a command line.

    The key ends at the first `=` and is cut at every dot, quotes or not, so that a path with a
    dot in it can only stand in an inline table. The value is one TOML value with what may stand
    behind it; what is none is text, without white space and quotes at its ends. A later argument
    wins: it replaces the whole value under its key, a table too, and turns a plain value on its
    way into a table.

    Raises:
        ConfigError: `agent-config`, for an argument without `=` or without a key.
    """
    root = Table(implicit=True)
    # Codex reads all arguments before it applies one of them.
    for key, value in [_read(argument) for argument in arguments]:
        *parents, last = key.split(".")
        table = root
        for part in parents:
            inner = table.get(part)
            if not isinstance(inner, Table):
                inner = table[part] = Table(implicit=True)
            table = inner
        table[last] = value
    return root


def _read(argument: str) -> tuple[str, Any]:
    key, equals, value = argument.partition("=")
    key = key.strip(WHITE_SPACE)
    if not equals:
        _refuse("has no `=`")
    if not key:
        _refuse("has no key before its `=`")
    value = value.strip(WHITE_SPACE)
    try:
        return key, read_toml(f"_x_ = {value}")["_x_"]
    except TomlError:
        return key, value.strip("\"'")


def _refuse(problem: str) -> NoReturn:
    raise ConfigError(
        "agent-config",
        f"a setting of the command line {problem}",
        where="-c",
        next_step="write it as KEY=VALUE",
    )

"""Read strict JSON (RFC 8785's numbers, no key twice) into plain values that know their lines.

In: bytes, limits. Out: a `Document`, or `ConfigError` with a code and `LINE:COLUMN`.
Never here: the text in a message.
"""

from __future__ import annotations

import json
import re
from typing import Final

from assembler.adapters.yaml_events import (
    DEFAULT_LIMIT_BYTES,
    DEFAULT_MAX_DEPTH,
    decode_text,
)
from assembler.errors import ConfigError
from assembler.model.canonical import Numbers, StrictJsonError, read_strict
from assembler.model.document import Document, DocumentPath, Position, Value

_JSON_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+')


def read_json(
    data: bytes,
    *,
    limit_bytes: int = DEFAULT_LIMIT_BYTES,
    max_depth: int = DEFAULT_MAX_DEPTH,
    numbers: Numbers = Numbers.INTEGERS,
) -> Document:
    """Read strict JSON (RFC 8785's numbers, no key twice, no byte order mark) with positions.

    Raises:
        ConfigError: `size-limit`, `not-utf8`, `json-invalid`; `where` is `LINE:COLUMN`.
    """
    value = read_json_value(data, limit_bytes=limit_bytes, max_depth=max_depth, numbers=numbers)
    return Document(value, _json_positions(decode_text(data, limit_bytes)))


def read_json_value(
    data: bytes,
    *,
    limit_bytes: int = DEFAULT_LIMIT_BYTES,
    max_depth: int = DEFAULT_MAX_DEPTH,
    numbers: Numbers = Numbers.INTEGERS,
) -> Value:
    """The value alone: the positions of a big document are many times its size.

    Raises:
        ConfigError: as `read_json`.
    """
    decode_text(data, limit_bytes)
    failure: ConfigError | None = None
    value: Value = None
    try:
        value = read_strict(data, numbers=numbers, max_depth=max_depth)
    except StrictJsonError as error:
        place = f"{error.line or 1}:{error.column or 1}"
        failure = ConfigError("json-invalid", f"not strict JSON: {error.problem}", where=place)
    # Outside the handler, so that no context keeps the text alive.
    if failure is not None:
        raise failure
    return value


def _json_positions(text: str) -> dict[DocumentPath, Position]:
    """Where each part stands; the text is known to be valid JSON."""
    positions: dict[DocumentPath, Position] = {}
    path: list[str | int] = []
    wants_key: list[bool] = []
    line, line_start, seen = 1, 0, 0
    for token in _JSON_TOKEN.finditer(text):
        start = token.start()
        breaks = text.count("\n", seen, start)
        if breaks:
            line, line_start = line + breaks, text.rfind("\n", seen, start) + 1
        seen = start
        mark = token.group()
        if mark == ",":
            last = path[-1]
            wants_key[-1] = isinstance(last, str)
            path[-1] = last + 1 if isinstance(last, int) else last
            continue
        if mark in "]}":
            path.pop()
            wants_key.pop()
            continue
        if mark == ":":
            continue
        if wants_key and wants_key[-1]:
            path[-1] = json.loads(mark)
            wants_key[-1] = False
            positions[tuple(path)] = (line, start - line_start + 1)
            continue
        if not path or isinstance(path[-1], int):
            positions[tuple(path)] = (line, start - line_start + 1)
        if mark in "[{":
            path.append("" if mark == "{" else 0)
            wants_key.append(mark == "{")
    return positions

"""Canonical JSON (RFC 8785) and the strict reader that belongs to it.

In: Python values, or bytes. Out: the one byte form of a value, or the value of strict bytes.
Never here: files, guesses. What the reader refuses is listed in docs/formats/conventions.md.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from enum import Enum
from typing import Any, Final

MAX_SAFE_INTEGER: Final = 2**53 - 1
"""Largest integer that every JSON reader keeps exactly (RFC 8785 section 3.2.2.3)."""

MAX_DEPTH: Final = 64
"""Containers inside one another, the top value counted as 1."""

MAX_TOOL_DEPTH: Final = 60
"""The same for the content of a tool item, which must still fit inside a request body."""


_STRING_OR_BRACKET: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
"""A whole string, also one without an end, or a bracket outside of strings; nothing is tried
twice, so time grows with the text alone."""


class StrictJsonError(ValueError):
    """Bytes that the strict reader refuses; never carries the bytes themselves."""

    def __init__(self, problem: str, *, line: int | None = None, column: int | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line
        self.column = column


def canonical_text(value: object) -> str:
    """The RFC 8785 form of a value, as text.

    Raises:
        ValueError: a number that is not finite, or not exact below 2^53.
        TypeError: a value that JSON does not have, or a key that is not text.
    """
    if _is_plain(value):
        return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return _write(value)


def canonical_bytes(value: object) -> bytes:
    """The RFC 8785 form of a value, as UTF-8.

    Raises:
        ValueError: as `canonical_text`; a lone surrogate raises its subclass UnicodeEncodeError.
    """
    return canonical_text(value).encode("utf-8")


def canonical_line(value: object) -> bytes:
    """One line of a package file: the canonical form and a line feed."""
    return canonical_bytes(value) + b"\n"


class Numbers(Enum):
    """Which numbers a document may hold."""

    INTEGERS = "integers"
    """Exact integers only: the files of a package."""
    FINITE = "finite"
    """Any finite number, as the content of a tool item."""
    EXACT = "exact"
    """Any finite number, but an integer must be exact: what a server lists."""


def canonical_record(value: object) -> bytes:
    """The canonical line of a record of our own: ASCII keys, text, and integers in range.

    The same bytes as `canonical_line`, without a walk that asks for what such a record cannot
    hold; every number in it was checked when it came in.
    """
    text = json.dumps(
        value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )
    return text.encode("utf-8") + b"\n"


def read_strict(
    data: bytes, *, numbers: Numbers = Numbers.INTEGERS, max_depth: int = MAX_DEPTH
) -> Any:
    """Read JSON and refuse whatever two readers could understand differently.

    Args:
        data: the bytes as they were stored.
        numbers: which numbers are admitted.
        max_depth: containers inside one another.

    Raises:
        StrictJsonError: not UTF-8, a BOM, a duplicate key, an excluded number, a lone
            surrogate, too deep, or not JSON at all.
    """
    if data.startswith(b"\xef\xbb\xbf"):
        raise StrictJsonError("starts with a byte order mark", line=1, column=1)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = _place(data[: error.start].decode("utf-8"), None)
        raise StrictJsonError("not UTF-8", line=line, column=column) from None
    _refuse_depth(text, max_depth)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_read_object,
            parse_int=_INTEGER_READERS[numbers],
            parse_float=_refuse_fraction if numbers is Numbers.INTEGERS else _read_number,
            parse_constant=_refuse_constant,
        )
    except json.JSONDecodeError as error:
        line, column = _place(text, error.pos)
        raise StrictJsonError("not JSON", line=line, column=column) from None
    if "\\u" in text:
        _refuse_surrogates(value)
    return value


def _is_plain(value: object) -> bool:
    """Whether json.dumps gives RFC 8785 as it is: safe integers, and keys inside the BMP.

    Below U+D800 the orders by code point and by UTF-16 unit agree, so sort_keys is right.
    """
    pending = [value]
    while pending:
        item = pending.pop()
        if item is None or isinstance(item, str | bool):
            continue
        if isinstance(item, int):
            if abs(item) > MAX_SAFE_INTEGER:
                raise ValueError("integer beyond 2^53 - 1")
        elif isinstance(item, dict):
            for key in item:
                if not isinstance(key, str):
                    raise TypeError("a JSON key is text")
                if not key.isascii():
                    return False
            pending.extend(item.values())
        elif isinstance(item, list | tuple):
            pending.extend(item)
        else:
            return False
    return True


def _write(value: object) -> str:
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int):
        if abs(value) > MAX_SAFE_INTEGER:
            raise ValueError("integer beyond 2^53 - 1")
        return str(value)
    if isinstance(value, float):
        return format_number(value)
    if isinstance(value, Mapping):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        members = (
            f"{json.dumps(name, ensure_ascii=False)}:{_write(value[name])}" for name in names
        )
        return "{" + ",".join(members) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(_write(item) for item in value) + "]"
    raise TypeError(f"not a JSON value: {type(value).__name__}")


def format_number(number: float) -> str:
    """A finite number as ECMAScript writes it (RFC 8785 section 3.2.2.3).

    Raises:
        ValueError: NaN or an infinity.
    """
    if not math.isfinite(number):
        raise ValueError("not a finite number")
    if number == 0:
        return "0"
    sign = "-" if number < 0 else ""
    digits, exponent = _shortest_digits(abs(number))
    point = exponent + 1  # where the decimal point stands, counted from the first digit
    if 0 < point <= 21:
        whole = digits[:point].ljust(point, "0")
        rest = digits[point:]
        return sign + whole + (f".{rest}" if rest else "")
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    tail = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{tail}e{'+' if exponent >= 0 else '-'}{abs(exponent)}"


def _shortest_digits(number: float) -> tuple[str, int]:
    """Python's repr holds the shortest digits that round trip, as ECMAScript asks."""
    mantissa, _, exponent_text = repr(number).partition("e")
    whole, _, fraction = mantissa.partition(".")
    shift = int(exponent_text) if exponent_text else 0
    digits = whole + ("" if fraction == "0" else fraction)
    exponent = len(whole) - 1 + shift
    stripped = digits.lstrip("0")
    exponent -= len(digits) - len(stripped)
    return stripped.rstrip("0"), exponent


def _read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise StrictJsonError("a key stands twice in one object")
    return members


def _read_integer(text: str) -> int:
    if text == "-0":
        raise StrictJsonError("-0 is not an integer here")
    if len(text) > 17 or abs(int(text)) > MAX_SAFE_INTEGER:
        raise StrictJsonError("an integer beyond 2^53 - 1")
    return int(text)


def _read_exact(text: str) -> int:
    return 0 if text == "-0" else _read_integer(text)


def _read_finite(text: str) -> float | int:
    """An integer beyond 2^53 is the double that ECMAScript would make of it."""
    exact = len(text) <= 17 and abs(int(text)) <= MAX_SAFE_INTEGER
    return int(text) if exact else _read_number(text)


def _read_number(text: str) -> float | int:
    number = float(text)
    if not math.isfinite(number):
        raise StrictJsonError("a number too large")
    return number


_INTEGER_READERS: Final = {
    Numbers.INTEGERS: _read_integer,
    Numbers.FINITE: _read_finite,
    Numbers.EXACT: _read_exact,
}


def _refuse_fraction(text: str) -> float:
    raise StrictJsonError("a number with a fraction or an exponent")


def _refuse_constant(text: str) -> float:
    raise StrictJsonError("NaN or Infinity")


def _refuse_depth(text: str, max_depth: int) -> None:
    """Json.loads recurses, so the depth is counted before it is called."""
    if text.count("[") + text.count("{") <= max_depth:
        return
    depth = 0
    for token in _STRING_OR_BRACKET.finditer(text):
        mark = token.group()
        if mark in ("[", "{"):
            depth += 1
            if depth > max_depth:
                raise StrictJsonError(f"deeper than {max_depth} levels")
        elif mark in ("]", "}"):
            depth -= 1


def _refuse_surrogates(value: object) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise StrictJsonError("a lone surrogate") from None


def _place(text: str, position: int | None) -> tuple[int, int]:
    head = text if position is None else text[:position]
    return head.count("\n") + 1, len(head) - head.rfind("\n")

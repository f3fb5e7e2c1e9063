"""Read and write the JSON of a package: strict in, canonical (RFC 8785) out.

In: bytes of unknown origin. Out: plain values, or `UnreadableError` with a place and no content.
Rules: FORMATS 1.3 to 1.6. Nothing here knows what the values mean.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import NoReturn, TypeAlias

JsonValue: TypeAlias = bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"] | None
JsonObject: TypeAlias = dict[str, JsonValue]

MAX_DEPTH = 64
"""Nested arrays and objects; the top value is depth 1 (FORMATS 1.5)."""

INTEGER_BOUND = 2**53
"""Integers lie strictly between its negative and itself (FORMATS 1.3)."""

_BOM = b"\xef\xbb\xbf"
_MAX_NUMBER_CHARACTERS = 800
"""No canonical double is longer; a longer literal is refused before it is converted."""

_encode_string: Callable[[str], str] = json.encoder.encode_basestring


_NOT_UTF8 = "not UTF-8"
_NOT_JSON = "not JSON"
_HAS_BOM = "a byte order mark"
_TOO_DEEP = "too deep"
_KEY_TWICE = "a key twice in one object"
_NOT_FINITE = "a number that is not finite"
_NOT_INTEGER = "a number with a fraction or an exponent"
_OUT_OF_RANGE = "a number out of range"
_LONE_SURROGATE = "a lone surrogate"


class UnreadableError(ValueError):
    """Bytes that are not strict JSON.

    Attributes:
        why: what is wrong and where, in words of this package; never a part of the bytes.
    """

    def __init__(self, what: str, at_byte: int | None = None) -> None:
        """Keep the reason."""
        self.why = what if at_byte is None else f"{what} at byte {at_byte}"
        super().__init__(self.why)


def read_integers(data: bytes) -> JsonValue:
    """Parse strict JSON whose numbers are integers below 2^53 in size.

    Raises:
        UnreadableError: the bytes are anything else.
    """
    return _read(data, _parse_integer, _refuse_fraction, MAX_DEPTH)


def read_numbers(data: bytes, *, max_depth: int = MAX_DEPTH) -> JsonValue:
    """Parse strict JSON that may hold any finite number, as tool content may.

    Raises:
        UnreadableError: the bytes are anything else.
    """
    return _read(data, _parse_number, _parse_number, max_depth)


def canonical(value: JsonValue) -> bytes:
    """Write a value as RFC 8785 says, with nothing after it.

    The value has to come from this module or from strings that UTF-8 can hold.
    """
    parts: list[str] = []
    _write(value, parts)
    return "".join(parts).encode()


def canonical_string(text: str) -> str:
    """Write one string with its quotes as RFC 8785 says."""
    return _encode_string(text)


def same(one: JsonValue, other: JsonValue) -> bool:
    """Whether two values are one JSON value; unlike `==`, true is not 1."""
    if isinstance(one, dict):
        return (
            isinstance(other, dict)
            and one.keys() == other.keys()
            and all(same(value, other[name]) for name, value in one.items())
        )
    if isinstance(one, list):
        return (
            isinstance(other, list)
            and len(one) == len(other)
            and all(same(*pair) for pair in zip(one, other, strict=True))
        )
    return type(one) is type(other) and one == other


def _read(
    data: bytes,
    parse_int: Callable[[str], int | float],
    parse_float: Callable[[str], int | float],
    max_depth: int,
) -> JsonValue:
    if data.startswith(_BOM):
        raise UnreadableError(_HAS_BOM)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise UnreadableError(_NOT_UTF8, error.start) from None
    try:
        value: JsonValue = json.loads(
            text,
            object_pairs_hook=_object_without_repeats,
            parse_int=parse_int,
            parse_float=parse_float,
            parse_constant=_refuse_constant,
        )
    except json.JSONDecodeError as error:
        raise UnreadableError(_NOT_JSON, len(text[: error.pos].encode())) from None
    except RecursionError:
        raise UnreadableError(_TOO_DEEP) from None
    _check_values(value, max_depth)
    return value


def _object_without_repeats(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise UnreadableError(_KEY_TWICE)
    return members


def _refuse_constant(_literal: str) -> NoReturn:
    raise UnreadableError(_NOT_FINITE)


def _refuse_fraction(_literal: str) -> NoReturn:
    raise UnreadableError(_NOT_INTEGER)


def _parse_integer(literal: str) -> int:
    # The length is looked at first, because a literal of a million digits is slow to convert.
    if literal == "-0" or len(literal) > len(str(-INTEGER_BOUND)):
        raise UnreadableError(_OUT_OF_RANGE)
    number = int(literal)
    if abs(number) >= INTEGER_BOUND:
        raise UnreadableError(_OUT_OF_RANGE)
    return number


def _parse_number(literal: str) -> int | float:
    if len(literal) > _MAX_NUMBER_CHARACTERS:
        raise UnreadableError(_OUT_OF_RANGE)
    number = float(literal)
    if not math.isfinite(number):
        raise UnreadableError(_OUT_OF_RANGE)
    if number.is_integer() and abs(number) < INTEGER_BOUND:
        return int(number)
    return number


def _check_values(value: JsonValue, max_depth: int) -> None:
    level: list[JsonValue] = [value]
    for _ in range(max_depth + 1):
        containers = [item for item in level if isinstance(item, (list, dict))]
        for item in level:
            _check_text(item)
        if not containers:
            return
        level = [child for container in containers for child in _children(container)]
    raise UnreadableError(_TOO_DEEP)


def _children(container: JsonValue) -> Iterator[JsonValue]:
    if isinstance(container, dict):
        yield from container
        yield from container.values()
    elif isinstance(container, list):
        yield from container


def _check_text(value: JsonValue) -> None:
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise UnreadableError(_LONE_SURROGATE) from None


def _write(value: JsonValue, parts: list[str]) -> None:
    match value:
        case None:
            parts.append("null")
        case bool():
            parts.append("true" if value else "false")
        case str():
            parts.append(_encode_string(value))
        case int() | float():
            parts.append(_number_text(value))
        case list():
            _write_list(value, parts)
        case dict():
            _write_object(value, parts)


def _write_list(items: list[JsonValue], parts: list[str]) -> None:
    separator = "["
    for item in items:
        parts.append(separator)
        _write(item, parts)
        separator = ","
    parts.append("]" if items else "[]")


def _write_object(members: JsonObject, parts: list[str]) -> None:
    separator = "{"
    # The two orders differ only where a name goes beyond ASCII, and few do.
    names = sorted(members) if "".join(members).isascii() else sorted(members, key=_utf16_order)
    for name in names:
        parts.append(separator)
        parts.append(_encode_string(name))
        parts.append(":")
        _write(members[name], parts)
        separator = ","
    parts.append("}" if members else "{}")


def _utf16_order(name: str) -> bytes:
    return name.encode("utf-16-be")


def _number_text(number: float) -> str:
    if isinstance(number, int):
        return str(number)
    if number == 0:
        return "0"
    sign = "-" if number < 0 else ""
    # Python and ECMAScript agree on the shortest digits and differ in their layout only.
    mantissa, _, exponent = f"{abs(number)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    leading = len(whole + fraction) - len(digits)
    point = len(whole) - leading + int(exponent or "0")
    return sign + _place_point(digits.rstrip("0"), point)


def _place_point(digits: str, point: int) -> str:
    # ECMAScript Number::toString, with k digits and the point after digit n.
    most_places, least_point = 21, -6
    if len(digits) <= point <= most_places:
        return digits.ljust(point, "0")
    if 0 < point <= most_places:
        return f"{digits[:point]}.{digits[point:]}"
    if least_point < point <= 0:
        return f"0.{'0' * -point}{digits}"
    exponent = point - 1
    mantissa = digits if len(digits) == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{mantissa}e{'+' if exponent > 0 else '-'}{abs(exponent)}"

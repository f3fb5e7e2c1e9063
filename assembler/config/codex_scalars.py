"""Keys, strings, numbers and dates of a TOML 1.1 text, decoded, with the place of what is wrong.

In: the text and where a piece of it stands. Out: Python's `str`, `bool`, `int`, `float`, or
`TomlTime`. The places are those that Codex names.
"""

from __future__ import annotations

from typing import Final, NoReturn

_BARE: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
_DIGITS: Final = frozenset("0123456789")
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_RADIXES: Final = {
    "x": (16, _HEX),
    "o": (8, frozenset("01234567")),
    "b": (2, frozenset("01")),
    "d": (10, _DIGITS),
}
_ESCAPES: Final = {
    "b": "\b",
    "e": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "\\": "\\",
    '"': '"',
}
_HEX_ESCAPES: Final = {"x": 2, "u": 4, "U": 8}
_MAX_INTEGER: Final = 2**63 - 1
_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class TomlError(ValueError):
    """A text that is no TOML, the offset in characters, and why."""

    def __init__(self, offset: int, problem: str) -> None:
        super().__init__(problem)
        self.offset = offset
        self.problem = problem


class TomlTime(str):
    """A date, a time, or both, as it was written; no setting of Codex is one."""

    __slots__ = ()


def decode_key(text: str, kind: str, start: int, end: int) -> str:
    """One part of a key.

    Raises:
        TomlError: empty, or with a character that only a quoted key may have.
    """
    if kind in {"'", '"'}:
        return _decode_string(text, kind, start, end)
    if kind != "a":
        raise TomlError(start, "a key can't stand in three quotes")
    if start == end:
        raise TomlError(start, "a key is empty")
    for place in range(start, end):
        if text[place] not in _BARE:
            raise TomlError(place, "a key without quotes holds more than letters, digits, - and _")
    return text[start:end]


def decode_scalar(text: str, kind: str, start: int, end: int) -> str | bool | int | float:
    """One value that is neither an array nor a table.

    Raises:
        TomlError: no value of any kind, or one out of range.
    """
    if kind != "a":
        return _decode_string(text, kind, start, end)
    raw = text[start:end]
    body = raw.lstrip("+-")
    signs = len(raw) - len(body)
    if signs and not body:
        _no_value(start + (0 if signs == 1 else 1))
    if signs > 1 and " " in raw:
        _no_value(start)
    if signs > 1:
        raise TomlError(start + 1, "a number has one sign at most")
    first = body[:1].lower()
    if first in {"i", "n"}:
        word = "inf" if first == "i" else "nan"
        if body == word:
            return float(raw)
        if signs:
            raise TomlError(start + signs, "no number")
        _no_value(start)
    if not signs and first in {"t", "f"}:
        if raw in {"true", "false"}:
            return raw == "true"
        _no_value(start)
    if first == "0" and len(body) > 1 and body[1].lower() in _RADIXES:
        return _decode_radix(raw, body, start)
    if first == ".":
        # The sign is taken for a missing digit, as Codex does.
        _check_float(raw, raw, start)
        return _decode_number(raw, raw, start, is_float=True)
    if first not in _DIGITS and first != "_":
        _no_value(start)
    return _decode_decimal(raw, body, start)


def _no_value(at: int) -> NoReturn:
    raise TomlError(at, "no value: text must stand in quotes")


def _decode_decimal(raw: str, body: str, start: int) -> str | int | float:
    behind = body.lstrip("0123456789")
    sign = start + len(raw) - len(body)
    if not behind or (behind[0] == "_" and not _is_float(behind) and " " not in behind):
        if body[0] == "0" and len(body) > 1:
            raise TomlError(sign, "a number can't begin with 0")
        return _decode_number(raw, raw, start, is_float=False)
    if behind[0] in "-:":
        if not _is_time(raw):
            raise TomlError(start, "no date and no time")
        return TomlTime(raw)
    if " " in behind or not _is_float(behind):
        _no_value(start)
    _check_float(body, raw, start)
    return _decode_number(raw, raw, start, is_float=True)


def _is_float(text: str) -> bool:
    return "." in text or "e" in text or "E" in text


def _check_float(body: str, raw: str, start: int) -> None:
    """Mantissa, fraction and exponent have digits, and nothing stands behind them."""
    rest = _skip_digits(body, raw, start, "before the point", leading_zero=False)
    if rest.startswith("."):
        rest = _skip_digits(rest[1:], raw, start, "behind the point", leading_zero=True)
    if rest[:1] in {"e", "E"}:
        rest = rest[1:]
        rest = rest[1:] if rest[:1] in {"+", "-"} else rest
        rest = _skip_digits(rest, raw, start, "in the exponent", leading_zero=True)
    if rest:
        raise TomlError(start + len(raw) - len(rest), "something stands behind a number")


def _skip_digits(body: str, raw: str, start: int, where: str, *, leading_zero: bool) -> str:
    rest = body.lstrip("0123456789_")
    at = start + len(raw) - len(body)
    digits = len(body[: len(body) - len(rest)].replace("_", ""))
    if digits == 0:
        raise TomlError(at, f"no digit {where}")
    if digits > 1 and body[0] == "0" and not leading_zero:
        raise TomlError(at, "a number can't begin with 0")
    return rest


def _decode_radix(raw: str, body: str, start: int) -> int | float:
    sign = len(raw) - len(body)
    letter = body[1]
    radix, digits = _RADIXES[letter.lower()]
    if " " in raw:
        _no_value(start)
    if sign:
        raise TomlError(start, "a number with a base has no sign")
    if letter in {"d", "D"}:
        raise TomlError(start, "0d is no base")
    if letter.isupper():
        raise TomlError(start + sign, "the letter of a base is small")
    value = body[2:]
    if value[:1] in {"+", "-"}:
        raise TomlError(start + min(raw.find(s) for s in "+-" if s in raw), "a sign stands wrong")
    for place, digit in enumerate(value, sign + 2):
        if digit not in digits and digit != "_":
            raise TomlError(start + place, "no digit of this base")
    return _decode_number(raw, value, start, is_float=False, radix=radix)


def _decode_number(
    raw: str, stream: str, start: int, *, is_float: bool, radix: int = 10
) -> int | float:
    if "_" in stream:
        _check_underscores(raw, stream, start, _DIGITS if is_float else _HEX)
    bare = stream.replace("_", "")
    try:
        number = float(bare) if is_float else int(bare, radix)
    except ValueError:
        raise TomlError(start, "no number") from None
    too_large = number in {float("inf"), float("-inf")} if is_float else number > _MAX_INTEGER
    if too_large or (not is_float and number < -_MAX_INTEGER - 1):
        raise TomlError(start, "a number is too large")
    return number


def _check_underscores(raw: str, stream: str, start: int, digits: frozenset[str]) -> None:
    offset = start + len(raw) - len(stream)
    for place, sign in enumerate(stream):
        beside = {stream[max(place - 1, 0)], stream[place + 1 : place + 2]}
        if sign == "_" and not beside <= digits:
            raise TomlError(offset + place, "_ may stand between digits only")


def _decode_string(text: str, quote: str, start: int, end: int) -> str:
    mark = quote[0]
    width = len(quote)
    begin = start + width
    if width == 3:
        if text.startswith("\r\n", begin) and begin < end:
            begin += 2
        elif text.startswith("\n", begin) and begin < end:
            begin += 1
    stop = end - width
    if stop < begin or text[stop:end] != quote:
        raise TomlError(end, "a string is not closed")
    if mark == "'":
        _check_signs(text, begin, stop, lines=width == 3)
        return text[begin:stop]
    return _decode_escapes(text, begin, stop, lines=width == 3)


def _check_signs(text: str, begin: int, stop: int, *, lines: bool) -> None:
    for place in range(begin, stop):
        sign = text[place]
        if sign == "\r" and lines:
            if place + 1 >= stop or text[place + 1] != "\n":
                raise TomlError(place + 1, "a carriage return has no line feed after it")
        elif (sign < " " and sign != "\t" and not (lines and sign == "\n")) or sign == "\x7f":
            raise TomlError(place, "a control character stands in a string")


def _decode_escapes(text: str, begin: int, stop: int, *, lines: bool) -> str:
    parts: list[str] = []
    place = begin
    while place < stop:
        slash = text.find("\\", place, stop)
        plain = stop if slash < 0 else slash
        _check_signs(text, place, plain, lines=lines)
        parts.append(text[place:plain])
        if slash < 0:
            break
        decoded, place = _decode_escape(text, slash + 1, stop, lines=lines)
        parts.append(decoded)
    return "".join(parts)


def _decode_escape(text: str, at: int, stop: int, *, lines: bool) -> tuple[str, int]:
    sign = text[at] if at < stop else ""
    if sign in _ESCAPES:
        return _ESCAPES[sign], at + 1
    if sign in _HEX_ESCAPES:
        width = _HEX_ESCAPES[sign]
        end = at + 1
        while end < min(stop, at + 1 + width) and text[end] in _HEX:
            end += 1
        if end - at - 1 < width:
            raise TomlError(end, "an escape has too few digits")
        number = int(text[at + 1 : end], 16)
        if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
            raise TomlError(at + 1, "an escape is no character")
        return chr(number), end
    if lines and sign and sign in " \t\r\n":
        return "", _skip_line_end(text, at, stop)
    raise TomlError(at, "an escape is unknown")


def _skip_line_end(text: str, at: int, stop: int) -> int:
    """Past a backslash at a line's end: the line break and all white space behind it."""
    while at < stop and text[at] in " \t":
        at += 1
    if at >= stop or text[at] not in "\r\n":
        raise TomlError(at, "white space stands behind a backslash")
    while at < stop and text[at] in " \t\r\n":
        if text[at] == "\r" and text[at + 1 : at + 2] != "\n":
            raise TomlError(at + 1, "a carriage return has no line feed after it")
        at += 1
    return at


def _is_time(raw: str) -> bool:
    """Whether a word is a date, a time, or a date and a time with or without an offset."""
    if raw[2:3] == ":":
        return _is_clock(raw)
    date, clock = raw[:10], raw[10:]
    if not _is_date(date):
        return False
    if not clock:
        return True
    if clock[0] not in "Tt ":
        return False
    clock = clock[1:]
    if clock[-1:] in {"Z", "z"}:
        return _is_clock(clock[:-1])
    for sign in "+-":
        before, found, offset = clock.partition(sign)
        if found:
            return _is_clock(before) and _are_two(offset, 23, 59) and len(offset) == 5
    return _is_clock(clock)


def _is_date(date: str) -> bool:
    parts = date.split("-")
    if [len(part) for part in parts] != [4, 2, 2] or not all(map(_all_digits, parts)):
        return False
    year, month, day = map(int, parts)
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= month <= 12 and 1 <= day <= _DAYS[month - 1] + (leap and month == 2)


def _is_clock(clock: str) -> bool:
    clock, point, fraction = clock.partition(".")
    if point and not (_all_digits(fraction) and len(clock) == 8):
        return False
    if len(clock) == 5:
        return _are_two(clock, 23, 59)
    return (
        len(clock) == 8
        and clock[5] == ":"
        and _are_two(clock[:5], 23, 59)
        and _all_digits(clock[6:])
        and int(clock[6:]) <= 60
    )


def _are_two(text: str, most: int, second_most: int) -> bool:
    first, _, second = text.partition(":")
    return (
        len(first) == len(second) == 2
        and _all_digits(first + second)
        and int(first) <= most
        and int(second) <= second_most
    )


def _all_digits(text: str) -> bool:
    return bool(text) and all(sign in _DIGITS for sign in text)

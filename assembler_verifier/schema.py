"""Small checkers that read one JSON value each and return it in normal form.

A checker gets a value and its place; it returns the value with defaults filled in and sets
sorted, or raises `DefectError`. Nothing here reads files or knows a file by name.
Rules: FORMATS 1.6 to 1.8 and the defect codes of FORMATS 4.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from assembler_verifier.strict_json import JsonObject, JsonValue

Checker: TypeAlias = Callable[[JsonValue, str], JsonValue]

TEN_TO_ELEVEN = 10**11
"""Largest integer of any member (FORMATS 1.8)."""

MAX_ID_BYTES = 512
MAX_TEXT_BYTES = 2_048
MAX_REVISION_BYTES = 128
MAX_PATH_BYTES = 4_096

HEX_DIGEST = re.compile(r"[0-9a-f]{64}")
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_TIME = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z")
_MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class DefectError(ValueError):
    """One defect of a value.

    Attributes:
        code: the defect code of FORMATS 4.
        place: where it is, in member names of the format and numbers only.
    """

    def __init__(self, code: str, place: str) -> None:
        """Keep code and place."""
        super().__init__(f"{code} at {place}")
        self.code = code
        self.place = place


class _Required:
    """Marks a member without a default."""


REQUIRED = _Required()
Member: TypeAlias = tuple[Checker, "JsonValue | _Required"]


def text(limit_bytes: int) -> Checker:
    """A string of 1 to `limit_bytes` bytes of UTF-8."""

    def check(value: JsonValue, place: str) -> JsonValue:
        read = _string(value, place)
        if not 0 < len(read.encode()) <= limit_bytes:
            raise DefectError("limit", place)
        return read

    return check


def pattern(expression: str, *, excluded: str | None = None) -> Checker:
    """A string that the whole expression matches, save one excluded word."""
    compiled = re.compile(expression)

    def check(value: JsonValue, place: str) -> JsonValue:
        read = _string(value, place)
        if read == excluded or compiled.fullmatch(read) is None:
            raise DefectError("limit", place)
        return read

    return check


def word(*words: str) -> Checker:
    """One of some words."""

    def check(value: JsonValue, place: str) -> JsonValue:
        read = _string(value, place)
        if read not in words:
            raise DefectError("limit", place)
        return read

    return check


def integer(lowest: int, highest: int, *, code: str = "limit") -> Checker:
    """An integer in a closed range."""

    def check(value: JsonValue, place: str) -> JsonValue:
        if isinstance(value, bool) or not isinstance(value, int):
            raise DefectError("shape", place)
        if not lowest <= value <= highest:
            raise DefectError(code, place)
        return value

    return check


def boolean(value: JsonValue, place: str) -> JsonValue:
    """True or false."""
    if not isinstance(value, bool):
        raise DefectError("shape", place)
    return value


def anything(value: JsonValue, _place: str) -> JsonValue:
    """Any value, unread."""
    return value


def nullable(checker: Checker) -> Checker:
    """Null, or what the checker takes."""

    def check(value: JsonValue, place: str) -> JsonValue:
        return None if value is None else checker(value, place)

    return check


def array(checker: Checker) -> Checker:
    """A list, in its order."""

    def check(value: JsonValue, place: str) -> JsonValue:
        if not isinstance(value, list):
            raise DefectError("shape", place)
        return [checker(item, f"{place}[{index}]") for index, item in enumerate(value)]

    return check


def text_set(checker: Checker) -> Checker:
    """A list of strings, returned sorted by code point and without repeats."""
    read_list = array(checker)

    def check(value: JsonValue, place: str) -> JsonValue:
        read = read_list(value, place)
        texts = {item for item in read if isinstance(item, str)} if isinstance(read, list) else ()
        return [*sorted(texts)]

    return check


def mapping(name_expression: str, checker: Checker) -> Checker:
    """An object of any members whose names the expression matches."""
    compiled = re.compile(name_expression)

    def check(value: JsonValue, place: str) -> JsonValue:
        members = _object(value, place)
        if not all(compiled.fullmatch(name) for name in members):
            raise DefectError("limit", place)
        return {name: checker(member, f"{place}.{name}") for name, member in members.items()}

    return check


def record(members: Mapping[str, Member]) -> Checker:
    """An object of known members; a member with a default may be left out."""

    def check(value: JsonValue, place: str) -> JsonValue:
        given = _object(value, place)
        if not given.keys() <= members.keys():
            raise DefectError("shape", f"{place} (an unknown member)")
        return {name: _read_member(given, name, member, place) for name, member in members.items()}

    return check


def exact(members: Mapping[str, Checker]) -> Checker:
    """An object of exactly these members."""
    return record({name: (checker, REQUIRED) for name, checker in members.items()})


def digest(value: JsonValue, place: str) -> JsonValue:
    """A SHA-256 value."""
    if HEX_DIGEST.fullmatch(_string(value, place)) is None:
        raise DefectError("limit", place)
    return value


def date(value: JsonValue, place: str) -> JsonValue:
    """A day of the calendar, `YYYY-MM-DD`."""
    if not is_date(_string(value, place)):
        raise DefectError("limit", place)
    return value


def time(value: JsonValue, place: str) -> JsonValue:
    """A second of the calendar, `YYYY-MM-DDThh:mm:ssZ`."""
    if not is_time(_string(value, place)):
        raise DefectError("limit", place)
    return value


def is_date(value: str) -> bool:
    """Whether the string is a day of the years 0001 to 9999."""
    found = _DATE.fullmatch(value)
    if found is None:
        return False
    year, month, day = (int(part) for part in found.groups())
    if year == 0 or not 1 <= month <= len(_MONTH_DAYS):
        return False
    february = 2
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = _MONTH_DAYS[month - 1] + (1 if leap and month == february else 0)
    return 1 <= day <= days


def is_time(value: str) -> bool:
    """Whether the string is a second of the years 0001 to 9999, in UTC."""
    found = _TIME.fullmatch(value)
    return found is not None and is_date(found.group(1))


def _read_member(given: JsonObject, name: str, member: Member, place: str) -> JsonValue:
    checker, default = member
    inner = f"{place}.{name}" if place else name
    if name in given:
        return checker(given[name], inner)
    if isinstance(default, _Required):
        raise DefectError("shape", f"{inner} (missing)")
    return default


def _string(value: JsonValue, place: str) -> str:
    if not isinstance(value, str):
        raise DefectError("shape", place)
    return value


def _object(value: JsonValue, place: str) -> JsonObject:
    if not isinstance(value, dict):
        raise DefectError("shape", place)
    return value

"""Typed members of an inventory: each reader returns its value or names the defect and place.

The defects and limits are those of docs/formats/inventory.md.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from typing import Any, Final, NoReturn

from assembler.errors import ConfigError
from assembler.model.canonical import MAX_SAFE_INTEGER
from assembler.model.digest import is_digest
from assembler.model.limits import MAX_ID_BYTES, MAX_WORDS_BYTES
from assembler.model.times import is_date, is_time

MAX_COUNT: Final = 10**11
"""Windows, reserves, sizes, lengths and line numbers end here."""


NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,31}\Z")
UNIT: Final = re.compile(r"[a-z][a-z-]{0,31}\Z")
COUNTER: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}\Z")


def fail(defect: str, where: str, problem: str, named: str | None = None) -> NoReturn:
    """Report one of the defects of an inventory, at a place."""
    place = where if named is None else f"{where}: {named}"
    raise ConfigError(f"inventory-{defect}", f"inventory: {problem}", where=place)


def read_mapping(value: object, where: str) -> dict[str, Any]:
    """An object."""
    if not isinstance(value, dict):
        fail("shape", where, "not an object")
    return value


def read_members(
    value: object,
    where: str,
    *,
    required: tuple[str, ...] = (),
    optional: tuple[str, ...] = (),
    defaults: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """An object with exactly the named members, defaults filled in."""
    members = {**(defaults or {}), **read_mapping(value, where)}
    unknown = sorted(set(members) - set(required) - set(optional))
    missing = sorted(set(required) - set(members))
    if unknown:
        known = ", ".join(sorted({*required, *optional}))
        fail("shape", where, f"unknown member; it has {known}", unknown[0])
    if missing:
        fail("shape", where, f"no member `{missing[0]}`")
    return members


def read_list(value: object, where: str) -> list[Any]:
    """An array."""
    if not isinstance(value, list):
        fail("shape", where, "not an array")
    return value


def read_string(value: object, where: str) -> str:
    """A string of any length."""
    if not isinstance(value, str):
        fail("shape", where, "not a string; in YAML, quote it")
    return value


def read_text(value: object, where: str, most_bytes: int) -> str:
    """A string of 1 to `most_bytes` bytes of UTF-8."""
    text = read_string(value, where)
    if not 1 <= len(text.encode("utf-8")) <= most_bytes:
        fail("limit", where, f"not 1 to {most_bytes:,} bytes")
    return text


def read_optional(value: object, where: str, most_bytes: int) -> str | None:
    """Such a string, or None for null."""
    return None if value is None else read_text(value, where, most_bytes)


def read_spelled(value: object, where: str, pattern: re.Pattern[str]) -> str:
    """A string that the pattern matches."""
    text = read_string(value, where)
    if not pattern.match(text):
        fail("limit", where, "not spelled as such a name must be")
    return text


def read_word(value: object, where: str, words: tuple[str, ...]) -> str:
    """One word of a closed list."""
    text = read_string(value, where)
    if text not in words:
        fail("limit", where, f"unknown word; one of {', '.join(words)}")
    return text


def read_integer(value: object, where: str) -> int:
    """An integer; `true` is none."""
    if not isinstance(value, int) or isinstance(value, bool):
        fail("shape", where, "not an integer")
    if abs(value) > MAX_SAFE_INTEGER:
        fail("limit", where, "beyond 2^53 - 1")
    return value


def read_count(value: object, where: str, *, least: int = 0) -> int:
    """An integer from `least` to `MAX_COUNT`."""
    number = read_integer(value, where)
    if not least <= number <= MAX_COUNT:
        fail("limit", where, f"not {least} to {MAX_COUNT:,}")
    return number


def read_signed(value: object, where: str) -> int:
    """An integer from -`MAX_COUNT` to `MAX_COUNT`."""
    number = read_integer(value, where)
    if abs(number) > MAX_COUNT:
        fail("limit", where, f"beyond {MAX_COUNT:,}")
    return number


def read_digest(value: object, where: str) -> str:
    """A SHA-256 in lower-case hex."""
    text = read_string(value, where)
    if not is_digest(text):
        fail("limit", where, "not 64 lower-case hex digits")
    return text


def read_date(value: object, where: str) -> str:
    """A day of the calendar."""
    text = read_string(value, where)
    if not is_date(text):
        fail("limit", where, "not a date YYYY-MM-DD")
    return text


def read_time(value: object, where: str) -> str | None:
    """A time in UTC to the second, or None for null."""
    if value is None:
        return None
    text = read_string(value, where)
    if not is_time(text):
        fail("limit", where, "not a time YYYY-MM-DDThh:mm:ssZ")
    return text


def read_base64(value: object, where: str) -> bytes:
    """The bytes of a base64 string."""
    text = read_string(value, where)
    try:
        return base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        fail("limit", where, "not base64")


def read_set(value: object, where: str, item: Callable[[object, str], str]) -> tuple[str, ...]:
    """A set: sorted, without repeats."""
    return tuple(sorted({item(entry, where) for entry in read_list(value, where)}))


def read_ids(value: object, where: str) -> tuple[str, ...]:
    """A set of ids."""
    return read_set(value, where, lambda item, place: read_text(item, place, MAX_ID_BYTES))


def read_topics(value: object, where: str) -> tuple[str, ...]:
    """A set of topics."""
    return read_set(value, where, lambda item, place: read_text(item, place, MAX_WORDS_BYTES))

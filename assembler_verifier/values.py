"""Give a checked JSON value its Python type.

Each function states what a checker has already found; another type is a bug and raises.
"""

from __future__ import annotations

from assembler_verifier.strict_json import JsonObject, JsonValue


def object_of(value: JsonValue) -> JsonObject:
    """The value, which a checker has already found to be an object."""
    if not isinstance(value, dict):
        raise TypeError(type(value).__name__)
    return value


def text_of(value: JsonValue) -> str:
    """The value, which a checker has already found to be a string."""
    if not isinstance(value, str):
        raise TypeError(type(value).__name__)
    return value


def int_of(value: JsonValue) -> int:
    """The value, which a checker has already found to be an integer."""
    if not isinstance(value, int):
        raise TypeError(type(value).__name__)
    return value


def texts_of(value: JsonValue) -> list[str]:
    """The strings of a value that a checker has already found to be a list of strings."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []

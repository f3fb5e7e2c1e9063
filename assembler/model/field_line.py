"""How a field of front matter is written on one line, and what looks like a blank and is none."""

from __future__ import annotations

_INDICATORS = "-?:,[]{}#&*!|>'\"%@`"
_NULLS = ("", "~", "null")


def spell_line(key: str, value: str) -> str:
    """The line of a field, its value plain if YAML then reads the same text."""
    is_plain = (
        value == value.strip()
        and value not in _NULLS
        and value[0] not in _INDICATORS
        and value.isprintable()
        and not value.endswith(":")
        and ": " not in value
        and " #" not in value
    )
    return f"{key}: {value}" if is_plain else spell_quoted(key, value)


def spell_quoted(key: str, value: str) -> str:
    """The line of a field, its value in double quotes."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'{key}: "{escaped}"'


def name_odd_blank(text: str) -> str | None:
    """The character that stands for a blank in front of a text, in words; None if none does.

    A tab is a blank to YAML.
    """
    if not text or text[0].isascii():
        return None
    import unicodedata

    if not (text[0].isspace() or unicodedata.category(text[0]) == "Cf"):
        return None
    name = unicodedata.name(text[0], "").lower()
    return f"U+{ord(text[0]):04X}" + (f" ({name})" if name else "")


def strip_blanks(text: str) -> str:
    """The text without blanks around it, those in front included that are none to YAML."""
    text = text.strip()
    while name_odd_blank(text) is not None:
        text = text[1:].lstrip()
    return text


def tell_missing_blank(key: str, value: str) -> str:
    """What is wrong with a line whose value stands right behind the colon of its key."""
    odd = name_odd_blank(value)
    if odd is None:
        return f"no blank stands behind the colon of {key}"
    return f"behind the colon of {key} stands {odd}: to YAML that is no blank"

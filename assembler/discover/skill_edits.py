"""The edits that mend a skill's fields: a line where one line does it."""

from __future__ import annotations

import re

from assembler.model.document import Value
from assembler.model.field_line import spell_line
from assembler.model.skill import MAX_DESCRIPTION_CHARACTERS, MAX_NAME_CHARACTERS, fold_name


def name_line(name: str | None) -> str:
    """The line of a name; words where there is none to write."""
    return spell_line("name", name) if name else "name it as its folder"


def nearest_name(text: str) -> str:
    """The nearest name that keeps the format; empty if there is none."""
    folded = fold_name(text).lower()
    plain = "".join(mark if mark.isalnum() else "-" for mark in folded)
    return re.sub("-+", "-", plain).strip("-")[:MAX_NAME_CHARACTERS].rstrip("-")


def short_line(key: str, value: Value) -> str | None:
    """The line of a field; None where its value is not one line of text."""
    if not isinstance(value, str) or not is_one_line(value, MAX_DESCRIPTION_CHARACTERS):
        return None
    return spell_line(key, value.strip())


def is_one_line(value: str, most_characters: int) -> bool:
    """Whether the value can stand behind its key."""
    text = value.strip()
    return 0 < len(text) <= most_characters and text.isprintable()

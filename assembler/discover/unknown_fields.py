"""Fields that the specification does not have: slips for one that it has, and others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from assembler.discover.skill_edits import is_one_line, name_line, nearest_name, short_line
from assembler.model.document import Value
from assembler.model.field_line import strip_blanks, tell_missing_blank
from assembler.model.skill import SKILL_FIELDS, FrontMatter, SkillError

MAX_MOVED_CHARACTERS: Final = 64
"""Of a value that is shown on the line of `metadata`."""
_LETTERS_PER_SLIP: Final = 5
_MOST_SLIPS: Final = 2
"""`disallowed-tools` is three letters away from `allowed-tools`, and means the contrary."""


def tell_unknown(front: FrontMatter, folder_name: str | None) -> Iterator[SkillError]:
    """One error for each, by key."""
    meant = _find_meant(front.members)
    # A second line `metadata: ...` would be the next fault.
    is_only = sum(field is None for field in meant.values()) == 1
    for key, field in meant.items():
        if field is None:
            message = f"the specification has no field {key}" if key else "a field without a name"
            fix = _moved(key, front, is_only=is_only)
            place = front.positions.get(key, (1, 1))
            yield SkillError("unexpected_fields", *place, message, fix)
        else:
            yield _tell_slip(key, field, front, folder_name)


def tell_missing(field: str, front: FrontMatter, folder_name: str | None, fix: str) -> SkillError:
    """That a required field is not there; where another stands for it, its place and edit.

    Args:
        field: `name` or `description`.
        front: what is there.
        folder_name: as for `tell_unknown`.
        fix: where no other stands for it.
    """
    place = front.place_of(field)
    for key, meant in _find_meant(front.members).items():
        if meant == field:
            slip = _tell_slip(key, field, front, folder_name)
            place, fix = (slip.line or 1, slip.column or 1), slip.fix or fix
            break
    return SkillError(f"missing_{field}", *place, f"the skill has no {field}", fix)


def _tell_slip(key: str, field: str, front: FrontMatter, folder_name: str | None) -> SkillError:
    line, column = front.positions.get(key, (1, 1))
    message = f"the specification has no field {key}"
    value: Value = front.members[key]
    written, colon, behind = key.partition(":")
    if colon:
        message = tell_missing_blank(written, behind)
        column += len(written) + 1
        value = strip_blanks(behind) + (f": {value}" if isinstance(value, str) else ":")
    if field in front.members:
        message, fix = f"{message}; {field} is there too", "delete it"
    elif field == "name" and isinstance(value, str):
        # One edit for both faults, so that no third is left.
        fix = name_line(nearest_name(value if folder_name is None else folder_name))
    else:
        fix = short_line(field, value) or f"write {field} in place of {written}"
    return SkillError("unexpected_fields", line, column, message, fix)


def _moved(key: str, front: FrontMatter, *, is_only: bool) -> str:
    value = front.members[key]
    is_line = isinstance(value, str) and is_one_line(value, MAX_MOVED_CHARACTERS)
    if not key or not is_only or not is_line or "metadata" in front.members:
        return "move it under metadata"
    return f"metadata: {{{_in_quotes(key)}: {_in_quotes(str(value))}}}"


def _in_quotes(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return text if re.fullmatch(r"[A-Za-z][\w-]*", text) else f'"{escaped}"'


def _find_meant(members: Mapping[str, Value]) -> dict[str, str | None]:
    """Each unknown field with the known one that it is a slip for; None: it is another."""
    return {key: _meant_field(key) for key in sorted(members.keys() - SKILL_FIELDS)}


@lru_cache(maxsize=512)
def _meant_field(key: str) -> str | None:
    field, colon, _ = key.partition(":")
    if colon and field in SKILL_FIELDS:
        return field
    squeezed = _squeeze(key)
    for known in sorted(SKILL_FIELDS):
        most = min(_MOST_SLIPS, max(1, len(known) // _LETTERS_PER_SLIP))
        if squeezed and _is_near(squeezed, _squeeze(known), most):
            return known
    return None


def _squeeze(key: str) -> str:
    return "".join(mark for mark in key.lower() if mark.isalnum())


def _is_near(one: str, other: str, most: int) -> bool:
    """Whether at most so many letters are missing, added, wrong or swapped with the next."""
    if abs(len(one) - len(other)) > most:
        return False
    before: list[int] = []
    row = list(range(len(other) + 1))
    for index, letter in enumerate(one, start=1):
        earlier, before, row = before, row, [index]
        for at, wanted in enumerate(other, start=1):
            cost = min(before[at] + 1, row[at - 1] + 1, before[at - 1] + (letter != wanted))
            if earlier and at > 1 and one[index - 2] == wanted and letter == other[at - 2]:
                cost = min(cost, earlier[at - 2] + 1)
            row.append(cost)
    return row[-1] <= most

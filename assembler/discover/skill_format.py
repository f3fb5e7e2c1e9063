"""The specification of a skill's front matter: what breaks it, and what its fields say.

Pure. In: front matter that was read, and the name of the folder. Out: one `SkillError` for each
fault, of the kinds that the specification's reference library tells apart, and the properties.
Where we read otherwise than that library, and why: docs/decisions/0019.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assembler.discover.skill_edits import name_line, nearest_name, short_line
from assembler.discover.unknown_fields import tell_missing, tell_unknown
from assembler.model.document import Position, Value
from assembler.model.field_line import spell_line
from assembler.model.skill import (
    MAX_COMPATIBILITY_CHARACTERS,
    MAX_DESCRIPTION_CHARACTERS,
    MAX_NAME_CHARACTERS,
    FrontMatter,
    SkillError,
    fold_name,
)


def find_yaml_errors(front: FrontMatter) -> tuple[SkillError, ...]:
    """What a strict reader of YAML refuses of front matter that was read all the same."""
    found = []
    if front.repaired is not None:
        why = front.repaired_why or "value needs quotes"
        found.append(SkillError("invalid_yaml", *front.repaired, why, front.repaired_line))
    for place, what in front.irregular:
        fix = "put blanks in its place" if "tab" in what else "indent both alike"
        found.append(SkillError("invalid_yaml", *place, what, fix))
    return tuple(found)


def find_format_errors(front: FrontMatter, folder_name: str | None) -> tuple[SkillError, ...]:
    """What breaks the specification, fields in the order of its table after the unknown ones.

    Args:
        front: as it was read, repaired or not.
        folder_name: of the skill's folder; None where it has none that could be compared.
    """
    return (
        *tell_unknown(front, folder_name),
        *_name_errors(front, folder_name),
        *_description_errors(front),
        *_compatibility_errors(front),
    )


def read_properties(front: FrontMatter) -> dict[str, Any] | None:
    """The six fields as text, null as it was written, blanks around name and description gone.

    Returns:
        None where the specification's reference library reads none: the front matter is no strict
        YAML, or name or description are missing, empty or no text. Values of `metadata` are text,
        those that are lists or mappings in the spelling of Python, as that library has them.
    """
    if front.repaired is not None or front.irregular:
        return None
    values = {**front.members, **front.written_nulls}
    name, description = front.members.get("name"), front.members.get("description")
    if not _is_filled(name) or not _is_filled(description):
        return None
    found: dict[str, Any] = {"name": str(name).strip(), "description": str(description).strip()}
    found |= {
        key: values[key] for key in ("license", "compatibility", "allowed-tools") if key in values
    }
    metadata = values.get("metadata")
    if metadata:
        is_mapping = isinstance(metadata, dict)
        found["metadata"] = _texts(metadata) if is_mapping else metadata
    return found


def _texts(metadata: Any) -> dict[str, str]:
    return {key: str(value) for key, value in metadata.items()}


def _is_filled(value: Value) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _name_errors(front: FrontMatter, folder_name: str | None) -> Iterator[SkillError]:
    place = front.place_of("name")
    suggested = None if folder_name is None else nearest_name(folder_name)
    if "name" not in front.members:
        yield tell_missing("name", front, folder_name, name_line(suggested))
        return
    written = front.members["name"]
    if not isinstance(written, str) or not written.strip():
        what = "the name is empty" if isinstance(written, str | None) else "the name is no text"
        yield SkillError("name_empty_or_not_string", *place, what, name_line(suggested))
        return
    name = fold_name(written)
    for kind, message in _broken_rules(name):
        yield SkillError(kind, *place, message, name_line(nearest_name(name)))
    if folder_name is not None and _fold(folder_name) != name:
        yield _mismatch(name, folder_name, place)


def _broken_rules(name: str) -> Iterator[tuple[str, str]]:
    if len(name) > MAX_NAME_CHARACTERS:
        message = f"the name has {len(name):,} characters, {MAX_NAME_CHARACTERS} are allowed"
        yield "name_too_long", message
    if name != name.lower():
        yield "name_not_lowercase", "the name has upper-case letters"
    if name.startswith("-") or name.endswith("-"):
        yield "name_edge_hyphen", "the name begins or ends with a hyphen"
    if "--" in name:
        yield "name_double_hyphen", "the name has two hyphens in a row"
    odd = [mark for mark in name if not (mark.isalnum() or mark == "-")]
    if odd:
        shown = f'"{odd[0]}"' if odd[0].isprintable() else f"U+{ord(odd[0]):04X}"
        message = f"the name has {shown}: letters, digits and hyphens are allowed"
        yield "name_invalid_chars", message


def _mismatch(name: str, folder_name: str, place: Position) -> SkillError:
    message = f"the name {name} is not that of its folder, {folder_name}"
    is_name = not any(_broken_rules(_fold(folder_name)))
    fix = (
        spell_line("name", folder_name) if is_name else f"rename the folder to {nearest_name(name)}"
    )
    return SkillError("dir_mismatch", *place, message, fix)


def _description_errors(front: FrontMatter) -> Iterator[SkillError]:
    place = front.place_of("description")
    text = front.members.get("description")
    fix = "description: What it does. Use when ..."
    kind = "description_empty_or_not_string"
    if "description" not in front.members:
        yield tell_missing("description", front, None, fix)
    elif not isinstance(text, str | None):
        yield SkillError(kind, *place, "the description is no text", fix)
    elif text is None or not text.strip():
        yield SkillError(kind, *place, "the description is empty", fix)
    elif len(text) > MAX_DESCRIPTION_CHARACTERS:
        yield SkillError(
            "description_too_long",
            *place,
            f"the description has {len(text):,} characters, "
            f"{MAX_DESCRIPTION_CHARACTERS:,} are allowed",
            f"shorten it by {_characters(len(text) - MAX_DESCRIPTION_CHARACTERS)}",
        )


def _compatibility_errors(front: FrontMatter) -> Iterator[SkillError]:
    # A plain null is how some write that there is none; nothing at all is a line left unfinished.
    if front.written_nulls.get("compatibility") or "compatibility" not in front.members:
        return
    place = front.place_of("compatibility")
    value = front.members["compatibility"]
    if isinstance(value, list | dict):
        is_list = isinstance(value, list) and all(isinstance(item, str) for item in value)
        joined = ", ".join(map(str, value))
        fix = (is_list and short_line("compatibility", joined)) or "write it as one text"
        yield SkillError("compatibility_not_string", *place, "compatibility is no text", fix)
    elif value is None or not str(value).strip():
        message = "compatibility is empty"
        yield SkillError("compatibility_empty", *place, message, "delete the line")
    elif len(str(value)) > MAX_COMPATIBILITY_CHARACTERS:
        over = len(str(value)) - MAX_COMPATIBILITY_CHARACTERS
        yield SkillError(
            "compatibility_too_long",
            *place,
            f"compatibility has {len(str(value)):,} characters, "
            f"{MAX_COMPATIBILITY_CHARACTERS} are allowed",
            f"shorten it by {_characters(over)}",
        )


def _characters(count: int) -> str:
    return f"{count:,} {'character' if count == 1 else 'characters'}"


def _fold(folder_name: str) -> str:
    """As names are folded, blanks kept: those of a folder are part of its name."""
    if folder_name.isascii():
        return folder_name
    import unicodedata

    return unicodedata.normalize("NFKC", folder_name)

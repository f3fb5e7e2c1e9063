"""The head of a SKILL.md, a command or a subagent, as an agent reads it. Pure.

In: the bytes of a file and the rules of an agent. Out: what counts of it, or why the agent drops
it. Never here: a text of the file in a reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

from assembler.agents.skill_rules import FaultyYaml, HeadRules
from assembler.agents.white_space import JS_WHITE_SPACE

BOM: Final = "\ufeff"
_QUOTABLE: Final = re.compile(r"([A-Za-z_-]+):\s+(.+)")
_YAML_MARKS: Final = re.compile(r"[{}\[\]*&#!|>%@`]|: ")
_FIELD: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\s*:\s*(.*)")
_NAME_LINE: Final = re.compile(r"\s*name:\s*(.*)")
_DESCRIPTION_LINE: Final = re.compile(r"\s*description:\s*(.*)")
_CONTINUED: Final = re.compile(r"[ \t]+\S")
_HEADING: Final = re.compile(r"#+\s+(.+)")


class Other(NamedTuple):
    """A plain value of YAML that is no text: a number, a truth value, a date."""

    text: str


Value: TypeAlias = str | Other | list[Any] | dict[str, Any] | None
ReadBlock: TypeAlias = Callable[[str], Mapping[str, Value]]
"""The members of a block of YAML by their kinds.

ValueError for what is no mapping, `BlockSizeError` for what is longer than is read here.
"""


class BlockSizeError(ValueError):
    """A head is longer than is read here."""


class Head(NamedTuple):
    """What counts of a file."""

    name: str | None
    """None: no field of this name, and none is needed."""
    description: str
    fields: Mapping[str, Value]
    is_repaired: bool = False
    from_body: bool = False
    """The description is none of the head."""


class HeadFault(NamedTuple):
    """The agent drops the file."""

    slug: str
    reason: str


def read_head(data: bytes, rules: HeadRules, read_block: ReadBlock) -> Head | HeadFault:
    """What an agent takes from a file.

    Args:
        data: the whole file; what is not UTF-8 becomes U+FFFD.
        rules: of the agent.
        read_block: reads YAML.
    """
    text = data.decode("utf-8", "replace")
    if rules.drops_bom:
        text = text.removeprefix(BOM)
    elif text.startswith(BOM) and _pattern(rules.block).match(text.removeprefix(BOM)):
        return HeadFault("skill-byte-order-mark", "behind the byte order mark it sees no head")
    found = _pattern(rules.block).match(text)
    if found is None:
        if rules.description_from == "field":
            return HeadFault("skill-no-front-matter", "there is no front matter")
        return _without_head(text, rules)
    try:
        fields, is_repaired = _read_fields(found[1], rules, read_block)
    except BlockSizeError:
        return HeadFault("skill-unread", "its head is longer than is read here")
    except ValueError:
        return HeadFault("skill-yaml", "the front matter is no YAML that it reads")
    head = _choose(fields, found[2] or "", rules)
    return head._replace(is_repaired=is_repaired) if isinstance(head, Head) else head


@lru_cache(maxsize=8)
def _pattern(block: str) -> re.Pattern[str]:
    return re.compile(block, re.S | re.M)


def _without_head(text: str, rules: HeadRules) -> Head:
    return Head(None, _first_line(text, rules), {}, from_body=True)


def _read_fields(
    block: str, rules: HeadRules, read_block: ReadBlock
) -> tuple[Mapping[str, Value], bool]:
    """The fields, and whether they were read only after a repair.

    Raises:
        ValueError: the agent reads none.
    """
    block = block.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n") + "\n"
    try:
        fields = read_block(block)
    except BlockSizeError:
        raise
    except ValueError:
        return _read_faulty(block, rules.faulty, read_block), True
    needed = ("name", "description") if rules.name_from == "field" else ("description",)
    is_whole = all(isinstance(fields.get(name), str) for name in needed)
    if rules.faulty == "lines" and not is_whole:
        return _read_lines(block), False
    return fields, False


def _read_faulty(block: str, faulty: FaultyYaml, read_block: ReadBlock) -> Mapping[str, Value]:
    """The fields of a block that is no YAML.

    Raises:
        ValueError: the file is dropped.
    """
    match faulty:
        case "lines":
            return _read_lines(block)
        case "colons":
            return read_block(_colons_as_blocks(block))
        case "quoted-or-none":
            try:
                return read_block(_quote_marks(block))
            except ValueError:
                return {}


def _read_lines(block: str) -> Mapping[str, Value]:
    """Name and description by lines that begin with the words, the last of each."""
    fields: dict[str, Value] = {}
    lines = block.split("\n")
    index = 0
    while index < len(lines):
        line = lines[index]
        index += 1
        if found := _NAME_LINE.match(line):
            fields["name"] = found[1].strip(JS_WHITE_SPACE)
        elif found := _DESCRIPTION_LINE.match(line):
            parts = [found[1].strip(JS_WHITE_SPACE)]
            while index < len(lines) and _CONTINUED.match(lines[index]):
                parts.append(lines[index].strip(JS_WHITE_SPACE))
                index += 1
            fields["description"] = " ".join(filter(None, parts))
    return fields


def _colons_as_blocks(block: str) -> str:
    """Values of one line with a colon become blocks of text."""
    lines: list[str] = []
    for line in block.split("\n"):
        found = _FIELD.fullmatch(line)
        value = "" if found is None else found[2].strip(JS_WHITE_SPACE)
        if found is None or ":" not in value or value[0] in "\"'":
            lines.append(line)
        else:
            lines += [f"{found[1]}: |-", f"  {value}"]
    return "\n".join(lines)


def _quote_marks(block: str) -> str:
    """Values of one line with a mark of YAML in them stand in quotes."""
    lines: list[str] = []
    for line in block.split("\n"):
        found = _QUOTABLE.fullmatch(line)
        value = "" if found is None else found[2]
        is_quoted = value[:1] in ('"', "'") and value[-1:] == value[:1]
        if found is None or is_quoted or not _YAML_MARKS.search(value):
            lines.append(line)
        else:
            escaped = value.replace("\\", "\\\\").replace('"', '\\"')
            lines.append(f'{found[1]}: "{escaped}"')
    return "\n".join(lines)


def _choose(fields: Mapping[str, Value], body: str, rules: HeadRules) -> Head | HeadFault:
    name = _text(fields.get("name"), rules)
    description = _text(fields.get("description"), rules)
    if rules.name_from == "field" and name is None:
        return HeadFault("skill-name", "the front matter has no name that is a text")
    if rules.description_from == "field" and description is None:
        return HeadFault("skill-description", "the front matter has no description that is a text")
    for mark in rules.name_marks:
        name = None if name is None else name.replace(mark, "-")
    from_body = False
    if rules.description_from == "body":
        description = (description or "").strip(JS_WHITE_SPACE)
        from_body = not description
        description = description or _first_line(body, rules)
    if rules.is_joined:
        description = " ".join((description or "").split())
    if rules.appended is not None:
        field, joint = rules.appended
        more = _text(fields.get(field), rules)
        description = f"{description}{joint}{more}" if more else description
    return Head(name, description or "", fields, from_body=from_body)


def _text(value: Value, rules: HeadRules) -> str | None:
    if isinstance(value, Other):
        return value.text if rules.takes_other_kinds else None
    return value if isinstance(value, str) else None


def _first_line(body: str, rules: HeadRules) -> str:
    for line in body.split("\n"):
        text = line.strip(JS_WHITE_SPACE)
        if text:
            heading = _HEADING.fullmatch(text)
            text = heading[1] if heading is not None else text
            most = rules.most_body_units
            return cut_units(text, most - 3) + "..." if count_units(text) > most else text
    return rules.usual_description


def count_units(text: str) -> int:
    """The length of a text as JavaScript counts it, in UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut_units(text: str, most: int) -> str:
    """The first units of a text; half a pair at the end becomes U+FFFD."""
    if text.isascii():
        return text[:most]
    data = text.encode("utf-16-le", "surrogatepass")[: 2 * most]
    return data.decode("utf-16-le", "replace")


def is_true(value: Value) -> bool:
    """Whether a field is on."""
    if isinstance(value, Other):
        return value.text in ("true", "True", "TRUE")
    return value == "true"

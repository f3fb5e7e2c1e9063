"""Read the head of a SKILL.md as Codex does: leniently, and with a reader of its own.

In: the bytes of the file and the name that it has without one. Out: `SkillHead`, or
`SkillHeadError` with the slug of a finding and a place in the file. Never here: the strict reading
that `check` and `assemble` go by (see `frontmatter`), or any of the text in a message.
Rules: docs/compatibility.md.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from assembler.adapters.codex_yaml import (
    Problem,
    Shape,
    YamlProblem,
    YamlProblemError,
    is_readable,
    read_shape,
)
from assembler.model.agent_skills import AgentSkillRules
from assembler.model.chain import WHITE_SPACE
from assembler.model.document import Position

HeadProblem: TypeAlias = Literal[
    "skill-unreadable",
    "skill-no-front-matter",
    "skill-yaml",
    "skill-name",
    "skill-description",
    "skill-file-skipped",
]

_TEXT: Final = Shape("text", is_optional=True)
_HEAD: Final = Shape(
    "fields",
    fields={
        "name": _TEXT,
        "description": _TEXT,
        "metadata": Shape("fields", fields={"short-description": _TEXT}),
    },
)
_DELIMITER: Final = "---"
_WORDS: Final[dict[Problem, str]] = {
    "syntax": "the front matter is no valid YAML",
    "anchor": "the front matter has an alias without an anchor",
    "type": "a value of the front matter has a form that it may not have",
    "duplicate-key": "a key of the front matter stands twice",
    "documents": "the front matter holds more than one document",
    "size-limit": "the front matter is longer than is read here",
}

_FIXES: Final[dict[Problem, str]] = {
    "type": "write it as text",
    "duplicate-key": "delete one of the two lines",
    "documents": "end the front matter with its first document",
    "size-limit": "move most of it into the text below",
}


class SkillHead(NamedTuple):
    """Name and description, white space collapsed."""

    name: str
    description: str
    repaired: Position | None = None
    """Where plain YAML failed, in the file, if it was read only after values had been quoted."""


class SkillHeadError(Exception):
    """Codex drops the skill."""

    def __init__(
        self,
        slug: HeadProblem,
        message: str,
        place: Position | None = None,
        fix: str | None = None,
    ) -> None:
        super().__init__(message)
        self.slug = slug
        self.message = message
        self.place = place
        """Line and column in the file, from 1."""
        self.fix = fix
        """An edit, where the problem asks for one of its own."""


def read_skill_head(data: bytes, folder_name: str, rules: AgentSkillRules) -> SkillHead:
    """The name and description of a SKILL.md.

    Args:
        data: the whole file.
        folder_name: what it is called where the front matter has no name.
        rules: of the agent, for the longest name.

    Raises:
        SkillHeadError: `skill-unreadable` (not UTF-8, somewhere), `skill-no-front-matter`,
            `skill-yaml`, `skill-name`, `skill-description`.
    """
    front_matter = _extract(_decode(data))
    if front_matter is None:
        raise SkillHeadError("skill-no-front-matter", "no front matter between lines of ---")
    repaired: Position | None = None
    try:
        values = read_shape(front_matter, _HEAD)
    except YamlProblemError as error:
        values = _read_repaired(front_matter, error.problem)
        repaired = _in_file(error.problem.place) or (2, 1)
    name = collapse(values.get("name") or "") or collapse(folder_name) or "skill"
    if len(name) > rules.max_name_characters:
        raise SkillHeadError(
            "skill-name", f"the name has {len(name):,} of {rules.max_name_characters} characters"
        )
    description = collapse(values.get("description") or "")
    if not description:
        raise SkillHeadError("skill-description", "there is no description")
    return SkillHead(name, description, repaired)


def collapse(text: str) -> str:
    """The text in one line, one blank for each run of white space."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    # `split()` alone takes U+001C to U+001F for white space too, which Codex does not.
    spaced = text.translate(_TO_BLANKS)
    return " ".join(part for part in spaced.split(" ") if part)


_TO_BLANKS: Final = dict.fromkeys(map(ord, WHITE_SPACE), " ")


def repair(front_matter: str) -> str | None:
    """The text with values quoted that hold a colon and a blank, or open a flow and fail.

    Line by line, and not inside block scalars; a comment stays outside. None: nothing to quote.
    """
    lines: list[str] = []
    block_indent: int | None = None
    is_changed = False
    for line in split_lines(front_matter):
        indent = len(line) - len(line.lstrip(" "))
        if block_indent is not None:
            if not line.strip(WHITE_SPACE) or indent > block_indent:
                lines.append(line)
                continue
            block_indent = None
        key, value = _split_member(line)
        scalar, comment = _split_comment(value.lstrip(WHITE_SPACE))
        if scalar.startswith(("|", ">")):
            block_indent = indent
        if not _needs_quotes(scalar):
            lines.append(line)
            continue
        gap = value[: len(value) - len(value.lstrip(WHITE_SPACE))]
        quoted = scalar.replace("'", "''")
        lines.append(f"{key}:{gap}'{quoted}'{comment}")
        is_changed = True
    return "\n".join(lines) if is_changed else None


def split_lines(text: str) -> list[str]:
    """Lines between line feeds, one carriage return before each dropped; no last empty one."""
    lines = text.split("\n")
    if not lines[-1]:
        del lines[-1]
    return [line.removesuffix("\r") for line in lines]


def _decode(data: bytes) -> str:
    """The text of the file.

    Raises:
        SkillHeadError: `skill-unreadable`.
    """
    bad_byte: int | None = None
    text = ""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        bad_byte = error.start
    if bad_byte is not None:
        line = data.count(b"\n", 0, bad_byte) + 1
        raise SkillHeadError(
            "skill-unreadable", f"byte {bad_byte:,} of the file is not UTF-8", (line, 1)
        )
    return text


def _extract(text: str) -> str | None:
    """What stands between the first line and the next one of three dashes."""
    lines = split_lines(text)
    if not lines or lines[0].strip(WHITE_SPACE) != _DELIMITER:
        return None
    for index, line in enumerate(lines[1:], start=1):
        if line.strip(WHITE_SPACE) == _DELIMITER:
            return "\n".join(lines[1:index]) if index > 1 else None
    return None


def _read_repaired(front_matter: str, problem: YamlProblem) -> dict[str, object]:
    """The values after the repair.

    Raises:
        SkillHeadError: `skill-yaml`, with the first problem: that is what to correct.
    """
    repaired = None if problem.kind == "size-limit" else repair(front_matter)
    if repaired is not None:
        try:
            values: dict[str, object] = read_shape(repaired, _HEAD)
        except YamlProblemError:
            pass
        else:
            return values
    raise SkillHeadError(
        "skill-yaml", _WORDS[problem.kind], _in_file(problem.place), _FIXES.get(problem.kind)
    )


def _in_file(place: Position | None) -> Position | None:
    """The place in the file: the opening line comes before the block."""
    return None if place is None else (place[0] + 1, place[1])


def _split_member(line: str) -> tuple[str, str]:
    """Key and value of a line; no value where it is no member."""
    key, colon, value = line.partition(":")
    if not colon or not key.strip(WHITE_SPACE) or (value and value[0] not in WHITE_SPACE):
        return line, ""
    return key, value


def _split_comment(value: str) -> tuple[str, str]:
    """The scalar without blanks at its end, and the comment with those before it."""
    for index, character in enumerate(value):
        if character == "#" and (index == 0 or value[index - 1] in WHITE_SPACE):
            scalar = value[:index].rstrip(WHITE_SPACE)
            return scalar, value[len(scalar) :]
    return value.rstrip(WHITE_SPACE), ""


def _needs_quotes(scalar: str) -> bool:
    if not scalar or scalar[0] in "|>'\"":
        return False
    if any(after in WHITE_SPACE for after in _behind_colons(scalar)):
        return True
    return scalar[0] in "[{@`" and not is_readable(scalar)


def _behind_colons(scalar: str) -> list[str]:
    """The character behind each colon that has one."""
    return [scalar[index + 1] for index, mark in enumerate(scalar[:-1]) if mark == ":"]

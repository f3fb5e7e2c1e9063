"""Agent Skills: what was found of one, and its three levels.

Level 1 is the catalog line, level 2 the whole SKILL.md, level 3 a file of the folder that is asked
for by name. A skill grants nothing: `allowed-tools` is shown and never obeyed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from assembler.model.canonical import canonical_bytes
from assembler.model.digest import sha256_hex
from assembler.model.document import Position, Value
from assembler.model.finding import Finding
from assembler.model.paths import normal_path
from assembler.model.skill_places import SKILL_FILE
from assembler.model.tree import Entry

MAX_SKILL_BYTES: Final = 1 << 20
"""Of a SKILL.md that can be active; the largest of 2,049 real ones has about a quarter of it."""
HEAD_BYTES: Final = (64 << 10) + 256
"""Read of a larger one: its front matter, at its longest, and the lines around it."""
MAX_FOLDER_FILES: Final = 512
MAX_FOLDER_BYTES: Final = 16 << 20
"""Of a folder that has a digest."""
MAX_NAME_CHARACTERS: Final = 64
MAX_DESCRIPTION_CHARACTERS: Final = 1_024
MAX_COMPATIBILITY_CHARACTERS: Final = 500
MAX_SKILL_LINES: Final = 500
MAX_SKILL_TOKENS: Final = 5_000
"""The specification's advice for what an active skill costs, of o200k_base here."""

SKILL_FIELDS: Final = frozenset(
    {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
)
"""Every field that the specification has."""

_MENTION: Final = r"(?<![\w$\\])\$([^\W_](?:(?:[^\W_]|-)*[^\W_])?)(?!\w)"

SkillState: TypeAlias = Literal["listed", "shadowed", "rejected"]


class FrontMatter(NamedTuple):
    """The head of a SKILL.md, read; offsets are bytes of the whole file."""

    members: Mapping[str, Value]
    """Scalars as text, exactly as written; a plain null is None."""
    positions: Mapping[str, Position]
    """Line and column of each member's key, in the whole file."""
    start: int
    """The first byte behind the opening line."""
    end: int
    """The first byte of the closing line."""
    body: int
    """The first byte behind the closing line."""
    has_bom: bool
    repaired: Position | None = None
    """Where plain YAML failed, if it was read only after values had been quoted."""
    repaired_line: str | None = None
    """The first changed line, as it should be written."""
    repaired_why: str | None = None
    """What of that line plain YAML can't read, in a few words."""
    value_positions: Mapping[str, Position] = {}
    """Line and column of each member's value, in the whole file."""
    written_nulls: Mapping[str, str] = {}
    """How the members that are None were written: nothing, `~` or `null`."""
    irregular: tuple[tuple[Position, str], ...] = ()
    """Places that are YAML and that strict readers refuse, each with what stands there."""

    def place_of(self, key: str) -> Position:
        """Where the member's value stands; without the member, the beginning of the file."""
        return self.value_positions.get(key, (1, 1))


class SkillError(NamedTuple):
    """One way in which a skill breaks the specification."""

    kind: str
    """As the specification's reference library tells them apart: `name_too_long` …"""
    line: int | None
    column: int | None
    """From 1, in characters: of the value, or of the line, that it speaks of."""
    message: str
    fix: str | None
    """An edit; where a line mends it, that line."""

    def to_json(self) -> dict[str, Any]:
        """The members as the output formats have them."""
        return dict(self._asdict())


class SkillFolder(NamedTuple):
    """A folder with a SKILL.md, looked at and not opened."""

    path: str
    scope: str
    """The folder whose level it belongs to, `""` for the root."""
    root: str
    """The skills folder it was found below."""
    entry: Entry
    """What stands at its SKILL.md, links followed."""
    files: tuple[Entry, ...]
    """Everything in the folder, SKILL.md included, by path; FIFOs and their like too."""
    escaping: tuple[Entry, ...] = ()
    """Links of the folder that lead out of it, or nowhere."""


class SkillSearch(NamedTuple):
    """What the search for skills met."""

    folders: tuple[SkillFolder, ...]
    """Nearest first: a name of an earlier one wins."""
    turned_away: tuple[Skill, ...]
    """What is no skill folder and looks like one."""
    findings: tuple[Finding, ...]
    unnamable: tuple[bytes, ...] = ()
    """Paths below the places that are not UTF-8."""
    missing: tuple[str, ...] = ()
    """Places that are not there."""
    truncated: bool = False
    """A bound was reached: a folder may hold more than is known of it."""


class Skill(NamedTuple):
    """One skill, or what looks like one, and why it is not listed."""

    state: SkillState
    path: str
    """Of its SKILL.md."""
    folder: str
    scope: str
    root: str
    name: str | None = None
    description: str | None = None
    """On one line; `members` has it as written."""
    members: Mapping[str, Value] = {}
    front_matter_sha256: str | None = None
    """Of the bytes between the two lines of dashes."""
    instructions_sha256: str | None = None
    """Of the whole SKILL.md."""
    size_bytes: int | None = None
    slug: str | None = None
    """Why it is shadowed or rejected; the slug of the finding where there is one."""
    denied_by: str | None = None
    """The rule that closes its SKILL.md, which was never opened."""
    where: str | None = None
    """The place that says so: `PATH`, `PATH:LINE:COLUMN`, or the SKILL.md that wins."""
    files: tuple[Entry, ...] = ()
    findings: tuple[Finding, ...] = ()
    errors: tuple[SkillError, ...] = ()
    """What breaks the specification, by kind; each stands among the findings too."""
    properties: Mapping[str, Any] | None = None
    """The six fields as the specification's reference library reads them; None where it reads
    none: the front matter is no strict YAML, or name or description are missing."""

    @property
    def called(self) -> str:
        """What people call it: its name, without one that of its folder."""
        return self.name or self.folder.rpartition("/")[2]

    @property
    def is_one(self) -> bool:
        """Whether it is a skill of its own, sound or not: no link, no part of another, no copy."""
        own_file = self.path == SKILL_FILE or self.path.endswith(f"/{SKILL_FILE}")
        return own_file and self.slug not in ("skill-nested", "same-file-twice")

    @property
    def prefix(self) -> str:
        """What paths in the folder begin with."""
        return f"{self.folder}/" if self.folder else ""

    @property
    def asks_for(self) -> tuple[str, ...]:
        """The tools that it asks for, as written; shown beside the grant and never merged."""
        return split_tools(self.members.get("allowed-tools"))

    def error_codes(self) -> tuple[str, ...]:
        """The code of the finding that tells of each of the skill's errors, in their order."""
        codes = {
            (finding.data.get("kind"), finding.line, finding.column): finding.code
            for finding in reversed(self.findings)
        }
        return tuple(codes[error.kind, error.line, error.column] for error in self.errors)

    def resource(self, name: str) -> Entry | None:
        """The file of the folder with this relative path, as it is listed; else None.

        A name is compared and never resolved: `..`, an absolute path, a percent sign, a
        backslash or NUL name nothing that a listing of the folder doesn't have.
        """
        return find_resource(self, name)


def find_resource(skill: Skill, name: str) -> Entry | None:
    """The file of a skill's folder with this relative path; None for any other name.

    Args:
        skill: with the files of its folder; links out of it are none of them.
        name: `references/notes.md`, with `/` between its parts.
    """
    wanted = skill.prefix + name
    if normal_path(name) != name:
        return None
    return next((entry for entry in skill.files if entry.path == wanted), None)


def fold_name(name: str) -> str:
    """The form in which names are compared: without blanks around it, NFKC."""
    stripped = name.strip()
    if stripped.isascii():
        return stripped
    import unicodedata

    return unicodedata.normalize("NFKC", stripped)


def collapse(text: str) -> str:
    """The text on one line, every run of white space one blank."""
    return " ".join(text.split())


def catalog_line(name: str, description: str) -> str:
    """Level 1: the name and the description on one line."""
    return f"{name}: {collapse(description)}"


def split_tools(value: Value) -> tuple[str, ...]:
    """`allowed-tools` in any of its three spellings: by spaces, by commas, as a list.

    Spaces and commas inside parentheses belong to the tool. What is no text is spelled out: a
    skill hides nothing that it asks for behind a shape.
    """
    if isinstance(value, list):
        spelled = (_spell(item).strip() for item in value)
        return tuple(item for item in spelled if item)
    if isinstance(value, dict):
        return tuple(_spell({key: item}) for key, item in value.items())
    if not isinstance(value, str):
        return ()
    tools, depth, current = [], 0, ""
    for character in value:
        depth += (character == "(") - (character == ")")
        if depth <= 0 and (character.isspace() or character == ","):
            tools.append(current)
            current = ""
        else:
            current += character
    return tuple(tool for tool in (*tools, current) if tool)


def _spell(value: Value) -> str:
    """A value of any shape on one line, as YAML's flow style would have it."""
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_spell(item)}" for key, item in value.items())
    if isinstance(value, list):
        return f"[{', '.join(_spell(item) for item in value)}]"
    return "" if value is None else str(value)


def folder_sha256(digests: Mapping[str, str]) -> str:
    """The digest of a folder: of the RFC 8785 JSON of `{relative path: "sha256:…"}`.

    Args:
        digests: hex digest of each file of the folder by its path in it.
    """
    return sha256_hex(canonical_bytes({path: f"sha256:{hexed}" for path, hexed in digests.items()}))


def named_skills(text: str, names: Collection[str]) -> tuple[str, ...]:
    """The skills that a text names as `$NAME`, in the order of their first mention."""
    found = (match.group(1) for match in re.finditer(_MENTION, text))
    return tuple(dict.fromkeys(name for name in found if name in names))

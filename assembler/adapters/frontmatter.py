"""Read the head of a SKILL.md: a block of YAML between two lines of three dashes.

In: the bytes of the file. Out: a `FrontMatter` with byte offsets, or `ConfigError` with the slug
of the finding and `LINE:COLUMN`. Never here: a guess at a type, an anchor, a tag, a second key of
one name, the text in a message. The dashes count only as a line of their own.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from assembler.errors import ConfigError
from assembler.model.document import Document, Position, Value
from assembler.model.skill import FrontMatter

MAX_FRONT_MATTER_BYTES: Final = 64 << 10
"""The largest of 2,049 real ones has 2,964 bytes."""

_BOM: Final = b"\xef\xbb\xbf"
_DELIMITER: Final = re.compile(rb"---[ \t]*\r?\Z")
_NULLS: Final = frozenset({"", "~", "null"})
"""What `read_yaml` takes for null where it stands without quotes."""
_KEY_LINE: Final = re.compile(r"(?P<key>[A-Za-z_][\w-]*)(?P<gap>:[ \t]+)(?P<value>\S.*?)[ \t]*\Z")
_QUOTED_OR_BLOCK: Final = ("'", '"', "|", ">", "&", "*", "!", "#", "%", "- ")


class Block(NamedTuple):
    """Where the front matter stands in the file; bytes, half open."""

    start: int
    end: int
    body: int
    has_bom: bool


def split_front_matter(data: bytes) -> Block:
    """Find the two lines of dashes.

    The first line is `---`, behind at most one byte order mark; the block ends before the first
    later line `---`. Blanks behind the dashes and CRLF are fine, nothing before them is.

    Raises:
        ConfigError: `skill-no-front-matter`.
    """
    first = len(_BOM) if data.startswith(_BOM) else 0
    start = _line_end(data, first)
    if not _is_delimiter(data, first, start):
        raise ConfigError(
            "skill-no-front-matter", "the first line is not three dashes", where="1:1"
        )
    position = start
    while position < len(data):
        behind = _line_end(data, position)
        if _is_delimiter(data, position, behind):
            return Block(start, position, behind, has_bom=first > 0)
        position = behind
    raise ConfigError(
        "skill-no-front-matter", "the front matter has no closing line of dashes", where="1:1"
    )


def read_front_matter(data: bytes) -> FrontMatter:
    """Read the front matter as strict YAML; where that fails, once more with values quoted.

    Whether a repaired block is good enough is the caller's word: `repaired` says that it was.

    Raises:
        ConfigError: `skill-no-front-matter`, `skill-yaml`, `skill-unreadable` (not UTF-8).
    """
    block = split_front_matter(data)
    _require_utf8(data)
    text = data[block.start : block.end].decode("utf-8").replace("\r\n", "\n")
    document, failure = _try_parse(text)
    repaired: Position | None = None
    shown: str | None = None
    if document is None and failure is not None and failure.code == "yaml-invalid":
        repaired = _place(failure)
        text, shown = quote_plain_values(text)
        document = None if shown is None else _try_parse(text)[0]
    if document is None:
        raise _as_skill_error(failure)
    return FrontMatter(
        members=_members(document, text),
        positions=_positions(document),
        start=block.start,
        end=block.end,
        body=block.body,
        has_bom=block.has_bom,
        repaired=repaired,
        repaired_line=shown,
    )


def quote_plain_values(text: str) -> tuple[str, str | None]:
    """Put single quotes around top-level values that plain YAML can't read as they are.

    Those are values that hold `: ` or end in a colon, begin with `@` or a backtick, or open a
    bracket and do not close it. A comment behind the value stays outside.

    Returns:
        The changed text, and the first changed line in the form a person would write.
    """
    lines: list[str] = []
    shown: str | None = None
    for line in text.split("\n"):
        match = _KEY_LINE.match(line)
        if match is None or not _needs_quotes(match["value"]):
            lines.append(line)
            continue
        value, mark, comment = match["value"].partition(" #")
        value = value.rstrip(" \t")
        head = match["key"] + match["gap"]
        doubled = value.replace("'", "''")
        lines.append(f"{head}'{doubled}'{mark}{comment}")
        if shown is None:
            escaped = value.replace("\\", "\\\\").replace('"', '\\"')
            shown = f'{match["key"]}: "{escaped}"'
    return "\n".join(lines), shown


def _needs_quotes(value: str) -> bool:
    if value.startswith(_QUOTED_OR_BLOCK):
        return False
    plain = value.partition(" #")[0].rstrip(" \t")
    if plain.startswith(("@", "`")):
        return True
    for opening, closing in (("[", "]"), ("{", "}")):
        if plain.startswith(opening):
            return not plain.endswith(closing)
    return ": " in plain or ":\t" in plain or plain.endswith(":")


def _line_end(data: bytes, position: int) -> int:
    """Behind the line that begins at the position, its line feed included."""
    end = data.find(b"\n", position)
    return len(data) if end < 0 else end + 1


def _is_delimiter(data: bytes, start: int, end: int) -> bool:
    # Long lines need no look: four characters and blanks are enough for any delimiter.
    line = data[start:end]
    return line.startswith(b"---") and _DELIMITER.match(line.removesuffix(b"\n")) is not None


def _require_utf8(data: bytes) -> None:
    """The whole file, body included: half of a file is no instructions.

    Raises:
        ConfigError: `skill-unreadable`.
    """
    bad_byte: int | None = None
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        bad_byte = error.start
    if bad_byte is not None:
        line = data.count(b"\n", 0, bad_byte) + 1
        raise ConfigError("skill-unreadable", f"byte {bad_byte:,} is not UTF-8", where=f"{line}:1")


def _try_parse(text: str) -> tuple[Document | None, ConfigError | None]:
    from assembler.adapters.yaml_events import read_yaml

    try:
        return read_yaml(text.encode(), limit_bytes=MAX_FRONT_MATTER_BYTES, scalars="text"), None
    except ConfigError as error:
        return None, error


def _as_skill_error(error: ConfigError | None) -> ConfigError:
    """The first failure, whatever the repair met: that is the line to correct."""
    if error is None:
        raise AssertionError("no document and no failure")
    line, column = _place(error)
    return ConfigError("skill-yaml", error.message, where=f"{line}:{column}")


def _place(error: ConfigError) -> Position:
    """The error's place in the file: the opening line comes before the block."""
    line, _, column = (error.where or "1:1").partition(":")
    return int(line) + 1, int(column)


def _members(document: Document, text: str) -> dict[str, Value]:
    """The members; a plain null is None, since nobody means the word.

    Raises:
        ConfigError: `skill-yaml`, if the block is no mapping.
    """
    value = document.value
    if value is None or value == "":
        return {}
    if not isinstance(value, dict):
        raise ConfigError("skill-yaml", "the front matter is no mapping", where="2:1")
    nulls = [key for key, item in value.items() if isinstance(item, str) and item in _NULLS]
    return {**value, **_typed_nulls(text, nulls)} if nulls else value


def _typed_nulls(text: str, keys: list[str]) -> dict[str, Value]:
    """Of members that read like null: None where they stand without quotes, else their text."""
    from assembler.adapters.yaml_events import read_yaml

    try:
        typed = read_yaml(text.encode(), limit_bytes=MAX_FRONT_MATTER_BYTES).value
    except ConfigError:
        return {}
    if not isinstance(typed, dict):
        return {}
    plain = {key: typed.get(key) for key in keys}
    return {key: None for key, value in plain.items() if value is None}


def _positions(document: Document) -> dict[str, Position]:
    return {
        str(path[0]): (place[0] + 1, place[1])
        for path, place in document.positions.items()
        if len(path) == 1
    }

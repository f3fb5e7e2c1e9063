"""Read the head of a SKILL.md: a block of YAML between two lines of three dashes.

In: the bytes of the file. Out: a `FrontMatter` with byte offsets, or `ConfigError` whose code is
the kind of the specification's error, with `LINE:COLUMN`. Never here: a guess at a type, an anchor,
a tag, a second key of one name, the text in a message. The dashes count only as a line of their
own. Why each of these: docs/decisions/0019.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from assembler.errors import ConfigError
from assembler.model.document import Position
from assembler.model.field_line import spell_quoted
from assembler.model.skill import FrontMatter
from assembler.model.utf8 import first_bad_byte

if TYPE_CHECKING:
    from assembler.adapters.text_block import TextBlock

MAX_FRONT_MATTER_BYTES: Final = 64 << 10
"""The largest of 2,049 real ones has 2,964 bytes."""

_BOM: Final = b"\xef\xbb\xbf"
_OPENING: Final = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*\r?(?:\n|\Z)")
_CLOSING: Final = re.compile(rb"\n---[ \t]*\r?(?:\n|\Z)")
_COLON: Final = re.compile(r":[ \t]")
_QUOTED_OR_BLOCK: Final = ("'", '"', "|", ">", "&", "*", "!", "#", "- ")
_SENTENCES: Final = ("name", "description")
"""What looks like a comment behind one of them is its end, as a finding of its own says."""
_RESERVED: Final = ("@", "`", "%")
"""No plain value begins with one of them."""


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
        ConfigError: `no_frontmatter`, `frontmatter_unclosed`.
    """
    opening = _OPENING.match(data)
    if opening is None:
        raise ConfigError("no_frontmatter", "the first line is not three dashes", where="1:1")
    # From the line feed before the block on, so that the block may be empty.
    closing = _CLOSING.search(data, opening.end() - 1)
    if closing is None or not opening.group().endswith(b"\n"):
        raise ConfigError(
            "frontmatter_unclosed",
            "the front matter has no closing line of dashes",
            where="1:1",
            next_step="write a line --- behind the last field",
        )
    has_bom = data.startswith(_BOM)
    return Block(opening.end(), closing.start() + 1, closing.end(), has_bom=has_bom)


def read_front_matter(data: bytes) -> FrontMatter:
    """Read the front matter as strict YAML; where that fails, once more with values quoted.

    Whether a repaired block is good enough is the caller's word: `repaired` says that it was.

    Raises:
        ConfigError: `not_utf8`, `no_frontmatter`, `frontmatter_unclosed`,
            `frontmatter_not_mapping`, `invalid_yaml`; with an edit as the next step where one
            line mends it.
    """
    _require_utf8(data)
    block = split_front_matter(data)
    text = data[block.start : block.end].decode("utf-8")
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    found, repair, failure = _try_both(text)
    if found is None:
        if failure is None:
            raise AssertionError("no block and no failure")
        from assembler.adapters.front_matter_faults import explain_failure

        raise explain_failure(failure, text, _first_failure)
    if not isinstance(found.value, dict):
        from assembler.adapters.front_matter_faults import explain_no_mapping

        raise explain_no_mapping(text, is_empty=found.value in (None, ""))
    return FrontMatter(
        members={**found.value, **dict.fromkeys(found.nulls)} if found.nulls else found.value,
        positions=found.keys,
        start=block.start,
        end=block.end,
        body=block.body,
        has_bom=block.has_bom,
        repaired=None if repair is None else (repair.place[0] + 1, repair.place[1]),
        repaired_line=None if repair is None else repair.line,
        repaired_why=None if repair is None else repair.why,
        value_positions=found.values,
        written_nulls={key: str(found.value[key]) for key in found.nulls},
        irregular=found.irregular,
    )


class Repair(NamedTuple):
    """A text with some values quoted, and the first of them."""

    text: str
    place: Position
    """Of the character that plain YAML stumbles over, in the text."""
    line: str
    """The changed line, in the form a person would write."""
    why: str
    """What plain YAML can't read of it."""


def quote_plain_values(text: str) -> Repair | None:
    """Put single quotes around top-level values that plain YAML can't read as they are.

    Those are values that hold `: ` or end in a colon, begin with `@`, `%` or a backtick, or open a
    bracket and do not close it. A comment behind the value stays outside.

    Returns:
        None if there is nothing to quote.
    """
    # Only what does not read as it is has to be repaired or explained.
    from assembler.adapters.front_matter_faults import match_field

    lines: list[str] = []
    first: tuple[Position, str, str] | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        match = match_field(line)
        fault = None if match is None else _find_fault(match["value"])
        if match is None or fault is None:
            lines.append(line)
            continue
        value, mark, comment = match["value"].partition(" #")
        value = value.rstrip(" \t")
        doubled = value.replace("'", "''")
        lines.append(f"{match['key']}{match['gap']}'{doubled}'{mark}{comment}")
        place = number, match.start("value") + fault.offset + 1
        whole = match["value"] if match["key"] in _SENTENCES else value
        first = first or (place, spell_quoted(match["key"], whole), fault.why)
    return None if first is None else Repair("\n".join(lines), *first)


class _Fault(NamedTuple):
    """Why a value needs quotes."""

    offset: int
    why: str


def _find_fault(value: str) -> _Fault | None:
    """What a value needs quotes for; None if it needs none, or has them."""
    if value.startswith(_QUOTED_OR_BLOCK):
        return None
    plain = value.partition(" #")[0].rstrip(" \t")
    if plain.startswith(_RESERVED):
        return _Fault(0, f'value begins with "{plain[0]}" unquoted')
    for opening, closing in (("[", "]"), ("{", "}")):
        if plain.startswith(opening):
            closes = plain.endswith(closing)
            return None if closes else _Fault(0, f'value begins with "{opening}" unquoted')
    colon = _COLON.search(plain)
    if colon is not None:
        return _Fault(colon.start(), 'value holds ": " unquoted')
    return _Fault(len(plain) - 1, 'value ends with ":" unquoted') if plain.endswith(":") else None


def _require_utf8(data: bytes) -> None:
    """The whole file, body included: half of a file is no instructions.

    Raises:
        ConfigError: `not_utf8`.
    """
    bad_byte = first_bad_byte(data)
    if bad_byte is None:
        return
    before = data[:bad_byte].decode("utf-8")
    column = len(before) - before.rfind("\n")
    raise ConfigError(
        "not_utf8",
        f"byte {bad_byte:,} is not UTF-8",
        where=f"{before.count(chr(10)) + 1}:{column}",
        next_step="save it as UTF-8",
    )


def _try_both(text: str) -> tuple[TextBlock | None, Repair | None, ConfigError | None]:
    """The block, read as it is or with values quoted; the first failure, whatever the repair met.

    That failure is the line to correct.
    """
    found, failure = _try_parse(text)
    if failure is None or failure.code != "yaml-invalid":
        return found, None, failure
    repair = quote_plain_values(text)
    found = None if repair is None else _try_parse(repair.text)[0]
    return found, repair, failure


def _first_failure(text: str) -> ConfigError | None:
    """What stops the reader; None where it reads the text, repaired or not."""
    found, _, failure = _try_both(text)
    return None if found is not None else failure


def _try_parse(text: str) -> tuple[TextBlock | None, ConfigError | None]:
    from assembler.adapters.plain_block import read_plain_block

    plain = read_plain_block(text, first_line=2)
    if plain is not None:
        return plain, None
    from assembler.adapters.yaml_nodes import read_text_block

    try:
        _require_line_feeds(text)
        return read_text_block(text, limit_bytes=MAX_FRONT_MATTER_BYTES, first_line=2), None
    except ConfigError as error:
        return None, error


def _require_line_feeds(text: str) -> None:
    """Refuse a bare carriage return: to YAML it ends a line, to a reader of lines it doesn't.

    Raises:
        ConfigError: `carriage-return`.
    """
    offset = text.find("\r")
    if offset < 0:
        return
    column = offset - text.rfind("\n", 0, offset)
    where = f"{text.count(chr(10), 0, offset) + 1}:{column}"
    raise ConfigError(
        "carriage-return",
        "a carriage return without a line feed",
        where=where,
        next_step="end lines with a line feed",
    )

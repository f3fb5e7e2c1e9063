"""What commands print: escaped text, tables, one JSON envelope; stdout is data, stderr talk."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from assembler import __version__
from assembler.errors import AssemblerError, UsageError
from assembler.model.withheld import may_need_withholding, withhold, withhold_all

_LOOKS_BLANK: Final = (
    "[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Printable by Unicode's word, and yet nothing to see."""

STATE_STYLES: Final = {
    "in": "32",
    "cut": "33",
    "differs": "33",
    "below": "33",
    "hidden": "33",
    "lost": "31",
    "denied": "31",
    "blank": "2",
    "out": "2",
    "off": "2",
    "FAIL": "31",
    "error:": "31",
    "refused:": "31",
}


class OutputClosedError(Exception):
    """Whoever read our output has gone; quiet, exit 141."""


def escape(text: str) -> str:
    """The text with everything that could move a cursor, hide or reorder shown by its number.

    What has the form of a secret is withheld, whoever wrote it.
    """
    text = withhold(text)
    if text.isascii() and text.isprintable():
        return text
    import re

    return "".join(
        character
        if character.isprintable() and not re.match(_LOOKS_BLANK, character)
        else _number(character)
        for character in text
    )


def _number(character: str) -> str:
    point = ord(character)
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"


def write_out(text: str) -> None:
    """Data for stdout; what its encoding lacks is escaped.

    Raises:
        OutputClosedError: the reader has gone.
        UsageError: `output-unwritable`, for example on a full disk.
    """
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    write_bytes(text.encode(encoding, "backslashreplace"))


def write_bytes(data: bytes) -> None:
    """Exactly these bytes on stdout."""
    try:
        view = memoryview(data)
        while view:
            written = os.write(1, view[: 1 << 16])
            view = view[written:]
    except BrokenPipeError:
        raise OutputClosedError from None
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise OutputClosedError from None
        raise UsageError(
            "output-unwritable",
            "could not write the output",
            next_step="free space, or write elsewhere",
        ) from None


def write_talk(line: str) -> None:
    """A line for a person, on stderr; a stderr that is gone is no failure."""
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    try:
        os.write(2, (line + "\n").encode(encoding, "backslashreplace"))
    except OSError:
        return


def paint(text: str, style: str | None, *, color: bool) -> str:
    """The text in a colour; colour repeats a word and never says anything by itself."""
    return f"\x1b[{style}m{text}\x1b[0m" if color and style else text


def wants_color(choice: str, environment: Mapping[str, str], *, terminal: bool) -> bool:
    """Whether to colour: the option wins, then NO_COLOR, then FORCE_COLOR, then the terminal."""
    if choice != "auto":
        return choice == "always"
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return True
    return terminal and environment.get("TERM") != "dumb"


def lay_out(rows: Sequence[Sequence[str]], *, right: Iterable[int] = (), color: bool) -> list[str]:
    """Rows of a table: the first column is a state word, the last is as long as it is.

    Args:
        rows: cells, already escaped; all rows of one length.
        right: columns that are numbers.
        color: paint the state words.
    """
    numbers = set(right)
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = []
        for index, cell in enumerate(row):
            if index in numbers:
                cells.append(cell.rjust(widths[index]))
            elif index == len(row) - 1:
                cells.append(cell)
            else:
                cells.append(cell.ljust(widths[index]))
        line = "  ".join(cells).rstrip()
        state = row[0]
        if state and line.startswith(state):
            line = paint(state, STATE_STYLES.get(state), color=color) + line[len(state) :]
        lines.append(line)
    return lines


def number(value: int | None) -> str:
    """An integer with separators, or `-`."""
    return "-" if value is None else f"{value:,}"


def share(part: int, whole: int) -> str:
    """A whole percentage."""
    return f"{round(100 * part / whole) if whole else 0}%"


def envelope(
    schema: str, exit_code: int, inputs: Mapping[str, Any], body: Mapping[str, Any]
) -> str:
    """One JSON document and a line feed, plain ASCII."""
    document = {
        "schema": schema,
        "tool": {"name": "assembler", "version": __version__},
        "exit_code": exit_code,
        "inputs": inputs,
        **body,
    }
    return write_json(document)


def write_json(document: Mapping[str, Any]) -> str:
    """A document and a line feed, plain ASCII; what has the form of a secret is withheld."""
    import json

    text = json.dumps(document, indent=1) + "\n"
    if not may_need_withholding(text):
        return text
    return json.dumps(withhold_all(document), indent=1) + "\n"


def error_envelope(error: AssemblerError) -> str:
    """The JSON form of a declared failure."""
    document = {
        "schema": "assembler/error/1",
        "tool": {"name": "assembler", "version": __version__},
        "code": error.code,
        "message": error.message,
        "where": error.where,
        "next": error.next_step,
        "detail": getattr(error, "detail", {}),
        "exit_code": error.exit_code,
    }
    return write_json(document)

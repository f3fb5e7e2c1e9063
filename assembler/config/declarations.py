"""Files that declare servers: JSON as editors write it, and TOML; bytes to plain values.

Comments and commas before a closing bracket are blanked, in place, so that lines stay what they
are; what is left is strict JSON. Two readers must never see two servers in one text.
"""

from __future__ import annotations

import re
from typing import Any, Final

from assembler.errors import ConfigError
from assembler.model.canonical import Numbers, StrictJsonError, read_strict

CODE: Final = "server-declaration-invalid"
_BOM: Final = b"\xef\xbb\xbf"
_STRING: Final = r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
_COMMENT: Final = re.compile(rf"{_STRING}|(//[^\r\n]*+|/\*.*?\*/)|/\*.*+", re.DOTALL)
"""A comment that nobody ends is the rest of the text: nothing is tried twice."""
_LAST_COMMA: Final = re.compile(rf"{_STRING}|(,)(?=[ \t\r\n]*+[}}\]])", re.DOTALL)
_NOT_A_LINE_END: Final = re.compile(r"[^\r\n]")


def read_declaration(data: bytes, path: str) -> Any:
    """What a file holds; how it is written is told by its name.

    Args:
        data: the file's bytes; one byte order mark is dropped, as editors do.
        path: root-relative, for the place of a problem.

    Raises:
        ConfigError: `server-declaration-invalid`; the message is the problem alone, and never
            holds anything of the text.
    """
    text = data.removeprefix(_BOM)
    if not text.strip():
        return {}  # a blank file declares nothing to anybody
    return _read_toml(text, path) if path.endswith(".toml") else _read_json(text, path)


def blank_comments(text: str) -> str:
    """JSON text with comments and last commas replaced by blanks, strings as they are."""
    return _LAST_COMMA.sub(_blank, _COMMENT.sub(_blank, text))


def _blank(match: re.Match[str]) -> str:
    return match[0] if match[1] is None else _NOT_A_LINE_END.sub(" ", match[1])


def _read_json(data: bytes, path: str) -> Any:
    try:
        plain = blank_comments(data.decode("utf-8")).encode("utf-8")
    except UnicodeDecodeError:
        plain = data
    try:
        # Settings beside the servers may hold numbers that no integer can be.
        return read_strict(plain, numbers=Numbers.FINITE)
    except StrictJsonError as error:
        raise _invalid(path, error.line, error.problem) from None


def _read_toml(data: bytes, path: str) -> Any:
    from assembler.config.codex_scalars import TomlError
    from assembler.config.codex_toml import line_and_column, read_toml

    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _invalid(path, data.count(b"\n", 0, error.start) + 1, "not UTF-8") from None
    try:
        return read_toml(text)
    except TomlError as error:
        raise _invalid(path, line_and_column(text, error.offset)[0], str(error)) from None


def _invalid(path: str, line: int | None, problem: str) -> ConfigError:
    place = path if line is None else f"{path}:{line}"
    return ConfigError(CODE, problem, where=place, next_step="mend the file, or remove it")

"""Say what to correct in front matter that is no YAML: a place, the words, an edit.

In: the reader's failure and the text. Out: `ConfigError` with places of the file. An edit that is a
line has been tried: with it in place of what is there, the reader gets beyond that line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from assembler.adapters.yaml_events import UNCLOSED_QUOTE
from assembler.errors import ConfigError
from assembler.model.document import Position
from assembler.model.field_line import (
    name_odd_blank,
    spell_line,
    spell_quoted,
    strip_blanks,
    tell_missing_blank,
)
from assembler.model.skill import SKILL_FIELDS

FirstFailure = Callable[[str], ConfigError | None]
"""What stops the reader of a text, its place counted from 1; None: nothing."""

_KEY_LINE: Final = re.compile(r"(?P<key>[A-Za-z_][\w-]*)(?P<gap>:[ \t]+)(?P<value>\S.*)\Z")
_GLUED: Final = re.compile(r"(?P<key>[A-Za-z_][\w-]*):(?P<value>[^ \t].*)\Z")
_BLANKS: Final = " \t"
_QUOTES: Final = ("'", '"')
_PROPERTIES: Final = ("&", "*", "!")
"""They begin an anchor, an alias or a tag: never repaired, since that may be what was meant."""
_LINES_BEFORE: Final = 1
"""The opening line of dashes."""
_FIXES: Final = {
    "yaml-duplicate-key": "delete one of the two lines",
    "size-limit": "move most of it into the text below",
    "yaml-too-deep": "nest less deep",
}


def match_field(line: str) -> re.Match[str] | None:
    """Key, gap and value of a line `key: value`, without the blanks behind it.

    They are taken off first: a pattern that leaves them out looks at each of them for each.
    """
    return _KEY_LINE.match(line.rstrip(_BLANKS))


def explain_failure(error: ConfigError, text: str, first_failure: FirstFailure) -> ConfigError:
    """The failure of the reader as one of the file, `invalid_yaml`.

    Args:
        error: its place counts from 1 in the text.
        text: between the lines of dashes.
        first_failure: of the reader; edits are tried with it.
    """
    line, column = _place(error)
    attempt = _Attempt(text.split("\n"), line, first_failure)
    message, fix = error.message, error.next_step or _FIXES.get(error.code)
    if fix is None and error.code == "yaml-invalid":
        above = _find_glued(attempt) or _find_open_quote(attempt)
        if above is not None:
            return _as_error("invalid_yaml", above.message, above.place, above.fix)
    is_unclosed = message.endswith(UNCLOSED_QUOTE)
    written = attempt.line
    match = match_field(written)
    if fix is None and match is not None and not match["value"].startswith(("|", ">")):
        if match["value"].startswith(_PROPERTIES):
            column = match.start("value") + 1
            message = f'value begins with "{match["value"][0]}" unquoted'
        edits = _requoted(match)
        if is_unclosed:
            edits = iter(()) if attempt.goes_on else _closed(match, written)
        fix = next((edit for edit in edits if attempt.mends(line, edit)), None)
    elif fix is None and "\t" in written[: len(written) - len(written.lstrip())]:
        fix = "indent with spaces"
    if fix is None and is_unclosed:
        fix = "write the closing quote where the value ends"
    return _as_error("invalid_yaml", message, (line, column), fix)


def explain_no_mapping(text: str, *, is_empty: bool) -> ConfigError:
    """That the front matter has no fields; by the first line that was meant to be one."""
    for number, line in enumerate(text.split("\n"), start=1):
        fault = _glued_fault(line, number)
        if fault is not None:
            return _as_error("frontmatter_not_mapping", fault.message, fault.place, fault.fix)
    what = "is empty" if is_empty else "is no mapping of fields"
    return ConfigError("frontmatter_not_mapping", f"the front matter {what}", where="2:1")


class _Attempt(NamedTuple):
    """A text that stops the reader, to try edits on."""

    lines: Sequence[str]
    failed_line: int
    first_failure: FirstFailure

    @property
    def line(self) -> str:
        """What stands where the reader stops."""
        return self.lines[self.failed_line - 1] if self.failed_line <= len(self.lines) else ""

    @property
    def goes_on(self) -> bool:
        """Whether the value of that line has more lines."""
        behind = (line for line in self.lines[self.failed_line :] if line.strip())
        return next(behind, "").startswith((" ", "\t"))

    def mends(self, number: int, edit: str) -> bool:
        """Whether the reader gets further with another line there."""
        lines = [*self.lines[: number - 1], edit, *self.lines[number:]]
        failure = self.first_failure("\n".join(lines))
        return failure is None or _place(failure)[0] > self.failed_line


class _Fault(NamedTuple):
    """A line that lacks a blank or a quote."""

    message: str
    place: Position
    fix: str


def _find_glued(attempt: _Attempt) -> _Fault | None:
    """The nearest line, where the reader stops or above it, whose colon has no blank behind it."""
    for number in range(min(attempt.failed_line, len(attempt.lines)), 0, -1):
        fault = _glued_fault(attempt.lines[number - 1], number)
        if fault is not None:
            return fault if attempt.mends(number, fault.fix) else None
    return None


def _find_open_quote(attempt: _Attempt) -> _Fault | None:
    """The nearest line above whose quote another line's closes, so that YAML stops at that one."""
    for number in range(min(attempt.failed_line - 1, len(attempt.lines)), 0, -1):
        match = match_field(attempt.lines[number - 1])
        if match is None or not match["value"].startswith(_QUOTES):
            continue
        if len(match["value"]) > 1 and match["value"].endswith(match["value"][0]):
            continue
        fix = f"{match.group().rstrip()}{match['value'][0]}"
        place = (number, match.start("value") + 1)
        is_it = attempt.mends(number, fix)
        return _Fault(f"not valid YAML: {UNCLOSED_QUOTE}", place, fix) if is_it else None
    return None


def _glued_fault(line: str, number: int) -> _Fault | None:
    match = _GLUED.match(line.rstrip(_BLANKS))
    if match is None:
        return None
    key, value = match["key"], match["value"]
    if name_odd_blank(value) is None and key not in SKILL_FIELDS:
        return None
    place = (number, match.start("value") + 1)
    return _Fault(tell_missing_blank(key, value), place, spell_line(key, strip_blanks(value)))


def _closed(match: re.Match[str], written: str) -> Iterator[str]:
    """The line with its quote closed, or with the whole value in new quotes."""
    yield f"{written.rstrip()}{match['value'][0]}"
    yield spell_quoted(match["key"], match["value"][1:])


def _requoted(match: re.Match[str]) -> Iterator[str]:
    """The line with its value in quotes, those that it has replaced or kept."""
    key, value = match["key"], match["value"]
    if value.startswith(_QUOTES) and value.endswith(value[0]) and len(value) > 1:
        yield spell_quoted(key, value[1:-1])
    yield spell_quoted(key, value)


def _as_error(code: str, message: str, place: Position, fix: str | None) -> ConfigError:
    where = f"{place[0] + _LINES_BEFORE}:{place[1]}"
    return ConfigError(code, message, where=where, next_step=fix)


def _place(error: ConfigError) -> Position:
    line, _, column = (error.where or "1:1").partition(":")
    return int(line), int(column)

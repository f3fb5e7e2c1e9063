"""One line of a `.gitignore`, taken apart as git takes it apart, as an expression for RE2.

In: a pattern. Out: the expression of the paths it matches, byte for byte. Pure: no engine here.
What git can never match (an open bracket, a lone backslash) is no pattern: a rule that closes
nothing, without a word, is worse than an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

MAX_PATTERN_CHARACTERS: Final = 512
MAX_STARS: Final = 32
"""In one pattern: what an engine makes of more takes seconds to compile."""

_SPECIAL: Final = b"*?[\\"
_SLASH: Final = ord("/")
_ANY: Final = b".*"
_FOLDERS: Final = b"(?:.*/)?"
_IN_NAME: Final = b"[^/]*"
_ONE: Final = b"[^/]"
_CLASSES: Final[dict[bytes, str]] = {
    b"alnum": "0-9A-Za-z",
    b"alpha": "A-Za-z",
    b"blank": "\t ",
    b"cntrl": "\x00-\x1f\x7f",
    b"digit": "0-9",
    b"graph": "!-~",
    b"lower": "a-z",
    b"print": " -~",
    b"punct": "!-/:-@\\[-`{-~",
    b"space": "\t\n\r ",
    b"upper": "A-Z",
    b"xdigit": "0-9A-Fa-f",
}
"""Git's own, which know ASCII alone and leave the form feed out of `space`."""


class NoPatternError(ValueError):
    """It is no pattern; its text says why, without the pattern."""


class GitPattern(NamedTuple):
    """What one line of a `.gitignore` means."""

    text: str
    """As it was written."""
    is_negative: bool
    """`!`: it takes back."""
    only_folders: bool
    """It ends with `/`."""
    is_name: bool
    """Without a slash: it is compared with the last part of a path."""
    expression: bytes
    """For RE2 over Latin-1, of a whole name or a whole path."""
    parts: int | None
    """How many parts a path must have; None: any number, or it is a name."""
    fragment: str | None
    """A text that every path holds which it matches, or which lies below one; None: not known."""

    @property
    def covering(self) -> bytes:
        """The expression of what it matches, and of all that lies below that."""
        before = _FOLDERS if self.is_name else b""
        below = b"/.*" if self.only_folders else b"(?:/.*)?"
        return before + b"(?:" + self.expression + b")" + below


class _Piece(NamedTuple):
    """A part of an expression: bytes that stand for themselves, or an expression."""

    literal: bytes
    expression: bytes = b""


def read_pattern(text: str) -> GitPattern:
    """Take a pattern apart.

    Raises:
        NoPatternError: git would take the line for a comment, for nothing, or could never match
            it; or it is over a bound.
    """
    _check(text)
    line = _without_trailing_spaces(text.encode("utf-8"))
    is_negative = line.startswith(b"!")
    line = line.removeprefix(b"!")
    only_folders = line.endswith(b"/")
    line = line.removesuffix(b"/")
    if not line:
        raise NoPatternError("is empty, and matches nothing")
    is_name = b"/" not in line
    pieces = list(_pieces(line) if is_name else _path_pieces(line.removeprefix(b"/")))
    literals, expression = _join(pieces)
    many = any(piece.expression in (_ANY, _FOLDERS) for piece in pieces)
    slashes = sum(piece.literal.count(b"/") for piece in pieces)
    fragment = max((run.strip(b"/") for run in literals), key=len, default=b"")
    return GitPattern(
        text=text,
        is_negative=is_negative,
        only_folders=only_folders,
        is_name=is_name,
        expression=expression,
        parts=None if many or is_name else slashes + 1,
        fragment=fragment.decode("utf-8") or None,
    )


def _check(text: str) -> None:
    if len(text) > MAX_PATTERN_CHARACTERS:
        raise NoPatternError(f"is longer than {MAX_PATTERN_CHARACTERS:,} characters")
    if text.count("*") > MAX_STARS:
        raise NoPatternError(f"has more than {MAX_STARS} stars")
    if "\0" in text or "\n" in text or text.endswith("\r"):
        raise NoPatternError("holds a line end or NUL")
    if text.startswith("#"):
        raise NoPatternError("is a comment in .gitignore: write \\# for a name that begins so")
    if "//" in text:
        raise NoPatternError("has two slashes in a row, which no path has")
    if any(part in (".", "..") for part in text.removeprefix("!").split("/")):
        raise NoPatternError("has a part . or .., which no path has")
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise NoPatternError("is not UTF-8")


def _without_trailing_spaces(line: bytes) -> bytes:
    """Spaces at the end count only behind a backslash."""
    kept = line.rstrip(b" ")
    if kept == line:
        return line
    backslashes = len(kept) - len(kept.rstrip(b"\\"))
    return kept + b" " if backslashes % 2 else kept


def _path_pieces(line: bytes) -> Iterator[_Piece]:
    """The pieces of a pattern with a slash.

    Git compares what stands before the first wildcard by itself and starts anew behind it, so
    that `a**/b` is `a`, then `**/b`, and matches `ab` and `a/x/b`.
    """
    end = next((index for index, byte in enumerate(line) if byte in _SPECIAL), len(line))
    if end:
        yield _Piece(line[:end])
    yield from _pieces(line[end:], in_path=True)


def _pieces(line: bytes, *, in_path: bool = False) -> Iterator[_Piece]:
    index = 0
    while index < len(line):
        match line[index : index + 1]:
            case b"*":
                piece, index = _stars(line, index, in_path=in_path)
                yield piece
            case b"?":
                yield _Piece(b"", _ONE)
                index += 1
            case b"[":
                members, index = _bracket(line, index + 1)
                yield _Piece(b"", _class_of(members))
            case b"\\":
                if index + 1 == len(line):
                    raise NoPatternError("ends with a lone backslash")
                yield _Piece(line[index + 1 : index + 2])
                index += 2
            case byte:
                yield _Piece(byte)
                index += 1


def _stars(line: bytes, start: int, *, in_path: bool) -> tuple[_Piece, int]:
    """What some stars in a row mean, and where the next piece begins."""
    end = start
    while line[end : end + 1] == b"*":
        end += 1
    before = start == 0 or line[start - 1] == _SLASH
    rest = line[end:]
    alone = before and (not rest or rest.startswith((b"/", b"\\/")))
    if not in_path or end - start == 1 or not alone:
        return _Piece(b"", _IN_NAME), end
    if rest.startswith(b"/"):
        return _Piece(b"", _FOLDERS), end + 1
    return _Piece(b"", _ANY), end


def _bracket(line: bytes, start: int) -> tuple[frozenset[int], int]:
    """The bytes that a bracket takes, and where the next piece begins.

    Args:
        line: the pattern.
        start: of what stands behind `[`.
    """
    index = start
    is_inverted = line[index : index + 1] in (b"!", b"^")
    index += is_inverted
    members: set[int] = set()
    previous: int | None = None
    is_first = True
    while is_first or line[index : index + 1] != b"]":
        is_first = False
        if index >= len(line):
            raise NoPatternError("has a [ without its ]")
        named = _named_class(line, index)
        if named is not None:
            members |= named[0]
            previous, index = None, named[1]
            continue
        following = line[index + 1 : index + 2]
        if line[index] == ord("-") and previous and following and following != b"]":
            last, index = _member(line, index + 1)
            if last < previous:
                raise NoPatternError("has a range that ends before it begins")
            members.update(range(previous, last + 1))
            previous = None
        else:
            previous, index = _member(line, index)
            members.add(previous)
    taken = frozenset(range(256)) - members if is_inverted else frozenset(members)
    taken -= {_SLASH}
    if not taken:
        raise NoPatternError("has brackets that take nothing in")
    return taken, index + 1


def _member(line: bytes, index: int) -> tuple[int, int]:
    """One byte of a bracket, and where the next begins."""
    if line[index] == ord("\\"):
        index += 1
    if index >= len(line):
        raise NoPatternError("has a [ without its ]")
    return line[index], index + 1


def _named_class(line: bytes, index: int) -> tuple[frozenset[int], int] | None:
    """The bytes of `[:name:]`, and where the next begins; None where it is no such thing."""
    if line[index : index + 2] != b"[:":
        return None
    end = line.find(b"]", index + 2)
    if end < 0:
        raise NoPatternError("has a [ without its ]")
    if end == index + 2 or line[end - 1] != ord(":"):
        return None
    characters = _CLASSES.get(line[index + 2 : end - 1])
    if characters is None:
        raise NoPatternError("has a named class that git does not know")
    matching = re.compile(f"[{characters}]")
    return frozenset(byte for byte in range(128) if matching.match(chr(byte))), end + 1


def _class_of(members: frozenset[int]) -> bytes:
    """The expression of a set of bytes: as few ranges as it has."""
    ranges: list[tuple[int, int]] = []
    for byte in sorted(members):
        if ranges and ranges[-1][1] == byte - 1:
            ranges[-1] = (ranges[-1][0], byte)
        else:
            ranges.append((byte, byte))
    inside = "".join(f"\\x{first:02x}-\\x{last:02x}" for first, last in ranges)
    return f"[{inside}]".encode("ascii")


def _join(pieces: list[_Piece]) -> tuple[list[bytes], bytes]:
    """The runs of bytes that stand for themselves, and the whole expression."""
    runs = [b""]
    expression: list[bytes] = []
    for piece in pieces:
        if piece.expression:
            runs.append(b"")
            expression.append(piece.expression)
        else:
            runs[-1] += piece.literal
            expression.append(_escape(piece.literal))
    return runs, b"".join(expression)


def _escape(literal: bytes) -> bytes:
    if literal.isalnum():
        return literal
    return b"".join(
        bytes([byte]) if chr(byte).isascii() and chr(byte).isalnum() else b"\\x%02x" % byte
        for byte in literal
    )

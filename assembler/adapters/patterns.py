"""Lists of patterns that mean what they mean in a root `.gitignore`, linear in the path.

Git's own matcher is exponential on hostile patterns, and so is `re`; RE2 is neither. Which
bytes a pattern takes says `wildmatch`; here is the engine, and what a list makes of its lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from assembler.adapters.wildmatch import GitPattern, NoPatternError, read_pattern
from assembler.errors import ConfigError

if TYPE_CHECKING:
    import re2

MAX_PATTERNS: Final = 2_000
FEW_PATHS: Final = 64
"""For these the fragments are looked for one by one: to compile them costs a thousand looks."""


class _PatternList:
    """What the two readings of a list have in common.

    Most paths hold no fragment of any pattern, and for those the engine is not even loaded:
    it costs more than the rest of a command's start.
    """

    def __init__(self, patterns: Sequence[GitPattern]) -> None:
        self._patterns = tuple(patterns)
        self._fragments = [pattern.fragment for pattern in patterns]
        self._engines: dict[bytes, re2._Regexp] = {}
        self._asked = 0
        self._any_fragment: re.Pattern[str] | None = None

    def may_match(self, text: str) -> bool:
        """Whether a path of the text holds a fragment of any pattern."""
        if None in self._fragments:
            return True
        self._asked += 1
        if self._asked > FEW_PATHS and self._any_fragment is None:
            plain = [fragment for fragment in self._fragments if fragment is not None]
            self._any_fragment = re.compile("|".join(map(re.escape, plain)))
        if self._any_fragment is not None:
            return self._any_fragment.search(text) is not None
        return any(fragment is not None and fragment in text for fragment in self._fragments)

    def _covering(self, path: str, data: bytes) -> Iterator[GitPattern]:
        """The patterns that match the path or a folder above it, the last one first."""
        for pattern in reversed(self._patterns):
            if pattern.fragment is not None and pattern.fragment not in path:
                continue
            if self._is_match(pattern.covering, data):
                yield pattern

    def _is_match(self, expression: bytes, data: bytes) -> bool:
        engine = self._engines.get(expression)
        if engine is None:
            engine = self._engines[expression] = _compile(expression)
        return engine.fullmatch(data) is not None


class GitIgnorePatterns(_PatternList):
    """Implements the port `PatternSet` as git reads a list.

    The last pattern that matches a path decides; what lies below a folder that is taken in is
    taken in with it, and no `!` gets it out again.
    """

    def match(self, path: str) -> str | None:
        """The pattern that takes the path, or a folder above it, in; None: nothing does."""
        if not self.may_match(path):
            return None
        data = _bytes_of(path)
        covering = list(self._covering(path, data))
        if all(pattern.is_negative for pattern in covering):
            return None
        parts = data.split(b"/")
        folder = b""
        for depth, name in enumerate(parts, start=1):
            folder += b"/" + name if folder else name
            is_folder = depth < len(parts)
            for pattern in covering:
                if not self._is_at(pattern, folder, name, depth, is_folder=is_folder):
                    continue
                if not pattern.is_negative:
                    return pattern.text
                break
        return None

    def _is_at(
        self, pattern: GitPattern, path: bytes, name: bytes, depth: int, *, is_folder: bool
    ) -> bool:
        """Whether the pattern matches this very path."""
        if pattern.only_folders and not is_folder:
            return False
        if pattern.parts is not None and pattern.parts != depth:
            return False
        return self._is_match(pattern.expression, name if pattern.is_name else path)


class GrantedPaths(_PatternList):
    """Implements the port `PatternSet` as a grant is read: in doubt the narrower way.

    The last pattern that matches the path or a folder above it decides, so that a `!` narrows
    also what lies below a granted folder. Whatever this takes in, git's reading takes in too.
    """

    def match(self, path: str) -> str | None:
        """The pattern that grants the path, or None."""
        if not self.may_match(path):
            return None
        last = next(self._covering(path, _bytes_of(path)), None)
        return None if last is None or last.is_negative else last.text


class AllPaths:
    """`**` alone, the usual allow list: every path, and no engine to load."""

    def may_match(self, text: str) -> bool:
        """Always."""
        return True

    def match(self, path: str) -> str | None:
        """Always `**`."""
        return "**"


class NoPaths:
    """An empty list: no path."""

    def may_match(self, text: str) -> bool:
        """Never."""
        return False

    def match(self, path: str) -> str | None:
        """Never a pattern."""
        return None


def compile_patterns(
    patterns: Sequence[str], *, where: str, before: Sequence[str] = ()
) -> GitIgnorePatterns | AllPaths | NoPaths:
    """The set of some patterns, as git reads them: of denies, and of a single pattern.

    Args:
        patterns: in order; a later one overrides an earlier one.
        where: place of the list, for messages.
        before: patterns of our own that stand before them and are not counted with them.

    Raises:
        ConfigError: `pattern-invalid`, naming which pattern of the list it is.
    """
    if not patterns and not before:
        return NoPaths()
    if list(patterns) == ["**"] and not before:
        return AllPaths()
    own = [read_pattern(pattern) for pattern in before]
    return GitIgnorePatterns([*own, *_read_all(patterns, where)])


def compile_grant(patterns: Sequence[str], *, where: str) -> GrantedPaths | AllPaths | NoPaths:
    """The set of some patterns, as an allow list reads them.

    Args:
        patterns: in order; a later one overrides an earlier one.
        where: place of the list, for messages.

    Raises:
        ConfigError: `pattern-invalid`, naming which pattern of the list it is.
    """
    if not patterns:
        return NoPaths()
    if list(patterns) == ["**"]:
        return AllPaths()
    return GrantedPaths(_read_all(patterns, where))


def compile_name_glob(glob: str, *, where: str) -> Callable[[str], bool]:
    """Whether a whole name with slashes is one that a glob takes: no part of it, nothing below.

    Raises:
        ConfigError: `pattern-invalid`.
    """
    pattern = _read_all([f"/{glob}"], where)[0]
    engine = _compile(pattern.expression)
    return lambda name: engine.fullmatch(_bytes_of(name)) is not None


def _read_all(patterns: Sequence[str], where: str) -> list[GitPattern]:
    if len(patterns) > MAX_PATTERNS:
        raise _invalid(where, f"more than {MAX_PATTERNS:,} patterns")
    read = []
    for number, pattern in enumerate(patterns, start=1):
        try:
            read.append(read_pattern(pattern))
        except NoPatternError as error:
            raise _invalid(where, f"pattern {number} of {len(patterns)} {error}") from None
    return read


def _compile(expression: bytes) -> re2._Regexp:
    import re2

    options = re2.Options()
    # Git compares bytes, and a folder's name may hold a line feed.
    options.encoding = re2.Options.Encoding.LATIN1
    options.dot_nl = True
    options.never_capture = True
    return re2.compile(expression, options)


def _bytes_of(path: str) -> bytes:
    return path.encode("utf-8", "surrogatepass")


def _invalid(where: str, problem: str) -> ConfigError:
    return ConfigError(
        "pattern-invalid",
        f"{where}: {problem}",
        where=where,
        next_step="write it as in .gitignore",
    )

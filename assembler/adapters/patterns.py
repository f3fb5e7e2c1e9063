"""gitignore patterns on the RE2 engine: linear in the path, whatever the pattern says.

pathspec's own engine is exponential on hostile patterns (measured: seven `*a` groups against
60 bytes take seconds). pathspec stands in no other file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from assembler.errors import ConfigError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

MAX_PATTERN_CHARACTERS: Final = 512
MAX_STARS: Final = 32
"""In one pattern: what an engine makes of more takes seconds to compile."""
MAX_PATTERNS: Final = 2_000
FEW_PATHS: Final = 64
"""For these the fragments are looked for one by one: to compile them costs a thousand looks."""
_NEWLINE_STANDS_AS: Final = "\x01"
_PLAIN_PATTERN: Final = r"!?\*{0,2}/?[A-Za-z0-9._@+~-][A-Za-z0-9._@+~*/-]*"
"""Names, stars and slashes: always patterns, and easy to take a text from."""


class GitIgnorePatterns:
    """Implements the port `PatternSet`.

    Most paths hold no fragment of any pattern, and for those the engine is not even loaded:
    it costs more than the rest of a command's start.
    """

    def __init__(self, patterns: Sequence[str], where: str) -> None:
        self._patterns = tuple(patterns)
        self._where = where
        self._fragments = [literal_fragment(pattern) for pattern in patterns]
        self._spec: GitIgnoreSpec | None = None
        self._asked = 0
        self._any_fragment: re.Pattern[str] | None = None
        if None in self._fragments:
            # What the fragment rule does not know, only the engine can say to be a pattern.
            self._spec = _compile(self._patterns, where)

    def match(self, path: str) -> str | None:
        """The pattern that takes the path in, or None."""
        if not self.may_match(path):
            return None
        if self._spec is None:
            self._spec = _compile(self._patterns, self._where)
        # No pattern holds a line feed, and the engine's `.` stops at one: a folder with such a
        # name would hide what is in it from every rule.
        result = self._spec.check_file(path.replace("\n", _NEWLINE_STANDS_AS))
        if not result.include or result.index is None:
            return None
        return self._patterns[result.index]

    def may_match(self, text: str) -> bool:
        """Whether a path of the text holds a fragment of any pattern."""
        self._asked += 1
        if self._asked > FEW_PATHS and self._any_fragment is None:
            plain = [fragment for fragment in self._fragments if fragment is not None]
            self._any_fragment = re.compile("|".join(map(re.escape, plain)))
        if None in self._fragments:
            return True
        if self._any_fragment is not None:
            return self._any_fragment.search(text) is not None
        return any(fragment is not None and fragment in text for fragment in self._fragments)


def literal_fragment(pattern: str) -> str | None:
    """A text that every path holds which the pattern matches; None where none is certain."""
    if not re.fullmatch(_PLAIN_PATTERN, pattern):
        return None
    parts = [part.strip("/") for part in pattern.removeprefix("!").split("*")]
    return max(parts, key=len) or None


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
    patterns: Sequence[str], *, where: str
) -> GitIgnorePatterns | AllPaths | NoPaths:
    """The set of some patterns.

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
    if len(patterns) > MAX_PATTERNS:
        raise _invalid(where, f"more than {MAX_PATTERNS:,} patterns")
    for index, pattern in enumerate(patterns):
        if len(pattern) > MAX_PATTERN_CHARACTERS:
            raise _invalid(where, f"pattern {index} is longer than {MAX_PATTERN_CHARACTERS:,}")
        if pattern.count("*") > MAX_STARS:
            raise _invalid(where, f"pattern {index} has more than {MAX_STARS} stars")
        if "[[" in pattern:
            # git knows `[[:alpha:]]`; the engine takes it for another set, without a word.
            raise _invalid(where, f"pattern {index} has a named class, which is not supported")
    return GitIgnorePatterns(patterns, where)


def _compile(patterns: Sequence[str], where: str) -> GitIgnoreSpec:
    import re2
    from pathspec import GitIgnoreSpec

    failures = (ValueError, re.error, re2.error)
    try:
        return GitIgnoreSpec.from_lines(patterns, backend="re2")
    except failures:
        pass
    for index, pattern in enumerate(patterns):
        try:
            GitIgnoreSpec.from_lines([pattern], backend="re2")
        except failures:
            raise _invalid(where, f"pattern {index} is no gitignore pattern") from None
    raise _invalid(where, "these patterns do not go together")


def _invalid(where: str, problem: str) -> ConfigError:
    return ConfigError(
        "pattern-invalid",
        f"{where}: {problem}",
        where=where,
        next_step="write it as in .gitignore",
    )

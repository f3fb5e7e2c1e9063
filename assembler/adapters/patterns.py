"""gitignore patterns on the RE2 engine: linear in the path, whatever the pattern says.

pathspec's own engine is exponential on hostile patterns (measured: seven `*a` groups against
60 bytes take seconds). pathspec stands in no other file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from assembler.errors import ConfigError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

MAX_PATTERN_CHARACTERS: Final = 1_024
MAX_PATTERNS: Final = 2_000
_NEWLINE_STANDS_AS: Final = "\x01"


class GitIgnorePatterns:
    """Implements the port `PatternSet`."""

    def __init__(self, patterns: Sequence[str], spec: GitIgnoreSpec) -> None:
        self._patterns = tuple(patterns)
        self._spec = spec

    def match(self, path: str) -> str | None:
        """The pattern that takes the path in, or None."""
        # No pattern holds a line feed, and the engine's `.` stops at one: a folder with such a
        # name would hide what is in it from every rule.
        result = self._spec.check_file(path.replace("\n", _NEWLINE_STANDS_AS))
        if not result.include or result.index is None:
            return None
        return self._patterns[result.index]


class AllPaths:
    """`**` alone, the usual allow list: every path, and no engine to load."""

    def match(self, path: str) -> str | None:
        """Always `**`."""
        return "**"


class NoPaths:
    """An empty list: no path."""

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
    import re

    import re2
    from pathspec import GitIgnoreSpec

    for index, pattern in enumerate(patterns):
        if len(pattern) > MAX_PATTERN_CHARACTERS:
            raise _invalid(where, f"pattern {index} is longer than {MAX_PATTERN_CHARACTERS:,}")
    failures = (ValueError, re.error, re2.error)
    try:
        return GitIgnorePatterns(patterns, GitIgnoreSpec.from_lines(patterns, backend="re2"))
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

"""Random lists of patterns, and what the program git says of random paths under each of them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import NamedTuple

from tests.builders.repositories import RepositoryBuilder

_ATOMS = (
    *("a", "b", "c", "a", "b", "ab", ".x", "é", "日", "-", "#", "!", " ", "{", "$", "^", "+"),
    *("*", "*", "**", "***", "?", "/", "/", "/", "/**/", "**/", "/**", "\\", "\\*", "\\ ", "\\/"),
    *("[ab]", "[!a]", "[^b]", "[a-c]", "[]a]", "[!]]", "[[:alpha:]]", "[[:punct:]", "[[:]", "[a-]"),
    *("[--b]", "[\\]]", "[é]", "[[:digit:][:upper:]x]", "[!/]", "[/a]", "[", "]", "[+--]"),
    *("[[:space:]]", "[[:graph:]]", "[^[:alnum:]]", "[[a]", "[*?]", "[\\a-c]"),
)  # fmt: skip
_NAMES = (
    *("a", "b", "c", "ab", "ba", "aa", "abc", ".x", "é", "日", "-", "#", "!", "]", "[", "a b"),
    *("a ", " ", "\\", "*", "a*", "?", "A", "x1", "^", "+", "{", "a\nb", "a\t", "[a]", "**"),
)  # fmt: skip


class AskedList(NamedTuple):
    """A list of patterns, paths, and for each path the pattern that git names."""

    patterns: tuple[str, ...]
    paths: tuple[str, ...]
    answers: tuple[str | None, ...]


def random_pattern(choice: random.Random) -> str:
    """One that is often none; `!` in front of every fifth."""
    atoms = choice.choices(_ATOMS, k=choice.randint(1, 6))
    return ("!" if choice.random() < 0.2 else "") + "".join(atoms)


def random_path(choice: random.Random) -> str:
    return "/".join(choice.choices(_NAMES, k=choice.choice((1, 1, 2, 2, 3, 4))))


def ask_git(
    folder: Path, lists: list[tuple[str, ...]], paths: list[tuple[str, ...]]
) -> list[AskedList]:
    """What git says, in one process: each list is the `.gitignore` of a folder of its own.

    Nothing but these files is there: what stands above a path is a folder for git all the same.
    """
    repository = RepositoryBuilder(folder)
    # Git fails where nothing at all is ignored.
    asked = ["ignored\0"]
    repository.write({".gitignore": "/ignored\n"})
    for number, patterns in enumerate(lists):
        repository.write({f"{number}/.gitignore": "".join(f"{line}\n" for line in patterns)})
        asked += [f"{number}/{path}\0" for path in paths[number]]
    said = repository.git(
        *("-c", "core.excludesFile=/dev/null", "-c", "core.quotePath=false"),
        *("check-ignore", "--no-index", "-v", "-n", "-z", "--stdin"),
        stdin="".join(asked).encode(),
    )
    fields = said.decode().split("\0")[:-1]
    lines = fields[5::4]
    answers = iter(lines)
    return [
        AskedList(patterns, paths[number], tuple(
            _pattern_at(patterns, next(answers)) for _ in paths[number]
        ))
        for number, patterns in enumerate(lists)
    ]  # fmt: skip


def _pattern_at(patterns: tuple[str, ...], line: str) -> str | None:
    """The pattern of a line of the file; None where there is none, or one that takes back."""
    pattern = patterns[int(line) - 1] if line else "!"
    return None if pattern.startswith("!") else pattern

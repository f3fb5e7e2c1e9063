"""A list of patterns means what git says that it means, byte for byte and pattern by pattern."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from assembler.adapters.patterns import compile_grant, compile_patterns
from assembler.adapters.wildmatch import NoPatternError, read_pattern
from tests.builders.ignore_oracle import ask_git, random_path, random_pattern

PATHS_EACH = 12


def random_lists(choice: random.Random, count: int) -> list[tuple[str, ...]]:
    """Lists of one to four patterns that our dialect has; git is not asked about the others."""
    lists: list[tuple[str, ...]] = []
    while len(lists) < count:
        patterns = [random_pattern(choice) for _ in range(choice.randint(1, 4))]
        usable = tuple(pattern for pattern in patterns if is_pattern(pattern))
        lists += [usable] if usable else []
    return lists


def is_pattern(text: str) -> bool:
    try:
        read_pattern(text)
    except NoPatternError:
        return False
    return True


@pytest.mark.parametrize(
    ("seed", "count"), [(1, 1_000), pytest.param(2, 20_000, marks=pytest.mark.long)]
)
def test_list__answers_as_git_does(seed: int, count: int, tmp_path: Path) -> None:
    choice = random.Random(seed)
    lists = random_lists(choice, count)
    paths = [tuple(random_path(choice) for _ in range(PATHS_EACH)) for _ in lists]
    taken = 0
    for asked in ask_git(tmp_path / "asked", lists, paths):
        patterns = compile_patterns(asked.patterns, where="x")
        grant = compile_grant(asked.patterns, where="x")
        for path, answer in zip(asked.paths, asked.answers, strict=True):
            taken += answer is not None
            assert patterns.match(path) == answer, (asked.patterns, path)
            assert patterns.may_match(path) or answer is None
            if grant.match(path) is not None:
                assert answer is not None, (asked.patterns, path)
    assert taken > count


def test_list_without_negation__is_granted_as_git_reads_it(tmp_path: Path) -> None:
    choice = random.Random(3)
    lists = [
        tuple(pattern for pattern in patterns if not pattern.startswith("!")) or ("a",)
        for patterns in random_lists(choice, 300)
    ]
    paths = [tuple(random_path(choice) for _ in range(PATHS_EACH)) for _ in lists]
    for asked in ask_git(tmp_path / "asked", lists, paths):
        grant = compile_grant(asked.patterns, where="x")
        for path, answer in zip(asked.paths, asked.answers, strict=True):
            assert (grant.match(path) is None) is (answer is None), (asked.patterns, path)


def test_line__that_is_no_pattern_for_want_of_an_end_takes_nothing_in_for_git_either(
    tmp_path: Path,
) -> None:
    lines = ["a\\", "[", "a[b", "[!]", "[a\\", "[[:beta:]]", "[[::]]", "[[:alpha:]", "[/]", "#a"]
    lists = [(line,) for line in [*lines, "./a", "/../b", "/"]]
    choice = random.Random(4)
    paths = [("a", "b", "#a", *(random_path(choice) for _ in range(100))) for _ in lists]
    for asked in ask_git(tmp_path / "asked", lists, paths):
        assert not any(asked.answers), asked.patterns
        assert not is_pattern(asked.patterns[0])

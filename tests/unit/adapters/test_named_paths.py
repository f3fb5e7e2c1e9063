"""Names found in a listing as whole parts of paths, and listed whatever git ignores."""

from __future__ import annotations

import random

import pytest

from assembler.adapters.named_paths import find_named, unignore
from assembler.errors import UsageError
from tests.builders.repositories import RepositoryBuilder, code_of


def find(paths: list[bytes], *names: str) -> list[str]:
    one_by_one = sorted(find_named((path + b"\0" for path in paths), names).paths)
    together = sorted(find_named([b"".join(path + b"\0" for path in paths)], names).paths)
    assert one_by_one == together
    return together


def test_named__is_a_whole_part() -> None:
    paths = [b"A.md", b"d/A.md", b"d/xA.md", b"d/A.mdx", b"e/A.md/in/A.md", b"f/A.md/", b"aA.md"]
    assert find(paths, "A.md") == ["A.md", "d/A.md", "e/A.md", "e/A.md/in/A.md", "f/A.md"]
    assert find([], "A.md") == []


def test_named__is_what_a_look_at_each_part_finds() -> None:
    chance = random.Random(7)
    parts = ["A.md", "B", "A.mdA.md", "x", "AB", "文"]
    for _ in range(200):
        paths = {"/".join(chance.choices(parts, k=chance.randint(1, 4))) for _ in range(6)}
        expected = {
            "/".join(split[: at + 1])
            for path in paths
            for split in [path.split("/")]
            for at, part in enumerate(split)
            if part in {"A.md", "B", "文"}
        }
        assert find([path.encode() for path in paths], "A.md", "B", "文") == sorted(expected)


def test_named__that_is_not_utf8_or_hostile_is_told() -> None:
    found = find_named([b"\xff/A.md\0", b"b/A.md\0"], ["A.md"], is_cut=True)
    assert (found.paths, found.unnamable, found.truncated) == ({"b/A.md"}, (b"\xff/A.md",), True)
    for path in (b"../A.md\0", b"/A.md\0", b".git/A.md\0", b"a//A.md\0"):
        with pytest.raises(UsageError) as caught:
            find_named([path], ["A.md"])
        assert code_of(caught) == "hostile-path"


def test_unignore__lists_names_with_marks_of_patterns(repository: RepositoryBuilder) -> None:
    names = ["[a]*?.md", "!b", "#c", " d ", "e\\", "f"]
    repository.write({f"deep/{name}": "x" for name in names})
    repository.write({".gitignore": "*\n!*/\n", "deep/a1.md": "x", "deep/g": "x"})
    told = repository.git("ls-files", "-z", "-o", "--exclude-standard", *unignore(names))
    assert sorted(told.decode().split("\0")[:-1]) == sorted(f"deep/{name}" for name in names)

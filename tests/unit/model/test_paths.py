from __future__ import annotations

import pytest

from assembler.model.paths import is_at_or_below, normal_path


@pytest.mark.parametrize(
    ("text", "path"),
    [("a/b", "a/b"), ("./a//b/", "a/b"), (".a", ".a"), ("a/...", "a/..."), ("a b", "a b")],
)
def test_path__has_one_spelling(text: str, path: str) -> None:
    assert normal_path(text) == path


@pytest.mark.parametrize("text", ["", "/", "/a", "..", "a/../b", "a/..", ".", "./", "a\0b", "//a"])
def test_path__outside_the_root_is_none(text: str) -> None:
    assert normal_path(text) is None


@pytest.mark.parametrize(
    ("path", "folder", "inside"),
    [
        ("a", "", True),
        ("", "", True),
        ("a", "a", True),
        ("a/b", "a", True),
        ("ab", "a", False),
        ("a", "a/b", False),
        ("", "a", False),
    ],
)
def test_path__is_at_or_below_a_folder(path: str, folder: str, inside: bool) -> None:
    assert is_at_or_below(path, folder) is inside

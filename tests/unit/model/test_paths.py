from __future__ import annotations

import pytest

from assembler.model.paths import normal_path


@pytest.mark.parametrize(
    ("text", "path"),
    [("a/b", "a/b"), ("./a//b/", "a/b"), (".a", ".a"), ("a/...", "a/..."), ("a b", "a b")],
)
def test_path__has_one_spelling(text: str, path: str) -> None:
    assert normal_path(text) == path


@pytest.mark.parametrize("text", ["", "/", "/a", "..", "a/../b", "a/..", ".", "./", "a\0b", "//a"])
def test_path__outside_the_root_is_none(text: str) -> None:
    assert normal_path(text) is None

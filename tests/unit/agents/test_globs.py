"""Patterns of whole paths, as they were measured on Claude Code's excludes."""

from __future__ import annotations

import time

import pytest

from assembler.agents.globs import MAX_CHARACTERS, compile_glob

PATH = "/r/a/CLAUDE.md"


@pytest.mark.parametrize(
    ("pattern", "is_meant"),
    [
        ("**", True),
        ("/**", True),
        ("//**", False),
        ("*", False),
        ("CLAUDE.md", False),
        ("a/**", False),
        ("**/a", False),
        ("**/a/**", True),
        ("/r/*", False),
        ("/r/*/*", True),
        ("**/CLAUDE.m?", True),
        ("**/[C]LAUDE.md", True),
        ("**/[^C]LAUDE.md", False),
        ("**/[!C]LAUDE.md", True),
        ("**/{CLAUDE,X}.md", True),
        ("**/{a..c}/*", True),
        ("**/{1..3}/*", False),
        ("**/@(CLAUDE|X).md", True),
        ("**/!(CLAUDE).md", False),
        ("**/!(X).md", True),
        ("**/+(C|L|A|U|D|E).md", True),
        ("!**/CLAUDE.md", False),
        ("!**/X.md", True),
        ("**\\CLAUDE.md", True),
        ("[", False),
        ("", False),
        ("**/claude.md", False),
        ("**/CLAUDE.md" + "x" * MAX_CHARACTERS, False),
        ("**/" * 1_000 + "*.md", True),
        ("/r/a/" + "*" * 129, False),
        ("@(" * 40 + "**" + ")" * 40, False),
    ],
)
def test_compile_glob(pattern: str, is_meant: bool) -> None:
    assert compile_glob(pattern)(PATH) is is_meant


def test_compile_glob__is_bounded_where_a_regular_expression_would_not_end() -> None:
    start = time.monotonic()
    assert not compile_glob("/" + "*a" * 128 + "b")("/" + "a" * 250)
    assert not compile_glob("/" + "+(a|aa)" * 50 + "b")("/" + "a" * 250)
    assert time.monotonic() - start < 5

from __future__ import annotations

import pytest

from assembler.adapters.patterns import compile_patterns
from assembler.adapters.wildmatch import (
    MAX_PATTERN_CHARACTERS,
    MAX_STARS,
    NoPatternError,
    read_pattern,
)


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("", "is empty"),
        ("!", "is empty"),
        ("/", "is empty"),
        ("   ", "is empty"),
        ("#", "comment"),
        ("# a", "comment"),
        ("\\", "lone backslash"),
        ("a\\", "lone backslash"),
        ("a\\/", "lone backslash"),
        ("[", "without its ]"),
        ("[!]", "without its ]"),
        ("[a\\", "without its ]"),
        ("[[:alpha:]", "without its ]"),
        ("[[:beta:]]", "named class"),
        ("[[::]]", "named class"),
        ("[z-a]", "ends before it begins"),
        ("[/]", "take nothing in"),
        ("a//b", "two slashes"),
        ("./a", "part . or .."),
        ("!../a", "part . or .."),
        ("a\nb", "line end"),
        ("a\r", "line end"),
        ("a\0", "NUL"),
        ("\ud800", "not UTF-8"),
        ("a" * (MAX_PATTERN_CHARACTERS + 1), "longer than 512"),
        ("*a" * (MAX_STARS + 1), "more than 32 stars"),
    ],
)
def test_line__that_git_could_never_match_is_no_pattern(pattern: str, why: str) -> None:
    with pytest.raises(NoPatternError, match=why.replace("[", r"\[").replace("]", r"\]")):
        read_pattern(pattern)


def test_pattern__may_be_as_long_and_have_as_many_stars_as_the_bound_says() -> None:
    assert read_pattern("a" * MAX_PATTERN_CHARACTERS).fragment == "a" * MAX_PATTERN_CHARACTERS
    assert read_pattern("*a" * MAX_STARS).fragment == "a"


@pytest.mark.parametrize(
    ("pattern", "taken", "left"),
    [
        ("a ", "a", "a "),
        ("a\\ ", "a ", "a"),
        ("a\\\\  ", "a\\", "a\\ "),
        ("\\#a", "#a", "a"),
        ("\\!a", "!a", "a"),
        ("[]a]", "]", "b"),
        ("[!]]", "a", "]"),
        ("[^a]", "b", "a"),
        ("[[:alpha:]_]x", "_x", "1x"),
        ("[[:]", ":", "a"),
        ("[a-]", "-", "b"),
        ("[\\]-a]", "^", "b"),
        ("[é]?", "é", "e"),
        ("??", "é", "e"),
        ("d/**", "d/x", "d"),
        ("d/**", "d/x/y", "a/d/x"),
        ("**/d", "d", "dd"),
        ("a/**/b", "a/b", "a/xb"),
        ("a**/b", "a/x/b", "b"),
        ("*/b", "a/b", "b"),
        ("/b", "b", "a/b"),
        ("b/", "b/c", "b"),
    ],
)
def test_pattern__takes_what_git_takes(pattern: str, taken: str | None, left: str) -> None:
    patterns = compile_patterns([pattern], where="x")
    assert taken is None or patterns.match(taken) == pattern
    assert patterns.match(left) is None


@pytest.mark.parametrize(
    ("pattern", "fragment"),
    [
        ("*.env", ".env"),
        ("**/.aws/credentials", ".aws/credentials"),
        ("a\\*b", "a*b"),
        ("[ab]cd?e", "cd"),
        ("/x/", "x"),
        ("?*", None),
        ("**", None),
    ],
)
def test_fragment__is_the_longest_text_that_is_certain(pattern: str, fragment: str | None) -> None:
    assert read_pattern(pattern).fragment == fragment

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from assembler.adapters.patterns import (
    MAX_PATTERN_CHARACTERS,
    compile_patterns,
    literal_fragment,
)
from assembler.config.defaults import DEFAULT_DENY
from assembler.errors import ConfigError


def test_patterns__the_last_one_that_matches_decides() -> None:
    patterns = compile_patterns([".env*", "!.env.example", "secrets/"], where="x")
    assert patterns.match(".env.production") == ".env*"
    assert patterns.match("a/b/.env") == ".env*"
    assert patterns.match(".env.example") is None
    assert patterns.match("secrets/a/b") == "secrets/"
    assert patterns.match("secrets.txt") is None


def test_patterns__all_and_none_need_no_engine() -> None:
    assert compile_patterns(["**"], where="x").match("any/thing") == "**"
    assert compile_patterns([], where="x").match("any/thing") is None


@pytest.mark.parametrize("pattern", ["[z-a]", "a\\", "!", "\\", "a" * (MAX_PATTERN_CHARACTERS + 1)])
def test_pattern__that_is_none_is_refused_with_its_place(pattern: str) -> None:
    with pytest.raises(ConfigError) as caught:
        compile_patterns(["fine", pattern], where="profile.yaml: read.deny")
    assert caught.value.code == "pattern-invalid"
    assert "profile.yaml: read.deny" in caught.value.message


def test_patterns__stay_linear_on_hostile_ones() -> None:
    patterns = compile_patterns(["*a" * 12 + "b", "**/a/" * 12 + "b"], where="x")
    before = time.process_time()
    assert patterns.match("a" * 60) is None
    assert patterns.match("a/" * 60) is None
    # The default engine takes hours for these; no duration is asserted, only an end.
    assert time.process_time() >= before


def test_path__with_a_line_feed_hides_nothing_from_a_rule() -> None:
    patterns = compile_patterns([".env", "*.pem", "secrets/"], where="x")
    assert patterns.match("a\nb/.env") == ".env"
    assert patterns.match("a\nb/c\n/k.pem") == "*.pem"
    assert patterns.match("a\n/secrets/x\ny") == "secrets/"


words = st.sampled_from(
    [".env", "a", "b.pem", "secrets", ".git", "x.env", ".ssh", "id_rsa", ".aws", "credentials",
     ".env.example", "tfstate", "a.tfstate.b", "*", "**", ".env.*", "*.pem", "", "!"]
)  # fmt: skip
pattern_lists = st.lists(
    st.tuples(st.sampled_from(["", "!", "/"]), st.lists(words, min_size=1, max_size=3)).map(
        lambda pair: pair[0] + "/".join(pair[1])
    ),
    min_size=1,
    max_size=4,
)
paths = st.lists(words.filter(lambda word: word not in ("", "**")), min_size=1, max_size=4).map(
    "/".join
)


@settings(max_examples=1_000)
@given(pattern_lists, paths)
def test_fragments__change_no_answer_of_the_engine(patterns: list[str], path: str) -> None:
    try:
        theirs = GitIgnoreSpec.from_lines(patterns, backend="re2").check_file(path)
    except ValueError:
        with pytest.raises(ConfigError):
            compile_patterns(patterns, where="x")
        return
    expected = patterns[theirs.index] if theirs.include and theirs.index is not None else None
    assert compile_patterns(patterns, where="x").match(path) == expected


@given(paths)
def test_default_denies__answer_as_the_engine_does(path: str) -> None:
    theirs = GitIgnoreSpec.from_lines(DEFAULT_DENY, backend="re2").check_file(path)
    found = compile_patterns(DEFAULT_DENY, where="x").match(path)
    assert (found is not None) is bool(theirs.include)


def test_default_denies__all_have_a_fragment() -> None:
    assert None not in [literal_fragment(pattern) for pattern in DEFAULT_DENY]

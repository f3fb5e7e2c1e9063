from __future__ import annotations

import time

import pytest

from assembler.adapters.patterns import MAX_PATTERN_CHARACTERS, compile_patterns
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

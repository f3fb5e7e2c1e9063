from __future__ import annotations

import sys
import time

import pytest

from assembler.adapters.patterns import (
    FEW_PATHS,
    MAX_PATTERNS,
    GitIgnorePatterns,
    compile_grant,
    compile_patterns,
)
from assembler.config.defaults import DEFAULT_DENY
from assembler.errors import ConfigError
from assembler.ports import PatternSet


def test_patterns__the_last_one_that_matches_decides() -> None:
    patterns = compile_patterns([".env*", "!.env.example", "secrets/"], where="x")
    assert patterns.match(".env.production") == ".env*"
    assert patterns.match("a/b/.env") == ".env*"
    assert patterns.match(".env.example") is None
    assert patterns.match("secrets/a/b") == "secrets/"
    assert patterns.match("secrets.txt") is None


def test_patterns__all_and_none_need_no_engine() -> None:
    for compile_list in (compile_patterns, compile_grant):
        assert compile_list(["**"], where="x").match("any/thing") == "**"
        assert compile_list([], where="x").match("any/thing") is None


def test_deny__holds_below_a_folder_whatever_is_taken_back_there() -> None:
    patterns = compile_patterns(["build", "!build/keep.log", "e/", "!e/sub/*"], where="x")
    assert patterns.match("build/keep.log") == "build"
    assert patterns.match("e/sub/f.txt") == "e/"
    assert patterns.match("e") is None


def test_deny__of_contents_alone_lets_one_of_them_out() -> None:
    patterns = compile_patterns(["d/**", "!d/keep.txt"], where="x")
    assert patterns.match("d/x.txt") == "d/**"
    assert patterns.match("d/sub/x.txt") == "d/**"
    assert patterns.match("d/keep.txt") is None


@pytest.mark.parametrize(
    ("patterns", "granted", "kept"),
    [
        (["src/**", "!src/secret/**"], "src/a/x.py", "src/secret/x.py"),
        (["src/", "!src/secret"], "src/x.py", "src/secret/x.py"),
        (["*.py", "!tests/"], "a/x.py", "tests/x.py"),
        (["**", "!.work"], "x.py", ".work/a/b"),
        (["a", "!a/b", "a/b/c"], "a/b/c/d", "a/b/x"),
    ],
)
def test_grant__is_narrowed_below_a_granted_folder(
    patterns: list[str], granted: str, kept: str
) -> None:
    grant = compile_grant(patterns, where="x")
    assert grant.match(granted) in patterns
    assert grant.match(kept) is None
    # Git's reading of the same list would have granted it.
    assert compile_patterns(patterns, where="x").match(kept) is not None


def test_own_patterns__stand_before_those_of_a_list_and_are_not_counted_with_them() -> None:
    patterns = compile_patterns(["!.env.shared"], where="x", before=DEFAULT_DENY)
    assert patterns.match(".env.shared") is None
    assert patterns.match(".env") == "*.env"
    assert compile_patterns([], where="x", before=DEFAULT_DENY).match(".env") == "*.env"
    with pytest.raises(ConfigError, match="x: pattern 2 of 2 "):
        compile_patterns(["fine", "["], where="x", before=DEFAULT_DENY)


@pytest.mark.parametrize("compile_list", [compile_patterns, compile_grant])
def test_list__is_full_at_the_limit_and_refused_one_over_it(compile_list: object) -> None:
    assert callable(compile_list)
    full: PatternSet = compile_list(["a"] * MAX_PATTERNS, where="x")
    assert full.match("a") == "a"
    with pytest.raises(ConfigError) as caught:
        compile_list(["a"] * (MAX_PATTERNS + 1), where="x")
    assert caught.value.code == "pattern-invalid"


@pytest.mark.parametrize("compile_list", [compile_patterns, compile_grant])
def test_pattern__that_is_none_is_refused_by_its_number_and_not_by_its_text(
    compile_list: object,
) -> None:
    assert callable(compile_list)
    with pytest.raises(ConfigError) as caught:
        compile_list(["fine", "[canary"], where="profile.yaml: read.deny")
    assert caught.value.code == "pattern-invalid"
    assert caught.value.message == ("profile.yaml: read.deny: pattern 2 of 2 has a [ without its ]")


@pytest.mark.parametrize(
    ("patterns", "path"),
    [
        (["*a" * 7 + "*b"], "a" * 60),
        (["*a" * 30 + "b"], "a" * 4_000),
        (["**/a/" * 8 + "b"], "a/" * 2_000 + "a"),
        (["**/a/" * 8 + "b", "**/a", "!**/a/?"], "a/" * 2_000 + "a"),
        (["?*" * 30 + f"[{letter}]" for letter in "bcdefgh" * 20], "a/" * 2_000 + "a"),
        (["[!b]?" * 100], "é" * 2_000),
    ],
)
def test_hostile_pattern__is_answered_at_once(patterns: list[str], path: str) -> None:
    before = time.process_time()
    compile_patterns(patterns, where="x").match(path)
    compile_grant(patterns, where="x").match(path)
    # Milliseconds here; the usual engines take from seconds to for ever.
    assert time.process_time() - before < 2


def test_path__with_a_line_feed_hides_nothing_from_a_rule() -> None:
    patterns = compile_patterns([".env", "*.pem", "secrets/"], where="x")
    assert patterns.match("a\nb/.env") == ".env"
    assert patterns.match("a\nb/c\n/k.pem") == "*.pem"
    assert patterns.match("a\n/secrets/x\ny") == "secrets/"


def test_fragments__are_looked_for_the_same_way_in_few_paths_and_in_many() -> None:
    patterns = compile_patterns(["a+b", "*.pem", "é?"], where="x")
    asked = ["a+b", "aab", "x/k.pem", "éa", "é", "pem"]
    few = [(patterns.may_match(path), patterns.match(path)) for path in asked]
    for _ in range(FEW_PATHS):
        patterns.may_match("x")
    assert [(patterns.may_match(path), patterns.match(path)) for path in asked] == few


def test_default_denies__all_have_a_fragment_and_load_no_engine_for_a_plain_path() -> None:
    patterns = compile_patterns(DEFAULT_DENY, where="x")
    assert isinstance(patterns, GitIgnorePatterns)
    loaded = sys.modules.pop("re2", None)
    try:
        assert not patterns.may_match("src/tokenize.ts\nREADME.md")
        assert patterns.match("src/tokenize.ts") is None
        assert "re2" not in sys.modules
    finally:
        if loaded is not None:
            sys.modules["re2"] = loaded

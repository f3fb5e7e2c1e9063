"""Keywords are whole words, in any script, whatever the case of their letters."""

from __future__ import annotations

import time

import pytest

from assembler.model.keywords import find_keyword


@pytest.mark.parametrize(
    ("text", "keyword"),
    [
        ("Parse it", "parse"),
        ("please PARSE", "Parse"),
        ("(parse)", "parse"),
        ("parse", "parse"),
        ("die STRASSE entlang", "straße"),
        ("ΟΔΟΣ", "οδος"),
        ("cafe\u0301 au lait", "caf\u00e9"),
        ("use C++ here", "c++"),
        ("a pull\n  request", "pull request"),
        ("fix escaped-delimiter bugs", "delimiter"),
        ("修复 解析器 now", "解析器"),
        ("हिन्दी में", "हिन्दी"),
        ("xaa aaa", "aaa"),
        ("\ufb01x the \ufb01le", "file"),
    ],
)
def test_keyword__is_found(text: str, keyword: str) -> None:
    assert find_keyword(text, [keyword]) == keyword


@pytest.mark.parametrize(
    ("text", "keyword"),
    [
        ("the parser", "parse"),
        ("reparse", "parse"),
        ("parse_all", "parse"),
        ("parse2", "parse"),
        ("हिन्दी में", "हिन"),
        ("caf\u00e9s", "caf\u00e9"),
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc"),
        ("", "parse"),
        ("anything", " "),
    ],
)
def test_part_of_a_word__is_none(text: str, keyword: str) -> None:
    assert find_keyword(text, [keyword]) is None


def test_first_of_the_list__is_told() -> None:
    assert find_keyword("one two", ["three", "two", "one"]) == "two"


def test_time__grows_with_the_text_alone() -> None:
    text, keyword = "a" * 1_000_000, "a" * 99 + "b"
    started = time.monotonic()
    assert find_keyword(text, [keyword, "a" * 100]) is None
    assert time.monotonic() - started < 5

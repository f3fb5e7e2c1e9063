"""The catalogue: complete, unique, and found by code and by slug."""

from __future__ import annotations

import re

import pytest

from assembler.model.catalogue import RULES, explain_code, find_code
from assembler.model.catalogue_texts import TEXTS

CLAIMS = {"ASM401", "ASM402", "ASM403"}


def test_rules__have_a_code_of_three_digits_and_a_slug_of_their_own() -> None:
    slugs = [slug for slug, _ in RULES.values()]

    assert all(re.fullmatch(r"ASM[1-7]\d\d", code) for code in RULES)
    assert len(set(slugs)) == len(slugs)
    assert list(RULES) == sorted(RULES)


def test_slugs__are_spelled_like_kinds_but_for_the_three_claims() -> None:
    for code, (slug, _) in RULES.items():
        pattern = r"[a-z]+(_[a-z]+)+" if code in CLAIMS else r"[a-z0-9]+(-[a-z0-9]+)*"
        assert re.fullmatch(pattern, slug), code


def test_texts__explain_every_code_and_no_other() -> None:
    assert TEXTS.keys() == RULES.keys()


@pytest.mark.parametrize("code", sorted(RULES))
def test_texts__are_four_and_each_says_something_of_its_own(code: str) -> None:
    texts = TEXTS[code]

    assert len(set(texts)) == len(texts) == 4
    assert all(text and text == text.strip() and len(text) < 300 for text in texts)
    assert texts[0].endswith(".")
    assert texts[3].endswith((".", '"'))


@pytest.mark.parametrize("name", ["ASM103", "asm103", "blank-override", "Blank-Override"])
def test_find_code__takes_code_or_slug_in_any_case(name: str) -> None:
    assert find_code(name) == "ASM103"


@pytest.mark.parametrize("name", ["", "ASM1", "ASM1030", "blank", "ASM999"])
def test_find_code__knows_no_prefix_and_no_other_name(name: str) -> None:
    assert find_code(name) is None
    assert explain_code(name) is None


def test_explain_code__gives_all_of_it() -> None:
    found = explain_code("chain-cut")

    assert found is not None
    assert (found.code, found.slug, found.severity) == ("ASM101", "chain-cut", "error")
    assert found.meaning, found.fix

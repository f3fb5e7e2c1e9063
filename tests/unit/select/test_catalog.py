"""The catalog under a ceiling: whole, shorter, fewer; the edges exactly."""

from __future__ import annotations

import random
import time

import pytest

from assembler.select.catalog import (
    SHORTEST_CHARACTERS,
    CatalogLine,
    FittedLine,
    fit_catalog,
    shorten,
)


def characters(name: str, description: str) -> int:
    return len(f"{name}: {description}")


def fit(lines: list[CatalogLine], ceiling: int) -> dict[str, FittedLine]:
    return {line.name: line for line in fit_catalog(lines, ceiling, characters)}


def words(count: int) -> str:
    return " ".join(["word"] * count)


def shown(fitted: dict[str, FittedLine]) -> int:
    return sum(line.cost for line in fitted.values() if line.description is not None)


TWO = [CatalogLine("a", words(40)), CatalogLine("b", words(12))]
WHOLE = characters("a", words(40)) + characters("b", words(12))


def test_full__exactly_is_whole() -> None:
    fitted = fit(TWO, WHOLE)
    assert [line.description for line in fitted.values()] == [words(40), words(12)]
    assert not any(line.is_shortened for line in fitted.values())


def test_one_over__shortens_the_longest_alone() -> None:
    fitted = fit(TWO, WHOLE - 1)
    assert fitted["b"].description == words(12)
    assert fitted["a"].description == words(39) + "..."
    assert fitted["a"].full_cost == characters("a", words(40))
    assert shown(fitted) <= WHOLE - 1


def test_empty__fits_into_nothing() -> None:
    assert fit_catalog([], 0, characters) == []


def test_zero__drops_all_with_their_costs() -> None:
    fitted = fit(TWO, 0)
    assert [line.description for line in fitted.values()] == [None, None]
    assert fitted["a"].full_cost == characters("a", words(40))


def test_shortest_lines__exactly_full_and_one_under() -> None:
    shortest = sum(characters(line.name, shorten(line.description, 40)) for line in TWO)
    assert all(line.description for line in fit(TWO, shortest).values())
    fitted = fit(TWO, shortest - 1)
    assert fitted["a"].description is not None
    assert fitted["b"].description is None


def test_dropping__goes_past_one_that_does_not_fit() -> None:
    lines = [CatalogLine("a" * 60, words(20)), CatalogLine("b", words(20)), CatalogLine("c", "x")]
    fitted = fit(lines, characters("c", "x") + 5)
    assert [line.description for line in fitted.values()] == [None, None, "x"]


def test_kept_lines__lose_last() -> None:
    lines = [CatalogLine("a", words(30)), CatalogLine("z", words(30), is_kept=True)]
    fitted = fit(lines, characters("z", words(30)) + 10)
    assert fitted["z"].description == words(30)
    assert fitted["a"].description is None
    fitted = fit(lines, characters("z", words(30)) - 1)
    assert fitted["z"].is_shortened
    assert fitted["a"].description is None
    assert [line.description for line in fit(lines, 0).values()] == [None, None]


def test_order__of_the_answer_is_that_of_the_question() -> None:
    lines = [CatalogLine("b", "x"), CatalogLine("a", "y", is_kept=True)]
    assert [line.name for line in fit_catalog(lines, 100, characters)] == ["b", "a"]


def test_line_that_would_not_get_cheaper__stays_whole() -> None:
    # Each blank is for free, so that a cut word and the mark cost the same.
    def price(name: str, description: str) -> int:
        return max(50, len(description))

    line = CatalogLine("a", "x" * 45)
    fitted = fit_catalog([line, CatalogLine("b", words(40))], 120, price)
    assert fitted[0] == FittedLine("a", "x" * 45, 50, 50)
    assert fitted[1].is_shortened


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        ("one two three", 13, "one two three"),
        ("one two three", 12, "one two..."),
        ("one two three", 10, "one two..."),
        ("one two three", 9, "one..."),
        ("onetwothree", 8, "onetw..."),
        ("xe\u0301e\u0301e\u0301e\u0301e\u0301", 7, "xe\u0301..."),
    ],
)
def test_shorten__keeps_whole_words_within_the_length(text: str, most: int, expected: str) -> None:
    assert shorten(text, most) == expected
    assert len(shorten(text, most)) <= most


@pytest.mark.parametrize("seed", range(40))
def test_any_catalog__fits_loses_nothing_silently_and_is_always_the_same(seed: int) -> None:
    chance = random.Random(seed)
    lines = [
        CatalogLine(f"s{number}", words(chance.randint(1, 200)), is_kept=chance.random() < 0.2)
        for number in range(chance.randint(1, 30))
    ]
    ceiling = chance.randint(0, sum(characters(line.name, line.description) for line in lines))
    fitted = fit(lines, ceiling)
    assert shown(fitted) <= ceiling
    assert [line.name for line in lines] == list(fitted)
    assert fitted == fit(lines, ceiling)
    for line in lines:
        found = fitted[line.name]
        assert found.full_cost == characters(line.name, line.description)
        if found.description not in (None, line.description):
            assert found.description is not None
            assert found.description.endswith("...")
            assert len(found.description) >= SHORTEST_CHARACTERS - 10


@pytest.mark.parametrize("seed", range(20))
def test_vocabulary__that_counts_unevenly_never_goes_over(seed: int) -> None:
    def price(name: str, description: str) -> int:
        return len(description) // 4 + random.Random(f"{seed}{name}{description}").randint(1, 9)

    chance = random.Random(seed)
    lines = [CatalogLine(f"s{n}", words(chance.randint(1, 90))) for n in range(12)]
    whole = sum(price(line.name, line.description) for line in lines)
    for ceiling in range(0, whole + 1, 17):
        fitted = fit_catalog(lines, ceiling, price)
        assert sum(line.cost for line in fitted if line.description is not None) <= ceiling
        assert fitted == fit_catalog(lines, ceiling, price)
        for line in fitted:
            assert line.cost <= line.full_cost


def test_thousand_long_lines__are_fitted_fast() -> None:
    lines = [CatalogLine(f"s{number:04}", words(204)) for number in range(1_000)]
    started = time.monotonic()
    for ceiling in (0, 10_000, 500_000):
        assert shown(fit(lines, ceiling)) <= ceiling
    assert time.monotonic() - started < 5

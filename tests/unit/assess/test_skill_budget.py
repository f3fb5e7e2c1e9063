"""The budget of an agent's list at its edges: exactly full, one over, not even bare, empty."""

from __future__ import annotations

import pytest

from assembler.assess.skill_budget import (
    LineParts,
    choose_lines,
    cut_description,
    find_model,
    fit_lines,
    set_budget,
)
from assembler.model.agent_skills import CODEX_SKILLS, KnownModel, SkillBudget

PARTS = [LineParts("a", "one", "r0/a/SKILL.md"), LineParts("b", "twelve", "r0/b/SKILL.md")]


def tokens(limit: int) -> SkillBudget:
    return SkillBudget(limit, "token", 1, "m", "model")


def characters(limit: int) -> SkillBudget:
    return SkillBudget(limit, "character", None, "m", "model")


def lines(parts: list[LineParts], budget: SkillBudget) -> list[str | None]:
    return [item.line for item in fit_lines(parts, budget, bytes_per_token=4)]


WHOLE = ["- a: one (file: r0/a/SKILL.md)", "- b: twelve (file: r0/b/SKILL.md)"]
WHOLE_COST = sum(len(line) + 1 for line in WHOLE)
BARE = ["- a: (file: r0/a/SKILL.md)", "- b: (file: r0/b/SKILL.md)"]
BARE_COST = sum(len(line) + 1 for line in BARE)


def test_fit__exactly_full_is_whole() -> None:
    assert lines(PARTS, characters(WHOLE_COST)) == WHOLE


def test_fit__one_over_shortens() -> None:
    fitted = fit_lines(PARTS, characters(WHOLE_COST - 1), bytes_per_token=4)

    assert [item.line for item in fitted] == [WHOLE[0], WHOLE[1].replace("twelve", "twelv")]
    assert [item.missing_characters for item in fitted] == [0, 1]


def test_fit__shares_out_one_character_each_in_order() -> None:
    # A first character costs the blank behind the description too.
    assert lines(PARTS, characters(BARE_COST + 5)) == [
        "- a: on (file: r0/a/SKILL.md)",
        "- b: t (file: r0/b/SKILL.md)",
    ]


def test_fit__exactly_bare_has_no_description() -> None:
    assert lines(PARTS, characters(BARE_COST)) == BARE


def test_fit__one_below_bare_drops_what_does_not_fit() -> None:
    assert lines(PARTS, characters(BARE_COST - 1)) == [BARE[0], None]


def test_fit__a_long_line_makes_room_for_a_short_one_behind_it() -> None:
    parts = [LineParts("a" * 60, "x", "r0/a/SKILL.md"), PARTS[1]]

    assert lines(parts, tokens(7)) == [None, BARE[1]]


def test_fit__nothing_fits_and_nothing_is_there() -> None:
    assert lines(PARTS, tokens(1)) == [None, None]
    assert lines([], tokens(1)) == []


def test_fit__tokens_are_bytes_by_four_rounded_up() -> None:
    part = LineParts("a", "\u00e9\u00e9", "r0/a/SKILL.md")
    size = len(part.spell(2).encode()) + 1
    needed = -(-size // 4)

    assert lines([part], tokens(needed)) == [part.spell(2)]
    assert lines([part], tokens(needed - 1)) != [part.spell(2)]


@pytest.mark.parametrize(
    ("length", "shown"), [(1_023, 1_023), (1_024, 1_024), (1_025, 1_024), (3_000, 1_024)]
)
def test_cut__keeps_to_the_limit(length: int, shown: int) -> None:
    text = cut_description("d" * length, 1_024)

    assert len(text) == shown
    assert text.endswith("...") == (length > 1_024)


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("gpt-5.5", "gpt-5.5"),
        ("gpt-6.2-sol-2026", "gpt-6.2-sol"),
        ("vendor/gpt-5.5", "gpt-5.5"),
        ("a-b_c/gpt-5.5", "gpt-5.5"),
        ("a/b/gpt-5.5", None),
        ("a.b/gpt-5.5", None),
        ("/gpt-5.5", None),
        ("GPT-5.5", None),
        ("other", None),
    ],
)
def test_model__is_the_longest_that_begins_the_name(name: str, slug: str | None) -> None:
    found = find_model(CODEX_SKILLS.models, name)

    assert (found.slug if found else None) == slug


@pytest.mark.parametrize(
    ("window", "limit", "unit"),
    [
        (None, 200, "token"),
        (5_000, 100, "token"),
        (10_000_000, 400, "token"),
        (1, 1, "token"),
        (0, 8_000, "character"),
        (-1, 8_000, "character"),
    ],
)
def test_budget__is_a_share_of_the_window(window: int | None, limit: int, unit: str) -> None:
    budget = set_budget(
        CODEX_SKILLS,
        KnownModel("m", 10_000, 20_000),
        name="m",
        window_tokens=window,
        window_place="config.toml:1",
        is_known=True,
    )

    assert (budget.limit, budget.unit) == (limit, unit)


def test_choice__is_whole_paths_where_the_table_eats_the_budget() -> None:
    root = "/" + "r" * 400
    aliased = [LineParts("a", "d", "r0/a/SKILL.md")]
    absolute = [LineParts("a", "d", "/short/a/SKILL.md")]
    table = [f"- `r0` = `{root}`"]

    small = choose_lines(aliased, absolute, table, tokens(20), CODEX_SKILLS)
    short_root = choose_lines(aliased, absolute, ["- `r0` = `/r`"], tokens(20), CODEX_SKILLS)

    assert (small.paths, small.table_cost) == ("absolute", 0)
    assert (short_root.paths, short_root.table_cost) == ("aliased", 0)


def test_choice__keeps_more_lines() -> None:
    root = "/" + "r" * 100
    aliased = [LineParts(name, "", f"r0/{name}/SKILL.md") for name in "abcdef"]
    absolute = [LineParts(name, "", f"{root}/{name}/SKILL.md") for name in "abcdef"]

    chosen = choose_lines(aliased, absolute, [f"- `r0` = `{root}`"], tokens(60), CODEX_SKILLS)

    assert chosen.paths == "aliased"
    assert all(item.line for item in chosen.fitted)
    assert chosen.used <= 60

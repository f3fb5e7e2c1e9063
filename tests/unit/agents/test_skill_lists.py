"""Lists of skills: which of equal names, the order, the cut, the budget on its edges."""

from __future__ import annotations

import pytest

from assembler.agents.skill_lists import Item, write_list
from assembler.agents.skill_rows import SkillRow
from assembler.agents.skill_rules import BudgetRules, ListRules

LINE = ListRules("- {name}: {description}", "places-name", "first", bare="- {name}")


def item(
    name: str, description: str = "d", *, root: str = "/r", scope: str = "repo", state: str = ""
) -> Item:
    row = SkillRow(
        kind="skill",
        state="hidden" if state == "hidden" else "listed",
        name=name,
        scope="user" if scope == "user" else "repo",
        path=f"{root}/{name}-{description[:1]}/SKILL.md",
        source=f"{root}/{name}-{description[:1]}/SKILL.md",
        root=root,
        description=description,
    )
    return Item(row, name, name)


def lines(items: list[Item], rules: ListRules = LINE) -> list[str]:
    return [row.line for row in write_list(items, rules)[0] if row.line is not None]


def budget(limit: int) -> ListRules:
    return LINE._replace(budget=BudgetRules(limit, own=10, least_own=10, most_own=10))


# Own skills 10; two lines of 10 with their line feeds; names alone 5 each.
FULL = 30


@pytest.mark.parametrize(
    ("limit", "shown"),
    [
        (FULL, ["- a: long", "- b: long"]),
        (FULL - 1, ["- a: long", "- b"]),
        (25, ["- a: long", "- b"]),
        (19 + 4, ["- a", "- b"]),
        (0, ["- a", "- b"]),
    ],
)
def test_budget__on_its_edges(limit: int, shown: list[str]) -> None:
    rows, spending = write_list([item("a", "long"), item("b", "long")], budget(limit))

    assert [row.line for row in rows] == shown
    assert spending is not None
    assert spending.bare == sum(row.state == "bare" for row in rows)
    assert spending.used == 10 + sum(len(line) + 1 for line in shown)


def test_budget__that_is_spent_gives_no_later_line_its_description() -> None:
    rules = budget(35)

    assert lines([item("a", "x" * 30), item("b", "d")], rules) == ["- a", "- b"]


def test_budget__says_what_hangs_on_the_size_of_the_agents_own_skills() -> None:
    rules = LINE._replace(budget=BudgetRules(40, own=15, least_own=10, most_own=30))
    rows, spending = write_list([item("a", "long"), item("b", "long")], rules)

    assert spending is not None
    assert (spending.bare, spending.open) == (0, 2)
    assert len(rows) == 2


def test_budget__of_an_empty_list() -> None:
    rows, spending = write_list([], budget(0))

    assert rows == []
    assert spending is not None
    assert (spending.used, spending.bare) == (10, 0)


@pytest.mark.parametrize(("size", "shown"), [(10, "x" * 10), (11, "x" * 9 + "…")])
def test_description__is_cut_when_it_is_one_too_long(size: int, shown: str) -> None:
    assert lines([item("a", "x" * size)], LINE._replace(most_units=10)) == [f"- a: {shown}"]


def test_escaping__is_that_of_the_description_and_comes_after_the_cut() -> None:
    rules = LINE._replace(most_units=3, escapes=(("<", "&lt;"), (">", "&gt;")))

    assert lines([item("a", "<&>"), item("b", "<<<<")], rules) == [
        "- a: &lt;&&gt;",
        "- b: &lt;&lt;…",
    ]


def test_template__puts_in_values_with_braces_as_they_are() -> None:
    assert lines([item("a", "{name} {description}")]) == ["- a: {name} {description}"]


def test_label__names_the_folder_where_the_name_is_another_one() -> None:
    rules = LINE._replace(label="{folder} ({name})", label_refused="[")
    named = [item("a")._replace(field_name=name) for name in ("x", "[x", "a", None, " ")]

    assert [lines([one], rules) for one in named] == [
        ["- a (x): d"],
        ["- a: d"],
        ["- a: d"],
        ["- a: d"],
        ["- a: d"],
    ]


def by_state(rules: ListRules, items: list[Item]) -> list[tuple[str, str, str | None]]:
    return [(row.path, row.state, row.by) for row in write_list(items, rules)[0]]


def test_first__of_equal_names_is_listed() -> None:
    found = by_state(LINE, [item("a", "u", root="/u"), item("a", "p", root="/p")])

    assert found == [
        ("/u/a-u/SKILL.md", "listed", None),
        ("/p/a-p/SKILL.md", "shadowed", "/u/a-u/SKILL.md"),
    ]


def test_last__of_equal_names_is_listed_at_the_place_of_the_first() -> None:
    rules = LINE._replace(equal="last")
    items = [item("a", "1", root="/u"), item("b", root="/u"), item("a", "2", root="/p")]

    assert lines(items, rules) == ["- a: 2", "- b: d"]


def test_race__is_told_of_every_candidate() -> None:
    rules = LINE._replace(equal="race", order="name")
    items = [item("a", "1", root="/1"), item("a", "2", root="/2"), item("a", "h", scope="user")]
    rows, _ = write_list(items, rules)

    assert [(row.state, row.line is not None) for row in rows] == [
        ("race", True),
        ("race", False),
        ("race", False),
    ]


def test_race__has_none_between_one_of_the_project_and_those_of_the_user() -> None:
    rules = LINE._replace(equal="race", order="name")
    rows, _ = write_list([item("a", "u", scope="user"), item("a", "p", root="/p")], rules)

    assert [(row.scope, row.state) for row in rows] == [("repo", "listed"), ("user", "shadowed")]


def test_hidden__has_no_line_and_costs_nothing() -> None:
    rows, spending = write_list([item("a", state="hidden"), item("b")], budget(100))

    assert [(row.name, row.line) for row in rows] == [("b", "- b: d"), ("a", None)]
    assert spending is not None
    assert spending.used == 10 + 7

"""Which names look like one that is read."""

from __future__ import annotations

import pytest

from assembler.model.look_alikes import is_other_case, look_alikes, right_name

NAMES = ("AGENTS.override.md", "AGENTS.md", "Guide.md")


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("agents.md", "AGENTS.md"),
        ("AGENTS.MD", "AGENTS.md"),
        ("Agents.Override.md", "AGENTS.override.md"),
        ("guide.md", "Guide.md"),
        (" AGENTS.md", "AGENTS.md"),
        ("AGENTS.md\u200b", "AGENTS.md"),
        ("AGENT\u0405.md", "AGENTS.md"),
        ("\u0410\u050c\u0415\u039dTS.md", "AGENTS.md"),
        ("\uff21GENTS.md", "AGENTS.md"),
        ("AGENTS\u2024md", "AGENTS.md"),
    ],
)
def test_right_name__is_the_one_that_a_reader_takes_it_for(name: str, right: str) -> None:
    assert right_name(name, NAMES) == right


@pytest.mark.parametrize("name", [*NAMES, "AGENT.md", "CLAUDE.md", "\u0410.md", "", "\u4e2d" * 9])
def test_right_name__is_none_of_a_read_name_and_of_others(name: str) -> None:
    assert right_name(name, NAMES) is None


def test_look_alikes__are_sorted() -> None:
    assert look_alikes({"b", "guide.md", "agents.md", "AGENTS.md"}, NAMES) == (
        "agents.md",
        "guide.md",
    )


def test_other_case__is_told_apart_from_another_script() -> None:
    assert is_other_case("agents.md", "AGENTS.md")
    assert not is_other_case("AGENT\u0405.md", "AGENTS.md")

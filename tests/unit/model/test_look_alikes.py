"""Which names look like one that is read."""

from __future__ import annotations

import pytest

from assembler.model.look_alikes import (
    is_other_case,
    look_alikes,
    mixed_scripts,
    read_as_latin,
    right_name,
)

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


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("d\u0435ploy", "deploy"),
        ("\u0441\u043e\u0440\u0443", "copy"),
        ("deploy", None),
        ("\u0434\u0435\u043b\u043e", None),
        ("\u6280\u80fd", None),
    ],
)
def test_read_as_latin__is_what_a_reader_sees(name: str, seen: str | None) -> None:
    assert read_as_latin(name) == seen


@pytest.mark.parametrize(
    ("name", "scripts"),
    [
        ("m\u0438x", ("Cyrillic", "Latin")),
        ("\u03b1-b", ("Greek", "Latin")),
        ("\u043c\u0438\u0440-2", ()),
        ("pdf-\u6280\u80fd", ()),
        ("caf\u00e9", ()),
    ],
)
def test_mixed_scripts__are_alphabets_that_look_alike(name: str, scripts: tuple[str, ...]) -> None:
    assert mixed_scripts(name) == scripts

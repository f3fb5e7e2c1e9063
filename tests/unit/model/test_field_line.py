"""The line of a field: plain where YAML then reads the same, in quotes elsewhere."""

from __future__ import annotations

import pytest

from assembler.adapters.frontmatter import read_front_matter
from assembler.model.field_line import (
    name_odd_blank,
    spell_line,
    spell_quoted,
    strip_blanks,
    tell_missing_blank,
)

VALUES = [
    "x", "1.0", "it's", "a:b", "C#", "a#b", "(x)", "null", "~", "", " x ", "a: b", "a #b", "a:",
    "- x", "? x", "&a", "*a", "!t", "@x", "`x", "%x", "[a]", "{a}", "'", '"', "\\", "|", ">", "#",
    "\u00e9", "a\tb",
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("spell", [spell_line, spell_quoted])
def test_line__reads_as_the_value(value: str, spell: object) -> None:
    assert callable(spell)
    front = read_front_matter(f"---\n{spell('name', value)}\n---\n".encode())

    assert (front.members["name"], front.repaired, front.irregular) == (value, None, ())


def test_line__is_plain_where_it_can_be() -> None:
    assert spell_line("name", "it's 1.0") == "name: it's 1.0"
    assert spell_line("name", 'a: "b"') == 'name: "a: \\"b\\""'


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("\u00a0x", "U+00A0 (no-break space)"),
        ("\u200b", "U+200B (zero width space)"),
        ("\u0085x", "U+0085"),
        ("x", None),
        (" x", None),
        ("\tx", None),
        ("\u00e9", None),
        ("", None),
    ],
)
def test_odd_blank__is_named(text: str, named: str | None) -> None:
    assert name_odd_blank(text) == named


def test_blanks__are_stripped_in_any_order() -> None:
    assert strip_blanks("\u00a0 \u200b\tx y \u00a0") == "x y"


def test_words__say_whether_a_blank_is_there() -> None:
    assert tell_missing_blank("name", "x") == "no blank stands behind the colon of name"
    assert "U+00A0" in tell_missing_blank("name", "\u00a0x")

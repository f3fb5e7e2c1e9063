"""Fields that the specification does not have: which are slips, and for what."""

from __future__ import annotations

import pytest

from assembler.adapters.frontmatter import read_front_matter
from assembler.discover.unknown_fields import tell_missing, tell_unknown
from assembler.model.skill import FrontMatter


def front(block: str) -> FrontMatter:
    return read_front_matter(f"---\n{block}\n---\n".encode())


def fix_of(key: str, value: str = "v") -> str | None:
    (error,) = tell_unknown(front(f"{key}: {value}"), "x")
    assert error.kind == "unexpected_fields"
    return error.fix


@pytest.mark.parametrize(
    ("key", "field"),
    [
        ("descripton", "description"),
        ("decsription", "description"),
        ("Description", "description"),
        ("descriptions", "description"),
        ("desciptionn", "description"),
        ("licence", "license"),
        ("licens", "license"),
        ("meta-data", "metadata"),
        ("allowed_tools", "allowed-tools"),
        ("allowedTools", "allowed-tools"),
        ("allowed-tool", "allowed-tools"),
        ("Compatability", "compatibility"),
    ],
)
def test_slip__is_the_field_that_it_is_near(key: str, field: str) -> None:
    assert fix_of(key) == f"{field}: v"


@pytest.mark.parametrize(
    "key", ["disallowed-tools", "tools", "version", "model", "mode", "author", "desc", "nm", "é"]
)
def test_field__that_is_far_is_moved(key: str) -> None:
    assert str(fix_of(key)).startswith("metadata: {")


def test_name__gets_a_name_that_keeps_the_format() -> None:
    assert fix_of("Name", "Foo Bar") == "name: x"
    (error,) = tell_unknown(front("Name: Foo Bar"), None)
    assert error.fix == "name: foo-bar"


def test_value__that_is_no_line_stays_where_it_is() -> None:
    assert fix_of("descripton", "|\n  a\n  b") == "write description in place of descripton"
    assert fix_of("hooks", "[a]") == "move it under metadata"


def test_missing__has_the_place_and_edit_of_what_stands_for_it() -> None:
    block = front("license: MIT\nDescription: d")
    (slip,) = tell_unknown(block, None)
    missing = tell_missing("description", block, None, "else")

    assert missing[1:3] == slip[1:3] == (3, 1)
    assert missing.fix == slip.fix == "description: d"
    assert tell_missing("name", block, None, "else")[1:] == (1, 1, "the skill has no name", "else")

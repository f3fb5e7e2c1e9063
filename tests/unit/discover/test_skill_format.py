"""The specification's errors: their kind, their place, and the edit that mends each."""

from __future__ import annotations

import pytest

from assembler.adapters.frontmatter import read_front_matter
from assembler.discover.skill_format import (
    find_format_errors,
    find_yaml_errors,
    read_properties,
)
from assembler.model.skill import FrontMatter


def front_matter(block: str) -> FrontMatter:
    return read_front_matter(f"---\n{block}\n---\nBody\n".encode())


def errors_of(block: str, folder: str | None = "x") -> list[tuple[str, int | None, int | None]]:
    found = find_format_errors(front_matter(block), folder)
    return [(error.kind, error.line, error.column) for error in found]


@pytest.mark.parametrize(
    ("block", "kind", "place", "fix"),
    [
        ("description: d", "missing_name", (1, 1), "name: x"),
        ("name:\ndescription: d", "name_empty_or_not_string", (2, 6), "name: x"),
        ("name: ~\ndescription: d", "name_empty_or_not_string", (2, 7), "name: x"),
        ("name: [x]\ndescription: d", "name_empty_or_not_string", (2, 7), "name: x"),
        ("description: d\nname: y", "dir_mismatch", (3, 7), "name: x"),
        ("name: x", "missing_description", (1, 1), "description: What it does. Use when ..."),
        (
            "name: x\ndescription: d\ncompatibility:",
            "compatibility_empty", (4, 15), "delete the line",
        ),
        (
            "name: x\ndescription: d\ncompatibility:\n  - git\n  - jq",
            "compatibility_not_string", (5, 3), "compatibility: git, jq",
        ),
        (
            "name: x\ndescription: d\nallowed_tools: Read",
            "unexpected_fields", (4, 1), "allowed-tools: Read",
        ),
        (
            "name: x\ndescription: d\nversion: 1.0",
            "unexpected_fields", (4, 1), 'metadata: {version: "1.0"}',
        ),
        (
            "name: x\ndescription: d\nhooks:\n  a: b",
            "unexpected_fields", (4, 1), "move it under metadata",
        ),
        (
            f"name: x\ndescription: {'d' * 1_030}",
            "description_too_long", (3, 14), "shorten it by 6 characters",
        ),
        (
            f"name: x\ndescription: d\ncompatibility: {'c' * 501}",
            "compatibility_too_long", (4, 16), "shorten it by 1 character",
        ),
    ],
)  # fmt: skip
def test_error__has_kind_place_and_edit(
    block: str, kind: str, place: tuple[int, int], fix: str
) -> None:
    (error,) = find_format_errors(front_matter(block), "x")

    assert (error.kind, (error.line, error.column), error.fix) == (kind, place, fix)


@pytest.mark.parametrize(
    ("name", "kinds", "fix"),
    [
        ("PDF", {"name_not_lowercase"}, "name: pdf"),
        ("pdf tools", {"name_invalid_chars"}, "name: pdf-tools"),
        ("-pdf", {"name_edge_hyphen"}, "name: pdf"),
        ("p--df", {"name_double_hyphen"}, "name: p-df"),
        ("p" * 65, {"name_too_long"}, f"name: {'p' * 64}"),
        ("\ufb03" * 22, {"name_too_long"}, f"name: {'ffi' * 21}f"),
        ("Я_я", {"name_not_lowercase", "name_invalid_chars"}, "name: я-я"),
        ("☔", {"name_invalid_chars"}, "name it as its folder"),
    ],
)
def test_name__that_breaks_the_format_is_mended_to_the_nearest(
    name: str, kinds: set[str], fix: str
) -> None:
    errors = find_format_errors(front_matter(f"name: {name}\ndescription: d"), name)

    assert {error.kind for error in errors} == kinds
    assert {error.fix for error in errors} == {fix}


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("caf\u00e9", "cafe\u0301"),
        ("\ufb01le", "file"),
        ("\uff52\uff41\uff49\uff4e", "rain"),
        ("' x '", "x"),
        ("技能", "技能"),
        ("straße", "straße"),
        ("x" * 64, "x" * 64),
    ],
)
def test_name__is_compared_with_its_folder_after_nfkc(name: str, folder: str) -> None:
    assert errors_of(f"name: {name}\ndescription: d", folder) == []


def test_folder__with_blanks_is_another_name() -> None:
    assert errors_of("name: x\ndescription: d", " x") == [("dir_mismatch", 2, 7)]
    assert errors_of("name: x\ndescription: d", None) == []


def test_mismatch__names_the_folder_to_rename_where_that_is_no_name() -> None:
    (error,) = find_format_errors(front_matter("name: x\ndescription: d"), "X y")

    assert error.fix == "rename the folder to x"


def test_length__is_counted_in_characters_of_the_whole_value() -> None:
    assert errors_of(f"name: x\ndescription: {'😀' * 1_024}") == []
    block = f"name: x\ndescription: |\n  {'d' * 1_024}\n"
    assert [kind for kind, _, _ in errors_of(block)] == ["description_too_long"]


def test_yaml_errors__are_what_strict_readers_refuse() -> None:
    repaired = find_yaml_errors(front_matter("name: x\ndescription: a: b"))
    tabbed = find_yaml_errors(front_matter("name: x\ndescription:\ta"))

    assert [(error.kind, error.line, error.column) for error in repaired] == [
        ("invalid_yaml", 3, 15)
    ]
    assert [(error.kind, error.line, error.column) for error in tabbed] == [("invalid_yaml", 3, 13)]
    assert find_yaml_errors(front_matter("name: x\ndescription: 'a: b'")) == ()


def test_properties__are_text_as_it_was_written() -> None:
    front = front_matter(
        "name: ' x '\ndescription: |\n  d\n\nlicense: ~\nallowed-tools: [Read]\n"
        "metadata:\n  a: 1.10\n  b: [c, {d: e}]\n  f:\nother: 1"
    )

    assert read_properties(front) == {
        "name": "x",
        "description": "d",
        "license": "~",
        "allowed-tools": ["Read"],
        "metadata": {"a": "1.10", "b": "['c', {'d': 'e'}]", "f": ""},
    }


@pytest.mark.parametrize(
    "block", ["name: x", "name: x\ndescription: ' '", "name: x\ndescription: a: b"]
)
def test_properties__are_none_where_none_are_read(block: str) -> None:
    assert read_properties(front_matter(block)) is None

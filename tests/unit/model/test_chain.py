"""The rules of the walk and the small functions on paths."""

from __future__ import annotations

import unicodedata

import pytest

from assembler.model.agent import CODEX
from assembler.model.chain import (
    STRICT,
    WHITE_SPACE,
    ChainRow,
    clean_fallbacks,
    folders_down_to,
    join_path,
    leaves_top,
    parent_folder,
)
from assembler.model.tree import Entry, EntryKind


def test_presets__differ_in_each_parameter_of_the_walk() -> None:
    fields = ("root", "bom", "same_file", "cut", "outside_links", "unfit_text")

    assert all(getattr(STRICT, name) != getattr(CODEX.walk, name) for name in fields)
    assert STRICT.limit_bytes == CODEX.walk.limit_bytes == 32768


def test_names__are_override_regular_and_fallbacks_in_their_order() -> None:
    rules = STRICT._replace(fallbacks=("B.md", "A.md"))

    assert rules.names == ("AGENTS.override.md", "AGENTS.md", "B.md", "A.md")


@pytest.mark.parametrize(
    ("configured", "taken"),
    [
        ([" GUIDE.md ", "\u3000PAD.md"], ("GUIDE.md", "PAD.md")),
        (["", "  ", "GUIDE.md", "GUIDE.md"], ("GUIDE.md",)),
        (["./A.md", "a/b.md", "/x/A.md", "A.md/", ".", ".."], ()),
        (["AGENTS.md", "AGENTS.override.md", "B.md"], ("B.md",)),
        (["a\\b.md", ".r\u00e8gles.md"], ("a\\b.md", ".r\u00e8gles.md")),
    ],
)
def test_clean_fallbacks__takes_bare_names_once(
    configured: list[str], taken: tuple[str, ...]
) -> None:
    assert clean_fallbacks(configured) == taken


def test_white_space__is_unicodes_property() -> None:
    assert len(WHITE_SPACE) == 25
    separators = {
        chr(point)
        for point in range(0x110000)
        if unicodedata.category(chr(point)) in {"Zs", "Zl", "Zp"}
    }
    assert separators <= set(WHITE_SPACE)
    assert not set("\x1c\x1d\x1e\x1f\u200b\ufeff\u180e") & set(WHITE_SPACE)


@pytest.mark.parametrize(
    ("folder", "top", "expected"),
    [
        ("", "", ("",)),
        ("a", "", ("", "a")),
        ("a/b/c", "", ("", "a", "a/b", "a/b/c")),
        ("a/b/c", "a", ("a", "a/b", "a/b/c")),
        ("a/b", "a/b", ("a/b",)),
        ("ab/c", "a", ("ab/c",)),
    ],
)
def test_folders_down_to__is_root_first_and_ends_at_the_folder(
    folder: str, top: str, expected: tuple[str, ...]
) -> None:
    assert folders_down_to(folder, top=top) == expected


def test_paths__of_the_root_have_no_slash() -> None:
    assert join_path("", "x") == "x"
    assert join_path("a/b", "x") == "a/b/x"
    assert parent_folder("x") == ""
    assert parent_folder("a/b/x") == "a/b"


@pytest.mark.parametrize(
    ("entry", "top", "outside"),
    [
        (Entry(path="r/A", kind=EntryKind.FILE, real_path="r/A"), "r", False),
        (Entry(path="r/A", kind=EntryKind.FILE, real_path="r/x/B"), "r", False),
        (Entry(path="r/A", kind=EntryKind.FILE, real_path="rx/B"), "r", True),
        (Entry(path="A", kind=EntryKind.FILE, real_path="x/B"), "", False),
        (Entry(path="A", kind=EntryKind.OUTSIDE_LINK), "", True),
    ],
)
def test_leaves_top__looks_at_where_links_lead(entry: Entry, top: str, *, outside: bool) -> None:
    assert leaves_top(entry, top) is outside


def test_row_to_json__has_the_members_of_the_output() -> None:
    row = ChainRow("in", "AGENTS.md", ".", 10, 10, "root", "root", "0" * 64)

    assert row.to_json() == {
        "state": "in", "path": "AGENTS.md", "scope": ".", "sha256": "0" * 64, "reason": "root",
        "size_bytes": 10, "loaded_bytes": 10, "note": "root", "link": None,
    }  # fmt: skip

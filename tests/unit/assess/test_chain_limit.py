"""The limit of a chain: what is cut, where, what is lost behind it, and what costs nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assembler.assess.chain import assess_chain
from assembler.model.chain import (
    STRICT,
    FolderFinds,
    InstructionSearch,
    WalkRules,
)
from assembler.model.tree import Beginning, Entry, EntryKind, Unreadable
from tests.builders.chains import (
    FAITHFUL,
    chain_of_texts,
    codes,
    refused,
    row_of,
    states,
)


@pytest.mark.parametrize("rules", [STRICT, FAITHFUL])
def test_limit__holds_exactly(rules: WalkRules) -> None:
    full = chain_of_texts(b"x" * 60, b"y" * 40, rules=rules)
    over = chain_of_texts(b"x" * 60, b"y" * 41, rules=rules)

    assert (full.total_bytes, codes(full), refused(full)) == (100, [], None)
    assert (over.total_bytes, codes(over), refused(over)) == (100, ["ASM101"], "ASM101")
    assert row_of(over, "a/AGENTS.md").loaded_bytes == 40
    assert over.lost == (row_of(over, "a/AGENTS.md"),)


def test_lost__is_what_stands_behind_a_limit_that_is_used_up() -> None:
    chain = chain_of_texts(b"x" * 100, b"y" * 30)

    assert states(chain) == [("in", "AGENTS.md"), ("lost", "a/AGENTS.md")]
    (finding,) = chain.findings
    assert (finding.code, finding.data["over_bytes"], finding.data["nearest"]) == (
        "ASM102",
        30,
        True,
    )
    assert "100 bytes" in finding.message
    assert refused(chain) == "ASM102"


def test_lost__is_no_blank_file() -> None:
    chain = chain_of_texts(b"x" * 100, b" \n")

    assert states(chain) == [("in", "AGENTS.md"), ("blank", "a/AGENTS.md")]
    assert refused(chain) is None


def test_cut__says_line_byte_and_headings_behind_it() -> None:
    head = b"# Title\n\n```\n# no heading\n```\n"
    tail = b"## Release\ntext\n   ### Security review\n    # code\n#tag\n####### seven\n"
    chain = chain_of_texts(head + tail, b"leaf\n", limit=len(head))

    cut = row_of(chain, "AGENTS.md").cut
    assert cut is not None
    assert (cut.byte, cut.line) == (len(head), 6)
    assert cut.headings == ("## Release", "### Security review")
    assert row_of(chain, "AGENTS.md").note == f"stops at line 6; {len(tail)} bytes lost"
    first, second = chain.findings
    assert (first.code, first.line, second.code) == ("ASM101", 6, "ASM102")
    assert first.data["lost_files"] == ["a/AGENTS.md"]
    assert first.data["lost_bytes"] == len(tail)
    assert first.data["over_bytes"] == len(tail) + 5
    assert f"move {len(tail) + 5} bytes" in (first.fix or "")


def test_cut__does_not_count_a_heading_that_is_partly_loaded() -> None:
    cut = row_of(chain_of_texts(b"# One\n## Two\n", limit=8), "AGENTS.md").cut

    assert cut is not None
    assert (cut.line, cut.headings) == (2, ())


@pytest.mark.parametrize("limit", range(1, 24))
def test_cut__strict_keeps_whole_characters_and_faithful_raw_bytes(limit: int) -> None:
    text = "Größe: ≤ 5 🙂 ok\n"
    data = text.encode()
    strict = chain_of_texts(data, limit=limit)
    faithful = chain_of_texts(data, limit=limit, rules=FAITHFUL)

    if limit == len(data):
        assert strict.texts == faithful.texts == {"AGENTS.md": data}
        return
    kept = strict.texts.get("AGENTS.md", b"")
    assert text.startswith(kept.decode())
    assert limit - 4 < len(kept) <= limit
    assert faithful.texts["AGENTS.md"] == data[:limit].decode("utf-8", "replace").encode()
    splits = row_of(faithful, "AGENTS.md").cut
    assert splits is not None
    assert splits.splits_character == (len(kept) != limit)


def test_cut__leaves_nothing_for_deeper_files_even_where_a_character_did_not_fit() -> None:
    chain = chain_of_texts("ééé".encode(), b"x", limit=5)

    assert chain.texts == {"AGENTS.md": "éé".encode()}
    assert states(chain) == [("cut", "AGENTS.md"), ("lost", "a/AGENTS.md")]


def test_cut__before_a_line_feed_is_still_on_its_line() -> None:
    cut = row_of(chain_of_texts(b"ab\ncd", limit=2), "AGENTS.md").cut

    assert cut is not None
    assert cut.line == 1


def test_cut__to_white_space_costs_nothing() -> None:
    chain = chain_of_texts(b" " * 20 + b"text", b"12345678", limit=8)

    assert states(chain) == [("cut", "AGENTS.md"), ("in", "a/AGENTS.md")]
    assert row_of(chain, "AGENTS.md").loaded_bytes == 0
    assert codes(chain) == ["ASM101"]


def test_limit_zero__turns_project_files_off_and_says_so() -> None:
    chain = chain_of_texts(b"x", Unreadable("EACCES"), limit=0)

    assert [row.state for row in chain.rows] == ["off", "off"]
    assert ([item.code for item in chain.findings], chain.texts) == (["ASM128"], {})


@given(
    st.lists(st.text(alphabet="aé≤🙂 \n#", max_size=12), max_size=5),
    st.integers(min_value=1, max_value=40),
    st.sampled_from([STRICT, FAITHFUL]),
)
def test_limit__is_never_exceeded_and_loses_nothing_silently(
    texts: list[str], limit: int, rules: WalkRules
) -> None:
    files = [text.encode() for text in texts]
    chain = chain_of_texts(*files, limit=limit, rules=rules)

    assert chain.total_bytes <= limit
    assert len(chain.rows) == len(files)
    for row, data in zip(chain.rows, files, strict=True):
        assert row.size_bytes == len(data)
        if row.state == "in":
            assert chain.texts[row.path] == data
        elif row.state == "cut":
            assert data.startswith(chain.texts.get(row.path, b"")) or rules is FAITHFUL
            assert "ASM101" in codes(chain)
        elif row.state == "lost":
            assert "ASM102" in codes(chain)
        else:
            assert row.state == "blank"
            assert not data.strip()
    whole = sum(len(data) for data in files if data.strip())
    assert (refused(chain) is None) == (whole <= limit or not chain.lost)


@pytest.mark.parametrize("text", ["", " \n\t", "\u00a0\u3000\x85\u2028"])
def test_blank__is_unicode_white_space(text: str) -> None:
    assert [row.state for row in chain_of_texts(text.encode()).rows] == ["blank"]


@pytest.mark.parametrize("text", ["\u200b", "\x1c", "x"])
def test_blank__is_nothing_else(text: str) -> None:
    assert [row.state for row in chain_of_texts(text.encode()).rows] == ["in"]


def test_huge_file__is_cut_by_its_beginning() -> None:
    entry = Entry(path="AGENTS.md", kind=EntryKind.FILE, real_path="AGENTS.md", size_bytes=10**10)
    search = InstructionSearch("", (FolderFinds("", used=entry),))
    begun = Beginning(b"x" * 20, 10**10)

    chain = assess_chain(search, {"AGENTS.md": begun}, FAITHFUL._replace(limit_bytes=8))

    assert chain.texts == {"AGENTS.md": b"x" * 8}
    assert chain.findings[0].data["lost_bytes"] == 10**10 - 8
    assert chain.rows[0].sha256 is None


def test_blank_character__that_the_limit_cuts_is_blank_no_more() -> None:
    blank = b"\xc2\xa0\xe3\x80\x80\n"

    faithful = chain_of_texts(blank, limit=4, rules=FAITHFUL)
    strict = chain_of_texts(blank, limit=4)

    assert faithful.rows[0].state == "cut"
    assert faithful.texts == {"AGENTS.md": "\u00a0\ufffd".encode()}
    assert strict.rows[0].state == "blank"

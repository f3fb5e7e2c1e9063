"""The chain: limit, cut, blanks, errors, encodings, and a row for everything that was met."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assembler.assess.chain import assess_chain, refuse_broken_chain
from assembler.discover.instructions import files_to_read, find_instructions
from assembler.model.agent import CODEX
from assembler.model.chain import (
    STRICT,
    Chain,
    ChainRow,
    FolderFinds,
    InstructionSearch,
    WalkRules,
)
from assembler.model.tree import Beginning, Entry, EntryKind, Unreadable
from tests.builders.trees import FIFO, FOLDER, Link, read_entries, write_tree

FAITHFUL = CODEX.walk


def chain_of_files(
    tmp_path: Path, files: dict[str, Any], end: str = "", rules: WalkRules = STRICT, **options: Any
) -> Chain:
    tree = write_tree(tmp_path, files)
    search = find_instructions(tree, [end], rules=rules, targets=options.pop("targets", ()))
    return assess_chain(search, read_entries(tree, files_to_read(search, rules)), rules, **options)


def chain_of_texts(
    *texts: bytes | Unreadable, limit: int = 100, rules: WalkRules = STRICT
) -> Chain:
    """A chain of one file a folder, `AGENTS.md`, `a/AGENTS.md`, `a/a/AGENTS.md` …"""
    folders, contents = [], {}
    for depth, text in enumerate(texts):
        folder = "/".join("a" * depth)
        path = f"{folder}/AGENTS.md".lstrip("/")
        size = len(text) if isinstance(text, bytes) else 7
        entry = Entry(path=path, kind=EntryKind.FILE, real_path=path, size_bytes=size)
        folders.append(FolderFinds(folder, used=entry))
        contents[path] = text
    search = InstructionSearch("", tuple(folders))
    return assess_chain(search, contents, rules._replace(limit_bytes=limit))


def states(chain: Chain) -> list[tuple[str, str]]:
    return [(row.state, row.path) for row in chain.rows]


def row_of(chain: Chain, path: str) -> ChainRow:
    return next(row for row in chain.rows if row.path == path)


def codes(chain: Chain) -> list[str]:
    return [finding.code for finding in chain.findings]


def refused(chain: Chain) -> str | None:
    finding = refuse_broken_chain(chain)
    return None if finding is None else finding.code


def test_chain__is_root_first_with_raw_digests() -> None:
    chain = chain_of_texts(b"root\n", b"", b"leaf\n")

    assert list(chain.texts.items()) == [("AGENTS.md", b"root\n"), ("a/a/AGENTS.md", b"leaf\n")]
    assert row_of(chain, "AGENTS.md").sha256 == hashlib.sha256(b"root\n").hexdigest()
    assert (row_of(chain, "AGENTS.md").reason, row_of(chain, "a/a/AGENTS.md").reason) == (
        "root",
        "folder",
    )
    assert row_of(chain, "AGENTS.md").scope == "."
    assert row_of(chain, "a/a/AGENTS.md").scope == "a/a"
    assert chain.total_bytes == 10
    assert (codes(chain), refused(chain)) == ([], None)


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


def test_limit_zero__turns_project_files_off_without_a_finding() -> None:
    chain = chain_of_texts(b"x", Unreadable("EACCES"), limit=0)

    assert [row.state for row in chain.rows] == ["off", "off"]
    assert (chain.findings, chain.texts) == ((), {})


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


def test_blank_override__hides_its_sibling_and_is_a_warning(tmp_path: Path) -> None:
    files = {"AGENTS.override.md": "  \n", "AGENTS.md": "shared", "d/AGENTS.md": "d"}
    chain = chain_of_files(tmp_path, files, "d")

    assert states(chain) == [
        ("blank", "AGENTS.override.md"),
        ("hidden", "AGENTS.md"),
        ("in", "d/AGENTS.md"),
    ]
    (finding,) = chain.findings
    assert (finding.code, finding.fix) == ("ASM103", "git rm AGENTS.override.md")
    assert finding.data["hidden"] == ["AGENTS.md"]
    assert refused(chain) is None


def test_blank_override__alone_is_no_finding(tmp_path: Path) -> None:
    assert chain_of_files(tmp_path, {"AGENTS.override.md": ""}).findings == ()


def test_override__with_text_is_a_note(tmp_path: Path) -> None:
    chain = chain_of_files(tmp_path, {"AGENTS.override.md": "o", "AGENTS.md": "shared"})

    assert codes(chain) == ["ASM104"]
    assert row_of(chain, "AGENTS.md").note == "behind AGENTS.override.md"


def test_bom__is_dropped_in_strict_and_kept_in_faithful() -> None:
    data = b"\xef\xbb\xbfUse tabs.\n"
    strict, faithful = chain_of_texts(data), chain_of_texts(data, rules=FAITHFUL)

    assert strict.texts == {"AGENTS.md": b"Use tabs.\n"}
    assert (strict.rows[0].size_bytes, strict.rows[0].loaded_bytes) == (13, 10)
    assert strict.rows[0].bom_dropped
    assert strict.rows[0].sha256 == hashlib.sha256(data).hexdigest()
    assert faithful.texts == {"AGENTS.md": data}
    assert not faithful.rows[0].bom_dropped


def test_bom__counts_against_the_limit_in_both() -> None:
    data = b"\xef\xbb\xbf" + b"x" * 98

    assert chain_of_texts(data).texts == {"AGENTS.md": b"x" * 97}
    assert row_of(chain_of_texts(data), "AGENTS.md").cut is not None
    assert codes(chain_of_texts(data[:50], b"y" * 50)) == []
    assert codes(chain_of_texts(data[:51], b"y" * 50)) == ["ASM101"]


def test_bom__alone_is_blank_only_where_it_is_dropped() -> None:
    assert chain_of_texts(b"\xef\xbb\xbf").rows[0].state == "blank"
    assert chain_of_texts(b"\xef\xbb\xbf", rules=FAITHFUL).rows[0].state == "in"


def test_invalid_utf8__loses_the_file_in_strict_and_only_it() -> None:
    chain = chain_of_texts(b"Use caf\xe9 style.", b"p rule\n")

    assert states(chain) == [("lost", "AGENTS.md"), ("in", "a/AGENTS.md")]
    assert row_of(chain, "AGENTS.md").sha256 is not None
    (finding,) = chain.findings
    assert (finding.code, finding.data["byte"]) == ("ASM110", 7)
    assert refused(chain) == "ASM110"


def test_invalid_utf8__is_replaced_in_faithful_and_told() -> None:
    chain = chain_of_texts(b"ab\xff\xfecd", rules=FAITHFUL)

    assert chain.texts == {"AGENTS.md": "ab\ufffd\ufffdcd".encode()}
    assert row_of(chain, "AGENTS.md").loaded_bytes == 6
    assert codes(chain) == ["ASM110"]


def test_invalid_utf8__behind_the_cut_reaches_nobody_in_faithful() -> None:
    assert codes(chain_of_texts(b"abcd\xff", limit=4, rules=FAITHFUL)) == ["ASM101"]


def test_utf16__is_named() -> None:
    (finding,) = chain_of_texts("Regel\n".encode("utf-16")).findings

    assert finding.message.startswith("it looks like UTF-16")


@pytest.mark.parametrize("rules", [STRICT, FAITHFUL])
@pytest.mark.parametrize("reason", ["EACCES", "ELOOP", "changed-during-read", "corrupt-object"])
def test_unreadable__loses_every_file_of_the_chain(rules: WalkRules, reason: str) -> None:
    chain = chain_of_texts(b"root", Unreadable(reason), b"leaf", rules=rules)

    assert [row.state for row in chain.rows] == ["lost", "lost", "lost"]
    assert (chain.texts, chain.total_bytes) == ({}, 0)
    assert row_of(chain, "AGENTS.md").note == "dropped with a/AGENTS.md"
    (finding,) = chain.findings
    assert (finding.code, finding.path) == ("ASM107", "a/AGENTS.md")
    assert (finding.data["problem"], finding.data["loses_all"]) == (reason, True)
    assert refused(chain) == "ASM107"


def test_unreadable__behind_a_limit_that_is_used_up_is_never_read() -> None:
    chain = chain_of_texts(b"1234", Unreadable("EACCES"), limit=4, rules=FAITHFUL)

    assert states(chain) == [("in", "AGENTS.md"), ("lost", "a/AGENTS.md")]
    assert codes(chain) == ["ASM102"]


@pytest.mark.parametrize("reason", ["missing", "size-limit"])
def test_unreadable__by_its_size_or_gone_loses_itself(reason: str) -> None:
    chain = chain_of_texts(b"root", Unreadable(reason), limit=100)

    assert states(chain) == [("in", "AGENTS.md"), ("lost", "a/AGENTS.md")]
    assert refused(chain) == "ASM107"


def test_denied__is_off_and_no_fault() -> None:
    chain = chain_of_texts(Unreadable("denied"), b"leaf")

    assert states(chain) == [("off", "AGENTS.md"), ("in", "a/AGENTS.md")]
    assert (row_of(chain, "AGENTS.md").reason, refused(chain)) == ("access-denied", None)


@pytest.mark.parametrize("rules", [STRICT, FAITHFUL])
def test_loop__loses_the_chain_wherever_it_stands(tmp_path: Path, rules: WalkRules) -> None:
    files = {
        "AGENTS.md": Link("nowhere.md"), "a/AGENTS.md": Link("loop.md"),
        "a/loop.md": Link("AGENTS.md"), "a/b/AGENTS.md": "leaf",
    }  # fmt: skip
    chain = chain_of_files(tmp_path, files, "a/b", rules)

    assert {row.state for row in chain.rows} == {"lost"}
    assert [(finding.code, finding.path) for finding in chain.findings] == [
        ("ASM107", "AGENTS.md"),
        ("ASM107", "a/AGENTS.md"),
    ]
    assert (chain.texts, refused(chain)) == ({}, "ASM107")
    assert row_of(chain, "AGENTS.md").link_text == "nowhere.md"


def test_dead_link__lets_the_next_name_in_and_strict_refuses(tmp_path: Path) -> None:
    chain = chain_of_files(tmp_path, {"AGENTS.override.md": Link("gone"), "AGENTS.md": "text"})

    assert states(chain) == [("lost", "AGENTS.override.md"), ("in", "AGENTS.md")]
    assert refused(chain) == "ASM107"


def test_outside_link__is_lost_and_refused_and_the_rest_is_in(tmp_path: Path) -> None:
    (tmp_path / "private.md").write_text("PRIVATE")
    files = {"AGENTS.md": Link("../private.md"), "p/AGENTS.md": "p rule\n"}
    chain = chain_of_files(tmp_path / "r", files, "p")

    assert states(chain) == [("lost", "AGENTS.md"), ("in", "p/AGENTS.md")]
    assert row_of(chain, "AGENTS.md").note == "-> ../private.md, never opened"
    assert refused(chain) == "ASM106"
    assert "PRIVATE" not in repr(chain)


def test_outside_link__is_followed_and_told_in_faithful(tmp_path: Path) -> None:
    files = {"r/AGENTS.md": Link("../out.md"), "out.md": "outside"}
    tree = write_tree(tmp_path, files)
    search = find_instructions(tree, ["r"], rules=FAITHFUL, top="r")
    chain = assess_chain(search, read_entries(tree, files_to_read(search, FAITHFUL)), FAITHFUL)

    assert chain.texts == {"r/AGENTS.md": b"outside"}
    assert codes(chain) == ["ASM106"]


def test_same_file__is_loaded_once_in_strict_and_twice_in_faithful(tmp_path: Path) -> None:
    files = {"AGENTS.md": Link(".ai/AGENTS.md"), ".ai/AGENTS.md": "one text\n"}
    strict = chain_of_files(tmp_path / "s", files, ".ai")
    faithful = chain_of_files(tmp_path / "f", files, ".ai", FAITHFUL)

    assert list(strict.texts) == ["AGENTS.md"]
    assert row_of(strict, ".ai/AGENTS.md").reason == "same-file-twice"
    assert list(faithful.texts) == ["AGENTS.md", ".ai/AGENTS.md"]
    assert codes(strict) == codes(faithful) == ["ASM114"]
    assert refused(strict) is None


def test_not_a_file__is_passed_over_with_a_warning(tmp_path: Path) -> None:
    chain = chain_of_files(tmp_path, {"AGENTS.md": FIFO, "q/AGENTS.md": FOLDER}, "q")

    assert [(row.state, row.note) for row in chain.rows] == [
        ("off", "no regular file"),
        ("off", "a folder"),
    ]
    assert codes(chain) == ["ASM109", "ASM109"]


def test_link_as_text__is_left_out_in_strict(tmp_path: Path) -> None:
    files = {"AGENTS.md": "CLAUDE.md", "CLAUDE.md": "real guide\n"}
    chain = chain_of_files(tmp_path / "s", files)

    assert row_of(chain, "AGENTS.md").reason == "link-as-text"
    assert (chain.texts, refused(chain)) == ({}, None)
    assert "ASM113" in codes(chain)
    assert "AGENTS.md" in chain_of_files(tmp_path / "f", files, rules=FAITHFUL).texts


@pytest.mark.parametrize("text", [b"CLAUDE.md\n", b"@CLAUDE.md", b"see CLAUDE.md", b"Yes."])
def test_link_as_text__is_not_what_a_person_wrote(text: bytes) -> None:
    assert [row.state for row in chain_of_texts(text).rows] == ["in"]


def test_hidden_characters__refuse_policy() -> None:
    chain = chain_of_texts("Keep it short.\U000e0073\U000e0065\n".encode())

    assert [row.state for row in chain.rows] == ["in"]
    assert (codes(chain), refused(chain)) == (["ASM601"], "ASM601")


def test_below__is_told_and_not_loaded(tmp_path: Path) -> None:
    files = {"AGENTS.md": "r", "p/AGENTS.md": "p", "p/src/x.ts": ""}
    chain = chain_of_files(tmp_path, files, targets=["p/src/x.ts"])

    assert states(chain) == [("in", "AGENTS.md"), ("below", "p/AGENTS.md")]
    (finding,) = chain.findings
    assert (finding.code, finding.fix) == ("ASM105", "start the agent there: -C p")
    assert row_of(chain, "p/AGENTS.md").sha256 is None


def test_off__tells_wrong_case_and_other_agents(tmp_path: Path) -> None:
    files = {"AGENTS.md": "r", "agents.md": "v", "GEMINI.md": "g", "CLAUDE.md": Link("AGENTS.md")}
    chain = chain_of_files(tmp_path, files)

    assert {path: row_of(chain, path).reason for path in files if path != "AGENTS.md"} == {
        "agents.md": "wrong-case-name",
        "GEMINI.md": "other-agents-file",
        "CLAUDE.md": "other-agents-file",
    }
    assert [(finding.code, finding.path) for finding in chain.findings] == [
        ("ASM108", "agents.md"),
        ("ASM116", "GEMINI.md"),
    ]
    assert row_of(chain, "CLAUDE.md").note == "another agent's name for AGENTS.md"


def test_off__is_not_what_the_walk_used(tmp_path: Path) -> None:
    chain = chain_of_files(tmp_path, {".agents/AGENTS.md": "x"}, ".agents")

    assert states(chain) == [("in", ".agents/AGENTS.md")]


def test_untracked__is_a_note(tmp_path: Path) -> None:
    files = {"AGENTS.override.md": "local", "AGENTS.md": "shared"}
    chain = chain_of_files(tmp_path, files, untracked={"AGENTS.override.md"})

    assert codes(chain) == ["ASM104", "ASM112"]
    assert chain.findings[1].path == "AGENTS.override.md"


def test_untrusted_project__loads_nothing(tmp_path: Path) -> None:
    chain = chain_of_files(tmp_path, {"AGENTS.md": "r"}, off="untrusted-project")

    assert [(row.state, row.reason) for row in chain.rows] == [("off", "untrusted-project")]
    assert (chain.texts, codes(chain)) == ({}, ["ASM111"])
    assert chain.findings[0].data["files"] == ["AGENTS.md"]


def test_end__picks_one_walk_of_a_union(tmp_path: Path) -> None:
    tree = write_tree(tmp_path, {"AGENTS.md": "r", "a/AGENTS.md": "a", "b/AGENTS.md": "b"})
    search = find_instructions(tree, ["a", "b"], rules=STRICT)
    contents = read_entries(tree, files_to_read(search, STRICT))
    cache: dict[str, Any] = {}

    both = assess_chain(search, contents, STRICT, cache=cache)
    one = assess_chain(search, contents, STRICT, end="b", cache=cache)

    assert list(both.texts) == ["AGENTS.md", "a/AGENTS.md", "b/AGENTS.md"]
    assert list(one.texts) == ["AGENTS.md", "b/AGENTS.md"]
    assert set(cache) == set(both.texts)


def test_findings__are_gravest_first(tmp_path: Path) -> None:
    files = {"agents.md": "v", "GEMINI.md": "g", "a/AGENTS.md": b"\xff"}
    chain = chain_of_files(tmp_path, files, "a")

    assert [finding.severity for finding in chain.findings] == ["error", "warning", "note"]


def test_hard_link__is_told_and_another_users_is_not_opened(tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("rules")
    (tmp_path / "r").mkdir()
    (tmp_path / "r/AGENTS.md").hardlink_to(outside)

    own = chain_of_files(tmp_path / "r", {})
    search = find_instructions(write_tree(tmp_path / "r", {}), [""], rules=STRICT)
    entry = search.folders[0].used
    assert entry is not None
    foreign = InstructionSearch("", (FolderFinds("", used=entry._replace(is_foreign=True)),))

    assert [(item.code, item.severity) for item in own.findings] == [("ASM121", "warning")]
    assert own.rows[0].state == "in"
    assert files_to_read(foreign, STRICT) == ()
    chain = assess_chain(foreign, {}, STRICT)
    assert [row.reason for row in chain.rows] == ["hard-linked"]
    assert refuse_broken_chain(chain) is not None


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

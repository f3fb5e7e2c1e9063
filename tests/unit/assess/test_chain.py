"""The chain: blanks, errors, encodings, and a row for everything that was met."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from assembler.assess.chain import assess_chain, refuse_broken_chain
from assembler.discover.instructions import files_to_read, find_instructions
from assembler.model.chain import (
    STRICT,
    FolderFinds,
    InstructionSearch,
    WalkRules,
)
from assembler.model.tree import Unreadable
from tests.builders.chains import (
    FAITHFUL,
    chain_of_files,
    chain_of_texts,
    codes,
    refused,
    row_of,
    states,
)
from tests.builders.trees import FIFO, FOLDER, Link, read_entries, write_tree


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


def test_blank_override__hides_its_sibling_and_is_a_warning(tmp_path: Path) -> None:
    files = {"AGENTS.override.md": "  \n", "AGENTS.md": "shared", "d/AGENTS.md": "d"}
    chain = chain_of_files(tmp_path, files, "d")

    assert states(chain) == [
        ("blank", "AGENTS.override.md"),
        ("hidden", "AGENTS.md"),
        ("in", "d/AGENTS.md"),
    ]
    (finding,) = chain.findings
    assert (finding.code, finding.fix) == ("ASM103", "git rm -f :/AGENTS.override.md")
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


def test_denied__is_off_and_refused() -> None:
    chain = chain_of_texts(Unreadable("denied"), b"leaf")

    assert states(chain) == [("off", "AGENTS.md"), ("in", "a/AGENTS.md")]
    assert row_of(chain, "AGENTS.md").reason == "access-denied"
    assert (codes(chain), refused(chain)) == (["ASM129"], "ASM129")


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
    assert (finding.code, str(finding.fix).startswith("start the agent there (-C p, ")) == (
        "ASM105",
        True,
    )
    assert row_of(chain, "p/AGENTS.md").sha256 is None


def test_below__says_what_a_blank_override_hides_there(tmp_path: Path) -> None:
    files = {"AGENTS.md": "r", "p/AGENTS.override.md": "\n", "p/AGENTS.md": "rules", "p/x.py": ""}
    chain = chain_of_files(tmp_path, files, targets=["p/x.py"])

    assert states(chain)[1:] == [("below", "p/AGENTS.override.md"), ("hidden", "p/AGENTS.md")]
    assert codes(chain) == ["ASM103"]


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


def test_walk__of_a_union_can_be_one_of_them(tmp_path: Path) -> None:
    tree = write_tree(tmp_path, {"AGENTS.md": "r", "a/AGENTS.md": "a", "b/AGENTS.md": "b"})
    search = find_instructions(tree, ["a", "b"], rules=STRICT)
    contents = read_entries(tree, files_to_read(search, STRICT))
    cache: dict[str, Any] = {}

    both = assess_chain(search, contents, STRICT, cache=cache)
    way = tuple(finds for finds in search.folders if finds.folder in {"", "b"})
    one = assess_chain(search._replace(folders=way), contents, STRICT, cache=cache)

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

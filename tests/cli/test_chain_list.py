"""`chain --all`: a line for each folder that has instruction files."""

from __future__ import annotations

import pytest

from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder

LONG = "# Rules\n\n" + "Keep the diff small and honest.\n" * 1_200 + "# Release\n"


def test_list__has_a_line_for_each_folder_sorted_by_path(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({"src-b/AGENTS.md": "# B\n", "src/deep/AGENTS.override.md": "\n"})
    repository.write({"src/deep/AGENTS.md": "# Deep\n"})
    result = assembler("chain", "--all")
    assert (result.code, result.talk) == (0, "")
    head, empty, *rows, verdict = result.text.splitlines()
    revision = repository.text("rev-parse", "HEAD")[:7]
    assert head == f"Instruction chains of 4 folders          worktree at {revision}"
    assert empty == ""
    assert [row.split("  ")[0] for row in rows] == ["", "in", "in", "blank", "in"]
    assert [row.split()[1] for row in rows[1:]] == [".", "src", "src/deep", "src-b"]
    assert rows[3].endswith(
        "AGENTS.md, src/AGENTS.md, src/deep/AGENTS.override.md (blank), src/deep/AGENTS.md (hidden)"
    )
    assert verdict.startswith("1 chain is not whole; why: assembler check. Limit: 32,768 bytes")


def test_list__says_what_is_lost_and_what_is_left(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({"AGENTS.md": LONG})
    lines = [line.split() for line in assembler("chain", "--all").text.splitlines()[3:5]]
    assert lines[0][:4] == ["cut", ".", "32,768", "0"]
    assert lines[1][:4] == ["lost", "src", "32,768", "0"]
    assert lines[1][5:] == ["AGENTS.md", "(cut),", "src/AGENTS.md", "(lost)"]


@pytest.mark.parametrize("at", ["worktree", "index", "HEAD"])
def test_json__has_each_chain_as_the_chain_of_its_folder(assembler: CommandLine, at: str) -> None:
    listed = assembler("chain", "--all", "-f", "json", "--at", at).json
    assert listed["schema"] == "assembler/chain-list/1"
    assert [chain["cwd"] for chain in listed["chains"]] == [".", "src"]
    for chain in listed["chains"]:
        alone = assembler("chain", "-C", chain["cwd"], "-f", "json", "--at", at).json
        for row in alone["chain"]:
            del row["version"]
        for member in ("chain", "total_bytes", "tokens", "findings"):
            assert chain[member] == alone[member]
        assert chain["left_bytes"] == alone["limit_bytes"] - alone["total_bytes"]
        assert listed["inputs"]["revision"] == alone["inputs"]["revision"]


def test_list__starts_at_the_root_wherever_it_is_asked(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    assert assembler("chain", "--all", "-C", "src").text == assembler("chain", "--all").text
    profile = "schema: assembler/profile/1\ninstructions: {fallbacks: [notes.md]}\n"
    repository.write({"src/p.yaml": profile})
    listed = assembler("chain", "--all", "-C", "src", "-p", "p.yaml", "-f", "json").json
    assert [chain["cwd"] for chain in listed["chains"]] == [".", "docs", "src"]


@pytest.mark.parametrize(("option", "value"), [("-t", "src/x.py"), ("-f", "input")])
def test_list__takes_no_option_that_asks_about_one_folder(
    assembler: CommandLine, option: str, value: str
) -> None:
    result = assembler("chain", "--all", option, value)
    assert result.code == 2
    assert result.out == b""
    told, hint = result.talk.splitlines()
    assert told.startswith("error: --all lists every folder, and --")
    assert told.endswith("(options-exclude)")
    assert hint == "hint: leave one of the two out"


def test_list__of_a_plain_folder(plain: CommandLine) -> None:
    empty = plain("chain", "--all")
    assert empty.code == 0
    assert empty.text == (
        "No instruction files found. Looked for AGENTS.override.md and AGENTS.md.\n"
    )
    (plain.cwd / "a").mkdir()
    (plain.cwd / "a" / "AGENTS.md").write_text("# A\n")
    (plain.cwd / "AGENTS.md").write_text("# Root\n")
    result = plain("chain", "--all")
    assert result.code == 0
    assert result.text.splitlines()[0] == "Instruction chains of 2 folders          worktree"
    assert result.text.splitlines()[4].split()[-1] == "a/AGENTS.md"
    assert result.talk.startswith("hint: no repository: ")


def test_list__shows_no_character_that_moves_a_cursor(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({"a\x1b[2J\u202e/AGENTS.md": "# x\n"})
    text = assembler("chain", "--all").text
    assert "a\\u001b[2J\\u202e/AGENTS.md" in text
    assert not any(character in text for character in "\x1b\u202e")

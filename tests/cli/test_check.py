"""`check`: every finding of all chains, as one list, with an exit code that a gate can use."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders.command_line import ROOT, CommandLine
from tests.builders.repositories import RepositoryBuilder, git_environment
from tests.builders.trees import Link, write_tree
from tests.cli.test_readme import cut_chain

SHOP = (
    "AGENTS.md:868: error ASM101 chain-cut: 5,128 of 37,896 bytes never load in 3 chains; "
    "1 file below is lost (limit 32,768)\n"
    '    lost   "## Security review", packages/parser/AGENTS.md\n'
    "    fix    move 5,164 bytes out of AGENTS.md: into an AGENTS.md off this path, a skill, or a "
    "document read on demand\n"
    "packages/web/AGENTS.override.md:1: warning ASM103 blank-override: only white space, but hides "
    "AGENTS.md (6 bytes) of its folder\n"
    "    fix    git rm -f :/packages/web/AGENTS.override.md\n"
    "1 error, 1 warning in 3 chains. More: assembler explain ASM101\n"
)


@pytest.fixture
def shop(tmp_path: Path) -> CommandLine:
    builder = cut_chain(tmp_path / "shop")
    builder.write({"packages/web/AGENTS.md": "# Web\n", "packages/web/AGENTS.override.md": "\n"})
    builder.commit()
    return CommandLine(cwd=builder.root, home=tmp_path / "home")


def test_check__tells_what_is_lost_and_how_to_mend_it(shop: CommandLine) -> None:
    result = shop("check")
    assert (result.code, result.talk) == (1, "")
    assert result.text == SHOP


def test_check__of_nothing_wrong_is_one_line(assembler: CommandLine) -> None:
    assert (assembler("check").code, assembler("check").text) == (
        0,
        "2 chains, 1 skill: no findings\n",
    )
    assert assembler("check", "src/x.py").text == "1 chain: no findings\n"


def test_check__of_nothing_at_all_is_one_line(
    plain: CommandLine, repository: RepositoryBuilder
) -> None:
    for run in (plain("check"), plain("check", ".")):
        assert (run.code, run.text) == (0, "no instruction files, skills or pins found\n")


def test_check__tells_of_the_root_whatever_it_has(plain: CommandLine) -> None:
    """Every agent that starts here looks there, and the name is the commonest mistake."""
    (plain.cwd / "agents.md").write_text("# Rules\n")
    result = plain("check")
    assert result.code == 1
    assert result.text.splitlines()[0].startswith("agents.md: warning ASM108 wrong-case-name: ")
    assert result.text.splitlines()[-1] == ("1 warning in 0 chains. More: assembler explain ASM108")


@pytest.mark.parametrize(
    ("fail_on", "ignore", "code"),
    [
        ("warning", "ASM7", 1),
        ("warning", "ASM101,ASM102", 1),
        ("warning", "ASM1", 0),
        ("error", "ASM101,chain-lost", 0),
        ("error", "ASM103", 1),
        ("error", "blank-override", 1),
        ("never", "ASM7", 0),
    ],
)
def test_exit_code__is_what_fail_on_says(
    shop: CommandLine, fail_on: str, ignore: str, code: int
) -> None:
    assert shop("check", "--fail-on", fail_on, "--ignore", ignore).code == code
    as_json = shop("check", "--fail-on", fail_on, "--ignore", ignore, "-f", "json")
    assert (as_json.code, as_json.json["exit_code"]) == (code, code)


def test_note__is_advice_and_never_fails(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({"CLAUDE.md": "# For another\n"})
    result = assembler("check")
    assert result.code == 0
    assert (
        result.text.splitlines()[-1]
        == "1 note in 2 chains, 1 skill. More: assembler explain ASM116"
    )


def test_select__takes_codes_beginnings_and_slugs(shop: CommandLine) -> None:
    def codes(*options: str) -> list[str]:
        return [found["code"] for found in shop("check", "-f", "json", *options).json["findings"]]

    assert codes() == ["ASM101", "ASM103"]
    assert codes("--select", "ASM10") == ["ASM101", "ASM103"]
    assert codes("--select", "asm103") == ["ASM103"]
    assert codes("--select", "ASM6, blank-override") == ["ASM103"]
    assert codes("--select", "ASM6", "--select", "ASM102") == ["ASM102"]
    assert codes("--ignore", "ASM101") == ["ASM102", "ASM103"]
    assert codes("--select", "ASM1", "--ignore", "ASM103") == ["ASM101"]


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("ASM1011", "ASM101"),
        ("chain-cot", "chain-cut"),
        ("ASM9", "codes are ASM101 to ASM"),
        ("zzz", "codes are"),
        ("", "codes are"),
    ],
)
def test_code__that_is_none_is_exit_2(shop: CommandLine, word: str, near: str) -> None:
    for option in ("--select", "--ignore"):
        result = shop("check", option, f"ASM1,{word}")
        assert result.code == 2
        assert "no such code" in result.talk
        assert near in result.talk


def test_path__asks_for_the_chains_it_has_to_do_with(shop: CommandLine) -> None:
    def places(*paths: str, **options: Path) -> tuple[list[str], int]:
        found = shop("check", "-f", "json", *paths, **options).json
        return [one["path"] for one in found["findings"]], found["counted"]["chains"]

    blank = "packages/web/AGENTS.override.md"
    (shop.cwd / "packages/parser/src").mkdir()
    assert places() == (["AGENTS.md", blank], 3)
    assert places("packages/parser") == (["AGENTS.md"], 1)
    assert places("packages/parser/AGENTS.md") == (["AGENTS.md"], 1)
    assert places("packages/parser/src") == (["AGENTS.md"], 1)
    assert places("packages/web") == (["AGENTS.md", blank], 1)
    assert places("packages", "AGENTS.md") == (["AGENTS.md", blank], 3)
    assert places("../web", cwd=shop.cwd / "packages/parser") == (["AGENTS.md", blank], 1)
    (cut,) = shop("check", "packages/web", "-f", "json", "--select", "ASM101").json["findings"]
    assert (cut["data"]["lost_files"], cut["data"]["chains"]) == ([], 1)
    (cut,) = shop("check", "AGENTS.md", "-f", "json", "--select", "ASM101").json["findings"]
    assert cut["data"]["lost_files"] == ["packages/parser/AGENTS.md"]


def test_path__that_is_ignored_is_looked_at_when_it_is_named(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({".gitignore": "vendor/\n", "vendor/p/AGENTS.md": "# \u202e\n"})
    repository.write({"vendor/p/CLAUDE.md": "# x\n"})
    assert assembler("check").code == 0
    codes = [one["code"] for one in assembler("check", "vendor/p", "-f", "json").json["findings"]]
    assert codes == ["ASM112", "ASM601", "ASM116"]


def test_path__without_instructions_is_looked_at_for_names_that_are_not_read(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({"docs/agents.md": "# About agents\n", "CLAUDE.md": "# x\n"})
    found = assembler("check", "docs", "-f", "json").json
    told = [(one["code"], one["path"], one["data"]["chains"]) for one in found["findings"]]
    assert told == [("ASM116", "CLAUDE.md", 1), ("ASM108", "docs/agents.md", 1)]
    assert found["counted"]["chains"] == 1
    assert assembler("check").code == 0


def test_path__of_a_plain_folder_has_nothing_to_do_with_what_is_above(plain: CommandLine) -> None:
    write_tree(plain.cwd, {"AGENTS.md": "# \u202e\n", "a/x.py": "x\n", "b/AGENTS.md": "# B\n"})
    assert plain("check", "a").text == "no instruction files, skills or pins found\n"
    assert plain("check", "b").text == "1 chain: no findings\n"
    assert plain("check", ".").code == 1


@pytest.mark.parametrize(
    ("path", "code", "told"),
    [
        ("srs", "path-missing", "did you mean src?"),
        ("src/AGENT.md", "path-missing", "did you mean src/AGENTS.md?"),
        ("../elsewhere", "path-outside", "name a path inside it"),
        ("inner/src", "path-outside", "start there with -C"),
    ],
)
def test_path__that_cannot_be_asked_about_is_exit_2(
    assembler: CommandLine, repository: RepositoryBuilder, path: str, code: str, told: str
) -> None:
    RepositoryBuilder(repository.root / "inner").write({"src/AGENTS.md": "# x\n"})
    result = assembler("check", "src", path)
    assert (result.code, result.out) == (2, b"")
    assert f"({code})" in result.talk
    assert told in result.talk


def test_path__behind_a_link_is_the_place_it_leads_to(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({"src/AGENTS.md": "# \u202e\n"}).link({"link": "src"})
    for path in ("link", "link/AGENTS.md", "src"):
        found = assembler("check", path, "-f", "json").json
        assert [one["path"] for one in found["findings"]] == ["src/AGENTS.md"]
        assert found["counted"]["chains"] == 1


def test_index__of_a_hook_is_what_is_checked(repository: RepositoryBuilder, tmp_path: Path) -> None:
    hook = repository.root / ".git/hooks/pre-commit"
    hook.write_text(
        f"#!/bin/sh\nexport PYTHONPATH={ROOT} HOME={tmp_path / 'home'}\n"
        f"exec {sys.executable} -m assembler check --at index\n"
    )
    hook.chmod(0o755)

    def commit(*paths: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["git", "-c", "core.hooksPath=.git/hooks", "commit", "-q", "-m", "x", *paths],
            cwd=repository.root,
            env=git_environment(tmp_path),
            capture_output=True,
            check=False,
        )

    # `git commit PATH` makes an index of its own; what lies in the worktree beside is not asked.
    repository.write({"src/AGENTS.md": "# \u202e\n", "docs/notes.md": "changed\n"})
    assert commit("docs/notes.md").returncode == 0
    refused = commit("src/AGENTS.md")
    assert refused.returncode == 1
    assert b"src/AGENTS.md:1:3: error ASM601 hidden-characters" in refused.stderr + refused.stdout
    repository.write({"src/AGENTS.md": "# plain\n"})
    assert commit("src/AGENTS.md").returncode == 0


def test_revision__is_checked_as_it_was(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    write_tree(repository.root, {"lib/AGENTS.md": Link("../../outside.md")})
    repository.commit()
    repository.git("rm", "-q", "lib/AGENTS.md")
    assert assembler("check", "--at", "HEAD").code == 1
    assert assembler("check").code == 0
    assert assembler("check", "--at", "nope").code == 2


def test_project__with_a_long_file_at_its_root_fails(tmp_path: Path) -> None:
    """A clone of this project as it stands is clean; 40 KB at the root lose every leaf."""
    repository = RepositoryBuilder(tmp_path / "clone")
    text = (ROOT / "AGENTS.md").read_text(encoding="utf-8")
    repository.write({"AGENTS.md": text, "docs/AGENTS.md": "# Docs\n", "x/y/AGENTS.md": "# Y\n"})
    assembler = CommandLine(cwd=repository.root, home=tmp_path / "home")
    assert assembler("check").text == "3 chains: no findings\n"
    repository.write({"AGENTS.md": text + "- One more rule.\n" * 2_400 + "## Release\n"})
    result = assembler("check")
    assert result.code == 1
    assert "in 3 chains; 2 files below are lost" in result.text
    assert '    lost   "## Release", docs/AGENTS.md, x/y/AGENTS.md\n' in result.text


def test_check__tells_of_names_that_only_look_right_wherever_they_are(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write(
        {
            "b/AGENTS.MD": "x",
            "c/AG\u0415NTS.md": "x",
            "docs/agents.md": "a page",
            "d/Agents.md": "a page",
        }
    )
    result = assembler("check", "-f", "json")
    told = [(item["code"], item["path"]) for item in result.json["findings"]]
    assert told == [("ASM108", "b/AGENTS.MD"), ("ASM120", "c/AG\u0415NTS.md")]
    assert result.code == 1


def test_check__fails_where_a_rule_or_a_limit_takes_policy_away(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    profile = "schema: assembler/profile/1\n"
    for lines, code in (
        ("read: {deny: ['AGENTS.md']}\n", "ASM129"),
        ("instructions: {limit_bytes: 0}\n", "ASM128"),
    ):
        repository.write({".assembler/profile.yaml": profile + lines})
        result = assembler("check", "-f", "json")
        assert result.code == 1
        assert code in {item["code"] for item in result.json["findings"]}


def test_check__tells_of_a_merge_that_is_not_resolved(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({"AGENTS.md": "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n"})
    assert "AGENTS.md:2: warning ASM606 conflict-markers" in assembler("check").text
    fenced = "```\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n```\n"
    repository.write({"AGENTS.md": "Title\n=======\n\n<<<<<<< is a mark\n" + fenced})
    assert assembler("check").code == 0


def test_check__obeys_the_users_manifest_without_a_profile(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    folder = assembler.home / ".config/assembler"
    folder.mkdir(parents=True)
    (folder / "host.yaml").write_text("schema: assembler/host/1\nread: {deny: ['src/AGENTS.md']}\n")
    assert "ASM129 access-denied" in assembler("check").text
    assert "No new dependency" not in assembler("chain", "-Csrc", "--format=input").text

"""What an agent's configuration decides, and where it is told; measured on Codex 0.171.0."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.builders.command_line import CommandLine, Result
from tests.builders.repositories import RepositoryBuilder, git_environment


@pytest.fixture
def codex_home(assembler: CommandLine) -> Path:
    folder = assembler.home / ".codex"
    folder.mkdir(parents=True)
    return folder


def chain(assembler: CommandLine, *options: str, cwd: Path | None = None) -> Result:
    return assembler("chain", "--agent=codex", "--format=json", *options, cwd=cwd)


def finding(result: Result, code: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = [item for item in result.json["findings"] if item["code"] == code]
    return found[0]


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, env=git_environment(folder))


def trust(folder: Path, word: str) -> str:
    return f'[projects."{folder}"]\ntrust_level = "{word}"\n'


def test_limit__that_is_set_is_named_with_its_place(
    assembler: CommandLine, codex_home: Path
) -> None:
    (codex_home / "config.toml").write_text("# mine\nproject_doc_max_bytes = 10\n")

    told = chain(assembler, "-Csrc")
    shown = assembler("chain", "--agent=codex")

    cut = finding(told, "ASM101")
    assert cut["data"]["setting_place"] == f"{codex_home}/config.toml:2"
    assert "raise `project_doc_max_bytes` in ~/.codex/config.toml:2" in cut["fix"]
    assert told.json["agent"]["settings"] == {
        "project_doc_max_bytes": f"{codex_home}/config.toml:2"
    }
    assert "project_doc_max_bytes" in shown.text


def test_limit_zero__is_a_warning_with_its_place(assembler: CommandLine) -> None:
    told = chain(assembler, "--agent-config=project_doc_max_bytes=0")
    found = finding(told, "ASM128")
    assert (found["severity"], found["data"]["setting_place"]) == ("warning", "--agent-config")
    assert told.json["agent"]["block"] is None


def test_untrusted_project__names_the_entry(
    assembler: CommandLine, codex_home: Path, repository: RepositoryBuilder
) -> None:
    (codex_home / "config.toml").write_text(trust(repository.root, "untrusted"))
    found = finding(chain(assembler), "ASM111")
    assert found["data"]["setting_place"] == f"{codex_home}/config.toml:2"


@pytest.mark.parametrize(("name", "loads"), [(".bare", True), ("b.git", True), (".git", False)])
def test_bare_repository__is_no_main_checkout_unless_it_is_called_so(
    name: str, loads: bool, assembler: CommandLine, codex_home: Path, tmp_path: Path
) -> None:
    top = tmp_path / "r"
    top.mkdir()
    git(top, "init", "-q", "--bare", name)
    git(top, "clone", "-q", name, "seed")
    (top / "seed/AGENTS.md").write_text("rules\n")
    git(top / "seed", "add", "AGENTS.md")
    git(top / "seed", "commit", "-q", "-m", "x")
    git(top / "seed", "push", "-q", "origin", "HEAD:main")
    git(top / name, "worktree", "add", "-q", "--detach", str(top / "wt"), "main")
    (codex_home / "config.toml").write_text(trust(top, "untrusted"))

    result = chain(assembler, cwd=top / "wt")

    assert (result.json["agent"]["block"] is not None) is loads


def test_main_checkout__is_known_by_a_linked_git_folder_too(
    assembler: CommandLine, codex_home: Path, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    repository.git("worktree", "add", "-q", "--detach", str(tmp_path / "wt"))
    (repository.root / ".git").rename(tmp_path / "real")
    (repository.root / ".git").symlink_to(tmp_path / "real")
    (codex_home / "config.toml").write_text(trust(repository.root, "untrusted"))

    assert chain(assembler, cwd=tmp_path / "wt").json["agent"]["block"] is None


@pytest.mark.parametrize("kind", ["file", "dead link", "loop"])
def test_home__that_is_no_folder_is_exit_2_as_for_codex(kind: str, assembler: CommandLine) -> None:
    assembler.home.mkdir(parents=True, exist_ok=True)
    place = assembler.home / ".codex"
    if kind == "file":
        place.write_text("")
    else:
        place.symlink_to("nowhere" if kind == "dead link" else ".codex")

    result = chain(assembler)

    assert (result.code, result.json["code"]) == (2, "agent-home-missing")


def test_home__need_not_be_there(assembler: CommandLine) -> None:
    assert chain(assembler).code == 0


@pytest.mark.parametrize("name", ["AGENTS.md", "AGENTS.override.md"])
def test_link__to_a_name_that_is_no_text_is_followed(
    name: str, assembler: CommandLine, codex_home: Path, repository: RepositoryBuilder
) -> None:
    odd = repository.root.parent / os.fsdecode(b"\xff")
    odd.mkdir()
    (odd / "T").write_text("from an odd place\n")
    for place in (repository.root / "src", codex_home):
        (place / name).unlink(missing_ok=True)
        (place / name).symlink_to(odd / "T")

    block = chain(assembler, "-C", "src").json["agent"]["block"]

    assert block.count("from an odd place") == 2


def test_file__of_a_system_that_tells_no_size_is_read(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    (repository.root / "AGENTS.md").unlink()
    (repository.root / "AGENTS.md").symlink_to("/proc/version")
    block = chain(assembler).json["agent"]["block"]
    assert Path("/proc/version").read_text().strip() in block


def test_home_inside_the_project__is_no_other_agents_file(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    own = repository.root / ".codex"
    own.mkdir()
    (own / "AGENTS.md").write_text("mine\n")
    result = assembler("chain", "--agent=codex", "--format=json", CODEX_HOME=str(own))
    assert "mine" in result.json["agent"]["block"]
    assert not [item for item in result.json["findings"] if item["code"] == "ASM116"]


def test_blank_beginning__of_a_huge_file_is_no_blank_file(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    (repository.root / "AGENTS.md").write_bytes(b" " * (9 << 20) + b"rule\n")
    found = finding(chain(assembler), "ASM101")
    assert (found["severity"], "blank" in found["data"]) == ("error", False)


def test_configuration_of_a_project__is_told_where_no_agent_is_named(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({".codex/config.toml": "project_doc_max_bytes = 1\n"})
    strict = assembler("chain", "--format=json")
    assert finding(strict, "ASM127")["severity"] == "note"
    assert "ASM127" not in {item["code"] for item in chain(assembler).json["findings"]}
    assert assembler("check").code == 0


def test_bare_text__leaves_what_is_lost_to_stderr(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({"AGENTS.md": "x" * 40_000})
    for options in ((), ("--agent=codex",)):
        result = assembler("chain", "-Csrc", "--format=input", *options)
        assert result.code == 0
        assert "chain-cut" in result.talk
        assert "chain-lost" in result.talk


@pytest.mark.parametrize("options", [(), ("--agent=codex",)])
def test_deep_folder__is_answered_all_the_same(
    options: tuple[str, ...], assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    deep = repository.root / "/".join("d" * 700)
    deep.mkdir(parents=True)
    (deep / "AGENTS.md").write_text("deep\n")

    alone = assembler("chain", "--format=json", *options, cwd=deep)
    listed = assembler("chain", "--all", "--format=json")

    loaded = [row["path"] for row in alone.json["chain"] if row["state"] == "in"]
    assert loaded == ["AGENTS.md", f"{'/'.join('d' * 700)}/AGENTS.md"]
    assert listed.code == 0


def test_markdown__has_the_table_and_no_markup_of_the_repository(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({"a|b`c/AGENTS.md": "x\n"})
    for options in ((), ("--agent=codex",)):
        text = assembler("chain", "--format=markdown", "-Ca|b`c", *options).text
        (row,) = [line for line in text.splitlines() if line.startswith("| in") and "b`c" in line]
        assert row.count("|") == 7
        assert text.startswith("### `")


def test_verbose__says_what_was_used(assembler: CommandLine) -> None:
    strict = assembler("chain", "-v")
    faithful = assembler("chain", "-v", "--agent=codex", "--agent-config=project_doc_max_bytes=9")
    assert "used: profile built-in; names AGENTS.override.md, AGENTS.md" in strict.talk
    assert f"root   {assembler.cwd}" in faithful.text
    assert "project_doc_max_bytes   --agent-config" in faithful.text


def test_home_file__with_a_name_that_only_looks_right_is_told(
    assembler: CommandLine, codex_home: Path
) -> None:
    (codex_home / "agents.md").write_text("mine\n")
    result = chain(assembler)
    assert finding(result, "ASM108")["path"] == "~/.codex/agents.md"
    assert "mine" not in (result.json["agent"]["block"] or "")


def test_main_checkout__is_known_by_the_letters_of_its_way_too(
    assembler: CommandLine, codex_home: Path, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    repository.git("worktree", "add", "-q", "--detach", str(tmp_path / "wt"))
    (tmp_path / "by-name").symlink_to(repository.root)
    marker = tmp_path / "wt/.git"
    marker.write_text(marker.read_text().replace(str(repository.root), f"{tmp_path}/by-name"))
    (codex_home / "config.toml").write_text(trust(tmp_path / "by-name", "untrusted"))
    assert chain(assembler, cwd=tmp_path / "wt").json["agent"]["block"] is None


def test_marker__that_is_a_link_to_another_worktrees_is_not_its_own(
    assembler: CommandLine, codex_home: Path, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    repository.git("worktree", "add", "-q", "--detach", str(tmp_path / "wt"))
    (tmp_path / "other").mkdir()
    (tmp_path / "other/AGENTS.md").write_text("other\n")
    (tmp_path / "other/.git").symlink_to(tmp_path / "wt/.git")
    (codex_home / "config.toml").write_text(trust(repository.root, "untrusted"))
    assert "other" in chain(assembler, cwd=tmp_path / "other").json["agent"]["block"]


def test_link__to_a_file_with_a_slash_behind_it_loses_the_chain(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    (repository.root / "src/AGENTS.md").unlink()
    (repository.root / "src/real.md").write_text("real\n")
    (repository.root / "src/AGENTS.md").symlink_to("real.md/")
    told = chain(assembler, "-C", "src")
    assert told.json["agent"]["block"] is None
    assert finding(told, "ASM107")["data"]["problem"] == "ENOTDIR"


def test_link__to_a_secret_is_told_where_the_agent_loads_it(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    repository.write({".env": "TOKEN=SENTINEL\n", "src/real.md": "rules\n"})
    (repository.root / "AGENTS.md").unlink()
    (repository.root / "AGENTS.md").symlink_to(".env")
    (repository.root / "src/AGENTS.md").unlink()
    (repository.root / "src/AGENTS.md").symlink_to("real.md")

    told = chain(assembler, "-C", "src")
    shown = assembler("chain", "--agent=codex", "-C", "src")

    found = [item for item in told.json["findings"] if item["code"] == "ASM130"]
    assert [item["path"] for item in found] == ["AGENTS.md"]
    assert "SENTINEL" not in shown.text + shown.talk

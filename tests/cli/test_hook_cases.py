"""The cases of public bug reports about hooks: the index as git presents it decides.

They lie beside the repository; without them these tests are skipped.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.builders.bug_cases import Built, build, git_environment
from tests.builders.command_line import ROOT, Result


def chain_rows(result: Result) -> dict[str, dict[str, Any]]:
    assert result.code == 0, result.talk
    return {row["path"]: row for row in result.json["chain"] if row["state"] in ("in", "cut")}


def state_of(repository: Path) -> list[str]:
    """Every byte of the worktree by digest, and what the index holds: git itself writes it anew."""
    files = sorted(path for path in repository.rglob("*") if path.is_file())
    own = [path for path in files if ".git" not in path.parts]
    index = subprocess.run(
        ["git", "ls-files", "-s"], cwd=repository, capture_output=True, check=True, text=True
    )
    digests = [f"{path} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in own]
    return [*digests, index.stdout]


def install_hook(built: Built, repository: Path, *commands: str) -> Path:
    """A hook that runs commands of the product, each into a file of its own; its exit code is
    that of the last."""
    told = built.top.parent / "told"
    told.mkdir()
    lines = [f"export PYTHONPATH={ROOT} HOME={built.command.home}", "status=0"]
    for number, command in enumerate(commands):
        lines.append(
            f"{sys.executable} -m assembler {command} > {told}/{number}.json 2> {told}/{number}.txt"
        )
        lines.append("status=$?")
    hook = repository / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n" + "\n".join(lines) + "\nexit $status\n")
    hook.chmod(0o755)
    return told


def commit(built: Built, folder: Path, *words: str) -> int:
    done = subprocess.run(
        ["git", "commit", "-q", "-m", "x", *words],
        cwd=folder,
        env=git_environment(built.top.parent),
        capture_output=True,
        check=False,
    )
    return done.returncode


def test_083__what_is_staged_is_checked_and_nothing_is_touched(tmp_path: Path) -> None:
    built = build("083", tmp_path)
    repository = built.top / "repo"
    before = state_of(repository)
    told = install_hook(built, repository, "check --at index -f json")

    assert commit(built, repository) != 0

    (finding,) = [
        item
        for item in json.loads((told / "0.json").read_bytes())["findings"]
        if item["slug"] == "invalid-utf8"
    ]
    assert finding["path"] == "AGENTS.md"
    assert state_of(repository) == before
    assert built.run("check").code == 0  # what stands on disk is mended


def test_084__a_commit_of_one_path_is_checked_by_its_own_index(tmp_path: Path) -> None:
    built = build("084", tmp_path)
    repository = built.top / "repo"
    told = install_hook(built, repository, "chain --at index -f json -C b", "check --at index")

    assert commit(built, repository, "AGENTS.md") == 0

    rows = {row["path"]: row for row in json.loads((told / "0.json").read_bytes())["chain"]}
    for path, expected in built.expected["evaluated"].items():
        assert rows[path]["sha256"] == expected["sha256"]


def test_085__a_linked_worktree_is_its_own_root(tmp_path: Path) -> None:
    built = build("085", tmp_path)
    variables = {
        name: value.replace("$ROOT", str(built.top))
        for name, value in built.case["setup"]["env"].items()
    }
    result = built.command("chain", "--at", "index", "-f", "json", **variables)
    (row,) = chain_rows(result).values()
    expected = built.expected["evaluated"]["AGENTS.md"]
    assert (row["sha256"], row["size_bytes"]) == (expected["sha256"], expected["bytes"])
    assert built.command("check", "--at", "index", **variables).code == 0


def test_086__another_repository_in_the_environment_is_not_asked(tmp_path: Path) -> None:
    built = build("086", tmp_path)
    variables = {
        name: value.replace("$ROOT", str(built.top))
        for name, value in built.case["setup"]["env"].items()
    }
    for at in ("worktree", "index", "HEAD"):
        text = built.command("assemble", "-m", "x", "--at", at, "-f", "input", **variables).text
        assert "real" in text.splitlines()
        assert "decoy" not in text


@pytest.mark.parametrize("number", [0, 1])
def test_087__names_of_any_letters_are_read(tmp_path: Path, number: int) -> None:
    built = build("087", tmp_path)
    expected = built.expected["selected"][number]
    folder = built.top / Path(expected["path"]).parent
    result = built.command("chain", "--at", "index", "-f", "json", cwd=folder)
    (row,) = chain_rows(result).values()
    assert row["sha256"] == expected["sha256"]
    assert built.command("check", "--at", "index", cwd=folder).code == 0


def test_088__a_hook_answers_alike_wherever_the_commit_was_started(tmp_path: Path) -> None:
    built = build("088", tmp_path)
    repository = built.top / "repo"
    (repository / ".assembler").mkdir()
    (repository / ".assembler/profile.yaml").write_text("schema: assembler/profile/1\n")
    told = install_hook(built, repository, "check --at index -f json")
    answers = []
    for number, folder in enumerate((repository, repository / "s")):
        (folder / "new.txt").write_text(f"{number}\n")
        subprocess.run(["git", "add", "."], cwd=folder, check=True)
        assert commit(built, folder) == 0
        answer = json.loads((told / "0.json").read_bytes())
        answer["inputs"].pop("revision")
        answers.append(answer)
    assert answers[0] == answers[1]
    assert answers[0]["inputs"]["profile"]["name"] == "profile"


def test_089__what_was_only_announced_is_not_there_yet(tmp_path: Path) -> None:
    built = build("089", tmp_path)
    assert chain_rows(built.run("chain", "--at", "index", "-f", "json")) == {}
    (row,) = chain_rows(built.run("chain", "-f", "json")).values()
    expected = built.expected["run_mode"]["selected"][0]
    assert (row["sha256"], row["size_bytes"]) == (expected["sha256"], expected["bytes"])
    assert built.run("check", "--at", "index").code == 0


def test_090__a_merge_in_the_index_is_told_with_its_paths(tmp_path: Path) -> None:
    built = build("090", tmp_path)
    index = built.run("check", "--at", "index", "-f", "json")
    assert index.code == 1
    assert {item["path"] for item in index.json["findings"]} == {"AGENTS.md"}
    assert built.run("assemble", "-m", "x", "--at", "index").code == 3
    worktree = built.run("check", "-f", "json")
    assert "ASM606" in {item["code"] for item in worktree.json["findings"]}

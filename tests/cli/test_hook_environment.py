"""A hook starts in git's own environment, in a repository that may be anybody's.

The rows GIT-01, 02, 04, 11, 15 and 16 of the adversarial list, through the command line; what git
itself is kept from is tested one layer down (tests/unit/adapters/test_git_isolation.py).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assembler.model.digest import sha256_hex
from tests.builders.command_line import ROOT, CommandLine
from tests.builders.repositories import RepositoryBuilder, arm, git_environment

COMMANDS = (
    ("check", "-f", "json"),
    ("check", "--at", "index", "-f", "json"),
    ("chain", "--all", "-f", "json"),
    ("assemble", "-m", "x", "-f", "input"),
    ("assemble", "-m", "x", "--at", "index", "-f", "input"),
    ("lock", "--check", "-f", "json"),
)
SECOND = 1_000_000_000


def test_hook__in_an_armed_repository_runs_nothing_and_answers_alike(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    assert assembler("lock").code == 0
    repository.write({".gitattributes": "* filter=x diff=x\n"}).commit()
    # As long as before, and not newer: who asks the times or the sizes takes it for unchanged.
    rules = repository.root / "AGENTS.md"
    written_ns = rules.stat().st_mtime_ns - 60 * SECOND
    rules.write_text(rules.read_text().replace("small", "large"))
    os.utime(rules, ns=(written_ns, written_ns))
    plain = [assembler(*command) for command in COMMANDS]
    sentinel = tmp_path / "MARK"
    arm(repository, sentinel)
    sentinel.unlink(missing_ok=True)

    armed = [assembler(*command) for command in COMMANDS]

    assert [(answer.code, answer.out) for answer in armed] == [
        (answer.code, answer.out) for answer in plain
    ]
    assert not sentinel.exists(), sentinel.read_text()
    assert b"large" in armed[3].out
    assert b"small" in armed[4].out
    assert [answer.code for answer in armed] == [1, 0, 0, 0, 0, 1]


def test_hook__does_not_wait_for_a_configuration_that_never_ends(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    os.mkfifo(repository.root / ".git/more")
    repository.git("config", "include.path", "more")
    started = time.monotonic()
    for command in COMMANDS[:5]:
        assert assembler(*command).code == 0
    assert time.monotonic() - started < 30


def test_hook__obeys_no_variable_that_names_another_repository(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    decoy = RepositoryBuilder(tmp_path / "decoy").write({"AGENTS.md": b"decoy \xff\n"})
    decoy.commit()
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/MARK\n")
    program.chmod(0o755)
    variables = {
        "GIT_DIR": str(decoy.root / ".git"),
        "GIT_WORK_TREE": str(decoy.root),
        "GIT_COMMON_DIR": str(decoy.root / ".git"),
        "GIT_OBJECT_DIRECTORY": str(decoy.root / ".git/objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(decoy.root / ".git/objects"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": str(program),
        "GIT_CONFIG_PARAMETERS": f"'core.fsmonitor={program}'",
        "GIT_NAMESPACE": "decoy",
        "GIT_PREFIX": "src/",
        "GIT_LITERAL_PATHSPECS": "0",
        "GIT_REPLACE_REF_BASE": "refs/heads/",
    }
    for command in COMMANDS[:5]:
        plain = assembler(*command)
        answer = assembler(*command, **variables)
        assert (answer.code, answer.out) == (plain.code, plain.out)
        assert answer.code == 0
    assert not (tmp_path / "MARK").exists()


@pytest.mark.parametrize("named", ["relative", "absolute"])
def test_hook__inspects_the_index_that_git_names(
    assembler: CommandLine, repository: RepositoryBuilder, named: str
) -> None:
    index = ".git/next-index-1.lock"
    repository.write({"AGENTS.md": b"# In the index \xff\n"})
    (repository.root / index).write_bytes((repository.root / ".git/index").read_bytes())
    repository.git("add", "AGENTS.md", GIT_INDEX_FILE=index)
    repository.write({"AGENTS.md": "# On disk\n"})
    place = index if named == "relative" else str(repository.root / index)

    answer = assembler("check", "--at", "index", "-f", "json", GIT_INDEX_FILE=place)

    assert [item["code"] for item in answer.json["findings"]] == ["ASM110"]
    assert answer.json["inputs"]["at"] == "index"
    run = assembler("assemble", "-m", "x", "--at", "index", "-f", "json", GIT_INDEX_FILE=place)
    assert (run.code, run.json["code"]) == (3, "invalid-utf8")
    for command in (("check",), ("check", "--at", "HEAD")):
        assert assembler(*command, GIT_INDEX_FILE=place).code == 0
    assert assembler("check", "--at", "index").code == 0


def test_hook__of_a_commit_of_everything_sees_what_will_be_committed(
    repository: RepositoryBuilder, tmp_path: Path
) -> None:
    hook = repository.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        f"#!/bin/sh\nexport PYTHONPATH={ROOT} HOME={tmp_path / 'home'}\n"
        f"exec {sys.executable} -m assembler chain --at index -f json > {tmp_path / 'chain.json'}\n"
    )
    hook.chmod(0o755)
    repository.write({"AGENTS.md": "# Staged\n"})
    repository.git("add", "AGENTS.md")
    repository.write({"AGENTS.md": "# All of it\n"})
    subprocess.run(
        ["git", "commit", "-q", "-a", "-m", "x"],
        cwd=repository.root,
        env=git_environment(tmp_path),
        check=True,
    )
    (row,) = json.loads((tmp_path / "chain.json").read_bytes())["chain"]
    assert row["sha256"] == sha256_hex(b"# All of it\n")

"""The scripts of the page about pipelines, run as they stand there."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.builders.command_line import ROOT, CommandLine
from tests.builders.composite import load_action
from tests.builders.documents import DOCS, block, put_on_path, run_script
from tests.builders.repositories import RepositoryBuilder, git_environment

PAGE = "continuous-integration"
TEXT = (DOCS / f"{PAGE}.md").read_text(encoding="utf-8")


def test_inputs__of_the_action_are_told_with_their_defaults() -> None:
    inputs = load_action(ROOT / "action.yml")["inputs"]
    told = dict(re.findall(r"^\| `([a-z-]+)` \| (\S+) \| ", TEXT, re.MULTILINE))
    shown = {name: f"`{entry['default']}`" if entry["default"] else "empty"
             for name, entry in inputs.items()}  # fmt: skip
    assert told == shown


def test_workflow__gives_inputs_that_the_action_has() -> None:
    (text,) = re.findall(r"```yaml\n(name: agents\n.*?)```", TEXT, re.DOTALL)
    steps = yaml.safe_load(text)["jobs"]["assembler"]["steps"]
    checkout, own = steps
    assert checkout["with"]["fetch-depth"] == 0
    assert re.fullmatch(r"actions/checkout@[0-9a-f]{40}", checkout["uses"])
    assert set(own["with"]) <= set(load_action(ROOT / "action.yml")["inputs"])


def test_names__for_which_the_hook_runs_are_those_of_its_pattern() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    (sentence,) = [line for line in TEXT.splitlines() if line.startswith("It runs when")]
    names = re.findall(r"`([^`]+)`", sentence)
    assert len(names) == 12
    for name in names:
        path = f"packages/web/{name}x.md" if name.endswith("/") else f"packages/web/{name}"
        assert re.search(hook["files"], path), name


def test_hook__lets_the_index_decide(
    assembler: CommandLine, repository: RepositoryBuilder, tmp_path: Path
) -> None:
    hook = repository.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(block(PAGE, "hook"))
    hook.chmod(0o755)
    folder = put_on_path(tmp_path / "bin")

    def commit(*words: str) -> subprocess.CompletedProcess[bytes]:
        environment = {**assembler.environment(), **git_environment(tmp_path)}
        environment["PATH"] = f"{folder}:{environment['PATH']}"
        return subprocess.run(
            ["git", "commit", "-q", "-m", "x", *words],
            cwd=repository.root,
            env=environment,
            capture_output=True,
            check=False,
            timeout=60,
        )

    repository.write({"AGENTS.md": b"\xff\n"})
    repository.git("add", "AGENTS.md")
    repository.write({"AGENTS.md": "# Mended on disk\n"})
    refused = commit()
    assert refused.returncode == 1
    assert b"ASM110" in refused.stdout + refused.stderr
    assert commit("-a").returncode == 0
    repository.write({"AGENTS.md": b"\xff\n", "docs/notes.md": "Other.\n"})
    assert commit("docs/notes.md").returncode == 0


@pytest.mark.long
def test_install__makes_a_program_that_checks(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    revision = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, check=True, text=True
    ).stdout.strip()
    script = block(PAGE, "install") + "command -v assembler\nassembler check -f json\n"
    variables = {"ASSEMBLER_SOURCE": str(ROOT), "ASSEMBLER_COMMIT": revision, "PYTHONPATH": ""}
    done = run_script(script, assembler, variables=variables)
    assert done.returncode == 0, done.stderr
    program, _, answer = done.stdout.partition("\n")
    assert program == str(assembler.home / "assembler/bin/assembler")
    assert json.loads(answer)["counted"]["chains"] == 2

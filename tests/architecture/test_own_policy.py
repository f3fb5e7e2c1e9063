"""This project's own hook and lock, and the hook that it offers."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.builders.command_line import ROOT, CommandLine


def offered_hook() -> dict[str, Any]:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert isinstance(hook, dict)
    return hook


def own_hook() -> dict[str, Any]:
    (repository,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    (hook,) = [hook for hook in repository["hooks"] if hook["id"] == "assembler"]
    assert isinstance(hook, dict)
    return hook


def test_own_hook__is_the_one_that_is_offered() -> None:
    own, offered = own_hook(), offered_hook()
    assert own["entry"] == f".venv/bin/{offered['entry']}"
    for name in ("id", "name", "pass_filenames", "files"):
        assert own[name] == offered[name]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("AGENTS.md", True),
        ("packages/web/AGENTS.override.md", True),
        ("CLAUDE.md", True),
        (".assembler/profile.yaml", True),
        (".assembler/lock.json", True),
        ("packages/web/.agents/skills/pdf/references/a.md", True),
        (".claude/skills/pdf/SKILL.md", True),
        ("skills/pdf/run.sh", True),
        (".mcp.json", True),
        ("src/agents.py", False),
        ("docs/AGENTS.md.txt", False),
        ("README.md", False),
    ],
)
def test_offered_hook__runs_for_what_agents_read(path: str, expected: bool) -> None:
    assert (re.search(offered_hook()["files"], path) is not None) is expected


def test_own_instructions__are_what_is_locked_and_without_a_finding(tmp_path: Path) -> None:
    assembler = CommandLine(cwd=ROOT, home=tmp_path / "home")
    for words in (("lock", "--check"), ("check",)):
        result = assembler(*words)
        assert result.code == 0, result.text + result.talk


def test_make_test__holds_both_before_the_tests_run() -> None:
    environment = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    done = subprocess.run(
        ["make", "--dry-run", "test"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        check=True,
        text=True,
    )
    lines = done.stdout.splitlines()
    order = [
        ".venv/bin/assembler lock --check",
        ".venv/bin/assembler check",
        ".venv/bin/python -m pytest",
    ]
    assert [line for line in lines if line in order] == order

"""The real pre-commit program runs the hook from a clone of this project.

PRE_COMMIT names the program; the hook is installed from the package registry, so this is one of
the long forms.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.builders.command_line import ROOT
from tests.builders.repositories import RepositoryBuilder

PRE_COMMIT = os.environ.get("PRE_COMMIT") or shutil.which("pre-commit")
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(PRE_COMMIT is None, reason="PRE_COMMIT names no pre-commit program"),
]


def run(repository: RepositoryBuilder, *words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        words,
        cwd=repository.root,
        env={**os.environ, "PRE_COMMIT_HOME": str(repository.root.parent / "hooks")},
        capture_output=True,
        check=False,
        timeout=300,
    )


def tree_of(repository: RepositoryBuilder) -> dict[str, str]:
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(repository.root.rglob("*"))
        if path.is_file() and ".git" not in path.parts
    }


def test_hook__lets_the_index_decide_and_touches_no_file(tmp_path: Path) -> None:
    repository = RepositoryBuilder(tmp_path / "r")
    for name, value in (("user.name", "Case"), ("user.email", "case@example.invalid")):
        repository.git("config", name, value)
    revision = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, check=True, text=True
    ).stdout.strip()
    repository.write(
        {
            ".pre-commit-config.yaml": f"repos:\n- repo: {ROOT}\n  rev: {revision}\n"
            "  hooks: [{id: assembler}]\n",
            "AGENTS.md": "# Rules\n",
            "src/AGENTS.md": "# Source\n",
        }
    )
    repository.git("add", ".")
    assert run(repository, str(PRE_COMMIT), "install").returncode == 0
    good = run(repository, "git", "commit", "-q", "-m", "good")
    assert good.returncode == 0, good.stderr

    # Staged badly, mended on disk, and something else only on disk.
    repository.write({"AGENTS.md": b"\xff\n"})
    repository.git("add", "AGENTS.md")
    repository.write({"AGENTS.md": "# Mended\n", "src/AGENTS.md": "# Not staged\n"})
    before = tree_of(repository)
    bad = run(repository, "git", "commit", "-q", "-m", "bad")
    assert bad.returncode != 0
    assert b"ASM110" in bad.stdout + bad.stderr
    assert tree_of(repository) == before

    # The other way round: the index is right, the disk is not.
    repository.git("add", "AGENTS.md")
    repository.write({"AGENTS.md": b"\xff\n"})
    before = tree_of(repository)
    mended = run(repository, "git", "commit", "-q", "-m", "mended")
    assert mended.returncode == 0, mended.stderr
    assert tree_of(repository) == before

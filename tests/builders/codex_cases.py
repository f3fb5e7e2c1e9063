"""Recorded trees of Codex, on disk: files, home, configuration, and real repositories."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.builders.trees import case_file, write_tree


class Built(NamedTuple):
    """A case on disk."""

    case: dict[str, Any]
    root: Path
    home: Path

    def replace(self, text: str) -> str:
        return text.replace("{ROOT}", str(self.root)).replace("{HOME}", str(self.home))

    @property
    def cwd(self) -> Path:
        return Path(os.path.realpath(self.root / self.case["cwd"]))

    @property
    def environment(self) -> dict[str, str]:
        named = self.case.get("env", {})
        return {
            "HOME": str(self.home),
            **{name: self.replace(value) for name, value in named.items()},
        }

    @property
    def overrides(self) -> list[str]:
        given = [self.replace(part) for part in self.case.get("args", ())]
        assert given[::2] == ["-c"] * (len(given) // 2)
        return given[1::2]

    @property
    def system_folder(self) -> Path:
        return self.root.parent / "etc"

    @property
    def warnings(self) -> list[str]:
        return [self.replace(text) for text in self.case["expected"].get("warnings") or ()]


def build(path: Path, base: Path) -> Built:
    """The case of a file, below an empty folder; skipped where the recordings are not here."""
    if not path.parent.is_dir():
        pytest.skip(f"the recorded trees are not here (../shared/cases/{path.parent.name})")
    case: dict[str, Any] = json.loads(path.read_bytes())
    built = Built(case, base / "t", base / "h")
    for folder in (built.root, built.home, built.home / ".codex", built.system_folder):
        folder.mkdir()
    build_git(case["git"] or {}, built.root)
    write_files(built.root, case["files"], built.replace)
    write_files(built.home, case["home"], built.replace)
    write_files(built.system_folder, case.get("etc", {}), built.replace)
    if case["config"] is not None:
        (built.home / ".codex/config.toml").write_text(built.replace(case["config"]))
    (built.root / case["cwd"]).mkdir(parents=True, exist_ok=True)
    return built


def write_files(place: Path, files: dict[str, Any], replace: Callable[[str], str]) -> None:
    write_tree(place, {path: case_file(spec, replace) for path, spec in files.items()})
    for path, spec in files.items():
        if isinstance(spec, dict) and "mode" in spec:
            (place / path).chmod(int(spec["mode"], 8))


def build_git(git: dict[str, Any], root: Path) -> None:
    """Real repositories, and a real linked worktree where the case has one."""
    for folder in git.get("init", ()):
        (root / folder).mkdir(parents=True, exist_ok=True)
        run_git(root / folder, "init", "-q")
    if "worktree" in git:
        main = root / git["worktree"]["main"]
        run_git(main, "commit", "-q", "--allow-empty", "-m", "x")
        path = root / git["worktree"]["path"]
        run_git(main, "worktree", "add", "-q", "--detach", str(path))


def run_git(folder: Path, *arguments: str) -> None:
    names = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    who = ("-c", "user.name=x", "-c", "user.email=x@example.invalid")
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), **names}
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, env=environment)

"""The real command line, in a process of its own, with a home of its own."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.builders.forked import run_forked, run_forked_here

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Result:
    code: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        return self.out.decode("utf-8")

    @property
    def talk(self) -> str:
        return self.err.decode("utf-8")

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@cache
def shared_counts() -> Path:
    """Where commands of this process remember token counts: a cold load costs half a second."""
    folder = Path(tempfile.mkdtemp(prefix="assembler-counts-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@dataclass(frozen=True)
class CommandLine:
    """Runs commands in a folder; its home and record lie in `home`.

    Token counts are remembered for all commands of a test process together, unless
    `own_counts` keeps them in `home` too.
    """

    cwd: Path
    home: Path
    variables: tuple[tuple[str, str], ...] = ()
    own_counts: bool = False
    fresh: bool = False
    """Whether each command starts an interpreter of its own, and imports everything itself."""
    patched: bool = False
    """Whether commands do with what a test changed in this process."""

    def environment(self, **more: str) -> dict[str, str]:
        self.home.mkdir(parents=True, exist_ok=True)
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "PYTHONPATH": str(ROOT),
            "LANG": "C.UTF-8",
            **({} if self.own_counts else {"XDG_CACHE_HOME": str(shared_counts())}),
            **dict(self.variables),
            **more,
        }

    def __call__(
        self, *arguments: str, stdin: bytes | str = b"", cwd: Path | None = None, **more: str
    ) -> Result:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        shared = run_forked_here if self.patched else run_forked
        run = run_fresh if self.fresh else shared
        code, out, err = run(
            arguments, cwd=cwd or self.cwd, environment=self.environment(**more), stdin=data
        )
        assert b"Traceback" not in err or "--debug" in arguments, err.decode()
        return Result(code, out, err)


def run_fresh(
    arguments: Sequence[str], *, cwd: Path, environment: Mapping[str, str], stdin: bytes
) -> tuple[int, bytes, bytes]:
    """As `run_forked`, in an interpreter of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "assembler", *arguments],
        cwd=cwd,
        env=environment,
        input=stdin,
        capture_output=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def all_bytes_below(*folders: Path) -> bytes:
    """Every byte of every regular file, names included: what a grep would see."""
    parts = []
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            parts.append(str(path).encode())
            if path.is_file() and not path.is_symlink():
                parts.append(path.read_bytes())
    return b"\n".join(parts)


def package_of(folder: Path) -> dict[str, bytes]:
    """The files of a package by name, without the head, which tells of the record."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "head.json"
    }

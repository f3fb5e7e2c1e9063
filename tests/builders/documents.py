"""Blocks of the pages that a reader would paste, as they stand there."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.builders.command_line import ROOT, CommandLine

DOCS = ROOT / "docs"


def block(page: str, name: str) -> str:
    """The block behind `<!-- run: NAME -->`."""
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    match = re.search(rf"^<!-- run: {name} -->\n```\w+\n(.*?)^```$", text, re.M | re.S)
    assert match is not None, (page, name)
    return match.group(1)


def put_on_path(folder: Path) -> Path:
    """A folder with a program `assembler` that runs this checkout."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "assembler"
    # Without `exec` a signal would reach the shell alone.
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m assembler "$@"\n')
    program.chmod(0o755)
    return folder


def run_script(
    text: str,
    assembler: CommandLine,
    *,
    shell: tuple[str, ...] = ("sh", "-e"),
    variables: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a script where the command line stands, with the program on the path."""
    environment = assembler.environment(**(variables or {}))
    folder = put_on_path(assembler.home / "bin")
    environment["PATH"] = f"{folder}:{environment['PATH']}"
    return subprocess.run(
        [*shell, "-c", text],
        cwd=assembler.cwd,
        env=environment,
        capture_output=True,
        check=False,
        text=True,
        timeout=120,
    )

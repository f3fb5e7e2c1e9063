"""A command in a process of its own, with the memory that it took at its highest."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass

from tests.builders.command_line import CommandLine

# Linux hands ru_maxrss of the parent on through fork and exec; VmHWM starts anew with exec.
_RUN_AND_TELL = """
import resource, sys
from pathlib import Path
from assembler.__main__ import main
told = sys.argv.pop(1)
try:
    main()
finally:
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    peaks = [line.split()[1] for line in lines if line.startswith("VmHWM:")]
    Path(told).write_text([*peaks, str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)][0])
"""


@dataclass(frozen=True)
class MeasuredResult:
    code: int
    talk: str
    peak_mib: int


def run_measured(assembler: CommandLine, *arguments: str) -> MeasuredResult:
    """Run a command of the product and say its highest resident memory, in MiB."""
    with tempfile.NamedTemporaryFile("r") as peak:
        done = subprocess.run(
            [sys.executable, "-c", _RUN_AND_TELL, peak.name, *arguments],
            cwd=assembler.cwd,
            env=assembler.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=300,
            check=False,
        )
        assert b"Traceback" not in done.stderr, done.stderr.decode()
        return MeasuredResult(done.returncode, done.stderr.decode(), int(peak.read()) // 1024)

"""A process ends at once, and only where nobody would notice."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

START = "import sys\nfrom assembler.__main__ import start\nsys.argv[1:] = ['chain', '-q']\n"


def run(code: str, cwd: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *options, "-c", code],
        cwd=cwd,
        env={**os.environ, "HOME": str(cwd), "TMPDIR": str(cwd)},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def test_start__does_not_take_the_interpreter_apart(tmp_path: Path) -> None:
    noticed = (
        "import os\nclass Seen:\n"
        "    def __del__(self, write=os.write): write(1, b'taken apart')\nseen = Seen()\n"
    )
    assert "taken apart" not in run(f"{noticed}{START}start()", tmp_path).stdout
    # The same where somebody looks on: what is told at the end is told.
    watched = f"{noticed}{START}sys.setprofile(lambda *_: None)\nstart()"
    assert "taken apart" in run(watched, tmp_path).stdout


def test_start__does_what_was_registered_for_the_end_and_flushes(tmp_path: Path) -> None:
    code = f"import atexit\natexit.register(print, 'last')\n{START}print('first')\nstart()"
    done = run(code, tmp_path)
    assert done.returncode == 0
    assert {"first", "last"} <= set(done.stdout.split())


def test_start__waits_for_threads(tmp_path: Path) -> None:
    work = "threading.Timer(0.3, print, ['worked']).start()"
    done = run(f"import threading\n{START}{work}\nstart()", tmp_path)
    assert done.returncode == 0
    assert "worked" in done.stdout


def test_start__lets_a_profiler_tell(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "cProfile", "-m", "assembler", "--version"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "function calls" in done.stdout


@pytest.mark.parametrize(("arguments", "code"), [("['--version']", 0), ("['chain', '--nope']", 2)])
def test_start__exits_by_the_table(tmp_path: Path, arguments: str, code: int) -> None:
    assert run(f"{START}sys.argv[1:] = {arguments}\nstart()", tmp_path).returncode == code


def test_start__tells_of_output_that_is_lost(tmp_path: Path) -> None:
    code = f"{START}sys.stdout = open('/dev/full', 'w')\nprint('lost')\nstart()"
    done = run(code, tmp_path)
    assert done.returncode == 120
    assert "No space left" in done.stderr


def test_start__leaves_no_folder_of_git_behind(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path / "r")], check=True)
    forgotten = (
        "from assembler.adapters.git import GitRepository\nGitRepository.close = lambda _: None\n"
    )
    code = f"{forgotten}{START}sys.argv[1:] = ['check', '-C', 'r']\nstart()"
    assert run(code, tmp_path).returncode == 0
    assert not list(tmp_path.glob("assembler-git-*"))

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from assembler_verifier import __main__ as command
from assembler_verifier.report import VERSION
from tests.verifier.vectors import head_of, lay_out, package_files

ROOT = Path(__file__).parent.parent.parent
SCRIPT = ROOT / "assembler_verifier" / "__main__.py"


def run(*words: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the script in isolated mode, without site packages."""
    line = [sys.executable, "-I", "-S", str(SCRIPT), *map(str, words)]
    return subprocess.run(
        line, cwd=cwd, capture_output=True, text=True, timeout=60, check=False, env={}
    )


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return lay_out(package_files("codeai-16-bound"), tmp_path / "package")


def test_command__says_that_a_package_holds(package: Path) -> None:
    done = run(package, "--head", head_of("codeai-16-bound"))
    assert (done.returncode, done.stderr) == (0, "")
    first, *rest = done.stdout.splitlines()
    assert first == "Package 2486e83ca77a holds: 46 claims, 0 failed, 4 not checked"
    assert all(line.startswith("  not checked   ") for line in rest)


def test_command__works_from_any_folder_with_a_relative_name(package: Path) -> None:
    assert run("package", cwd=package.parent).returncode == 0
    assert run(".", cwd=package).returncode == 0


def test_command__runs_as_a_module(package: Path) -> None:
    line = [sys.executable, "-m", "assembler_verifier", str(package), "--format", "json"]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, timeout=60, check=False)
    report = json.loads(done.stdout)
    assert done.returncode == report["exit_code"] == 0
    assert report["schema"] == "assembler/verify/1"
    assert report["tool"] == {"name": "assembler-verify", "version": VERSION}
    assert len(report["package_id"]) == 64
    assert {claim["result"] for claim in report["claims"]} == {"passed", "unchecked"}
    assert all(set(claim) == {"id", "result", "detail"} for claim in report["claims"])


def test_command__names_the_place_of_a_failure(package: Path) -> None:
    text = (package / "input.txt").read_bytes()
    (package / "input.txt").write_bytes(text.replace(b"4 March", b"5 March"))
    done = run(package)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("Package 2486e83ca77a does NOT hold: 46 claims, 3 failed, ")
    assert 'input.txt bytes 563..694 should be item "B"' in done.stdout
    assert json.loads(run(package, "--format", "json").stdout)["exit_code"] == 1


def test_command__tells_another_head(package: Path) -> None:
    assert "exported-head" in run(package, "--head", "0" * 64).stdout


@pytest.mark.parametrize(
    "words",
    [[], ["--head", "xyz", "d"], ["d", "--format", "yaml"], ["d", "--nonsense"], ["a", "b"]],
)
def test_command__exits_2_on_usage(words: list[str]) -> None:
    done = run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


def test_command__exits_2_where_there_is_nothing_to_check(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none\u202e"):
        done = run(folder)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("error: ")
        assert done.stderr.isascii()
        answer = json.loads(run(folder, "--format", "json").stdout)
        assert (answer["schema"], answer["exit_code"]) == ("assembler/error/1", 2)


def test_command__does_not_wait_for_a_fifo_or_follow_a_link(package: Path) -> None:
    os.mkfifo(package / "pipe")
    (package / "link").symlink_to("/dev/zero")
    (package / "ledger.jsonl").unlink()
    (package / "ledger.jsonl").symlink_to("/dev/zero")
    done = run(package)
    assert done.returncode == 1
    assert "FAIL  files" in done.stdout


def test_command__exits_141_on_a_closed_pipe(package: Path) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    line = [sys.executable, "-I", "-S", str(SCRIPT), str(package)]
    done = subprocess.run(line, stdout=write_end, stderr=subprocess.PIPE, timeout=60, check=False)
    os.close(write_end)
    assert (done.returncode, done.stderr) == (141, b"")


def test_command__hides_a_bug_behind_exit_70(
    package: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def break_down(*_: object, **__: object) -> None:
        raise RecursionError("SECRET")

    monkeypatch.setattr(command, "verify_package", break_down)
    assert command.main([str(package)]) == 70
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.endswith("this is a bug of the verifier: RecursionError\n")


def test_command__writes_nothing(package: Path) -> None:
    before = sorted(package.rglob("*"))
    run(package)
    assert sorted(package.rglob("*")) == before


def test_version__is_that_of_the_distribution() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == VERSION

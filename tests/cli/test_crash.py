"""A process killed at each named point of a run: nothing acknowledged is lost, nothing is half."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys

import pytest

from assembler.front.recording import CHECKPOINTS
from assembler_verifier import verify_package
from tests.builders.command_line import ROOT, CommandLine
from tests.builders.inventories import inventory_value, item

RUN = """
import os, signal, sys
from pathlib import Path
from assembler.front.inventories import compile_inventory_file
from assembler.front.recording import Wanted

place, home, stop = sys.argv[1], sys.argv[2], int(sys.argv[3])
passed = []

def checkpoint(name):
    passed.append(name)
    print(name, flush=True)
    if len(passed) == stop:
        os.kill(os.getpid(), signal.SIGKILL)

compile_inventory_file(
    Path(place) / "i.json", None, cwd=Path(place), environment={"HOME": home},
    wanted=Wanted(out=Path(place) / "out", checkpoint=checkpoint),
)
"""
GOOD = inventory_value(item("a"), required=("a",))
REFUSED = inventory_value(item("a", 99), required=("a",))
FAILURE_CHECKPOINTS = ("event-written", "event-committed") * 2


def kill_at(plain: CommandLine, value: object, stop: int) -> list[str]:
    """Run until a checkpoint (0: to the end); the names of those that were passed."""
    (plain.cwd / "i.json").write_text(json.dumps(value))
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(plain.cwd), str(plain.home), str(stop)],
        env=plain.environment(),
        capture_output=True,
        check=False,
        cwd=ROOT,
    )
    assert stop == 0 or done.returncode == -signal.SIGKILL, done.stderr.decode()
    return done.stdout.decode().split()


def runs(plain: CommandLine) -> list[dict[str, object]]:
    listed: list[dict[str, object]] = plain("log", "-f", "json").json["runs"]
    return listed


@pytest.mark.parametrize(("value", "points"), [(GOOD, CHECKPOINTS), (REFUSED, FAILURE_CHECKPOINTS)])
def test_checkpoints__are_those_that_a_run_passes(
    plain: CommandLine, value: object, points: tuple[str, ...]
) -> None:
    assert tuple(kill_at(plain, value, 0)) == points


@pytest.mark.parametrize("stop", range(1, len(CHECKPOINTS) + 1))
def test_kill__at_each_point_of_a_run_leaves_a_whole_record(plain: CommandLine, stop: int) -> None:
    passed = kill_at(plain, GOOD, stop)
    acknowledged = passed.count("event-committed")
    listed = runs(plain)
    assert len(listed) == min(acknowledged, 1)
    assert [run["state"] for run in listed] == [
        "compiled" if acknowledged == 2 else "interrupted"
    ] * len(listed)
    out = plain.cwd / "out"
    assert out.exists() == (passed[-1] == "published")
    if out.exists():
        assert verify_package(out).holds
    if acknowledged == 2:
        exported = plain.cwd / "exported"
        assert plain("log", "1", "--files", str(exported)).code == 0
        assert verify_package(exported).holds
    # The next run works, and clears away what the killed one had begun to write.
    if not out.exists():
        arguments = ("assemble", "--inventory", "i.json", "--out", "out")
        assert plain(*arguments).code == 0
    assert not [path for path in plain.cwd.iterdir() if path.name.endswith(".partial")]
    assert plain("verify", "last").code == 0


@pytest.mark.parametrize("stop", range(1, len(FAILURE_CHECKPOINTS) + 1))
def test_kill__at_each_point_of_a_refused_run_leaves_a_whole_record(
    plain: CommandLine, stop: int
) -> None:
    acknowledged = kill_at(plain, REFUSED, stop).count("event-committed")
    states = {0: [], 1: ["interrupted"], 2: ["failed"]}
    assert [run["state"] for run in runs(plain)] == states[acknowledged]
    assert not (plain.cwd / "out").exists()


def test_partial_folder__of_a_process_that_still_runs_is_left_alone(
    plain: CommandLine,
) -> None:
    (plain.cwd / "i.json").write_text(json.dumps(GOOD))
    sleeping = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    busy = plain.cwd / f".out.{sleeping.pid}.partial"
    other = plain.cwd / f".other.{2**22 + 1}.partial"
    abandoned = plain.cwd / f".out.{2**22 + 1}.partial"
    for folder in (busy, other, abandoned):
        folder.mkdir()
    try:
        assert plain("assemble", "--inventory", "i.json", "--out", "out").code == 0
    finally:
        sleeping.communicate(b"\n")
    assert busy.exists()
    assert other.exists()
    assert not abandoned.exists()


@pytest.mark.parametrize("room_bytes", [10_000, 60_000, 120_000])
def test_disk__that_is_full_is_exit_2_and_nothing_is_half(
    plain: CommandLine, room_bytes: int
) -> None:
    text = "".join(f"line {number} of a long text\n" for number in range(8_000))
    value = inventory_value(item("a", content={"text": text}))
    (plain.cwd / "i.json").write_text(json.dumps(value))
    done = subprocess.run(
        [sys.executable, "-m", "assembler", "assemble", "--inventory", "i.json", "--out", "out"],
        # A limited file size would also cut the interpreter's own cache of compiled modules.
        env=plain.environment(PYTHONDONTWRITEBYTECODE="1"),
        cwd=plain.cwd,
        capture_output=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room_bytes, room_bytes)),
    )
    assert done.returncode == 2, done.stderr
    assert b"(store-unwritable)" in done.stderr
    assert b"Traceback" not in done.stderr
    assert [path.name for path in plain.cwd.iterdir()] == ["i.json"]
    assert runs(plain) == []
    assert plain("assemble", "--inventory", "i.json", "--out", "out").code == 0


def test_place__that_takes_no_folder_is_told_before_the_request(plain: CommandLine) -> None:
    (plain.cwd / "i.json").write_text(json.dumps(GOOD))
    result = plain("assemble", "--inventory", "i.json", "--out", "/proc/package")
    assert (result.code, "(out-unwritable)" in result.talk) == (2, True)
    assert runs(plain) == []

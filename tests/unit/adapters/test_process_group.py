from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import anyio
import pytest

from assembler.adapters.process_group import RUNNING, ProcessGroup
from assembler.adapters.process_tree import (
    Process,
    adopting_orphans,
    find_descendants,
    is_running,
    read_processes,
    send_signal,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads the process table")

SHELL = Path("/bin/sh")


def row(number: int, parent: int) -> Process:
    return Process(number, 1, parent, number, number, is_alive=True)


def test_find_descendants__goes_down_to_the_last() -> None:
    table = {number: row(number, parent) for number, parent in ((2, 1), (3, 2), (4, 3), (5, 1))}
    assert [found.number for found in find_descendants(table, 2)] == [3, 4]


def test_find_descendants__ends_on_a_circle() -> None:
    table = {2: row(2, 3), 3: row(3, 2)}
    assert [found.number for found in find_descendants(table, 2)] == [2, 3]


def test_read_processes__reads_this_one() -> None:
    own = read_processes()[os.getpid()]
    assert own.parent == os.getppid()
    assert own.group == os.getpgid(0)
    assert own.session == os.getsid(0)
    assert is_running(own)


def test_send_signal__spares_a_number_that_is_used_again() -> None:
    import signal

    child = subprocess.Popen(["sleep", "300"])
    try:
        seen = read_processes()[child.pid]
        send_signal(seen._replace(started=seen.started - 1), signal.SIGKILL)
        assert is_running(seen)
        send_signal(seen, signal.SIGKILL)
        assert child.wait(5) == -signal.SIGKILL
    finally:
        child.kill()
        child.wait()


@contextmanager
def running(script: str, folder: Path) -> Iterator[ProcessGroup]:
    environment = {"PATH": os.environ["PATH"]}
    group = ProcessGroup(SHELL, ("-c", script), environment=environment, folder=folder)
    try:
        yield group
    finally:
        group.kill_and_close()


def end(group: ProcessGroup) -> float:
    started = time.monotonic()
    anyio.run(group.end)
    return time.monotonic() - started


def wait_for_file(file: Path) -> list[int]:
    for _ in range(500):
        if file.exists() and file.read_text().endswith("\n"):
            return [int(word) for word in file.read_text().split()]
        time.sleep(0.01)
    raise AssertionError("the child wrote nothing")


def alive(numbers: list[int]) -> list[int]:
    table = read_processes()
    return [number for number in numbers if number in table and table[number].is_alive]


def test_end__leaves_at_the_end_of_input(tmp_path: Path) -> None:
    with running("cat; exit 3", tmp_path) as group:
        assert group.exit_code() is None
        assert end(group) < 3
        assert group.exit_code() == 3


def test_end__comes_to_one_that_ignores_everything(tmp_path: Path) -> None:
    script = "trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done"
    with running(script, tmp_path) as group:
        numbers = wait_for_file(tmp_path / "pid")
        assert end(group) < 3
        assert group.exit_code() == -9
        assert not alive(numbers)


@pytest.mark.parametrize("started", ["sleep 300 &", "setsid sleep 300 &"])
@pytest.mark.parametrize("leader", ["cat", "trap '' TERM; sleep 300"])
def test_end__takes_what_the_leader_started(tmp_path: Path, started: str, leader: str) -> None:
    script = f"{started} echo $! > pid; {leader}"
    with running(script, tmp_path) as group:
        numbers = wait_for_file(tmp_path / "pid")
        assert alive(numbers) == numbers
        end(group)
        assert not alive(numbers)


def test_end__takes_the_group_of_a_leader_that_has_left(tmp_path: Path) -> None:
    with running("sleep 300 & echo $! > pid", tmp_path) as group:
        numbers = wait_for_file(tmp_path / "pid")
        anyio.run(group.wait)
        assert alive(numbers) == numbers
        end(group)
        assert not alive(numbers)


def test_end__can_not_be_cancelled(tmp_path: Path) -> None:
    async def cancel_at_once(group: ProcessGroup) -> None:
        with anyio.move_on_after(0):
            await group.end()

    with running("trap '' TERM; echo $$ > pid; sleep 300", tmp_path) as group:
        numbers = wait_for_file(tmp_path / "pid")
        anyio.run(cancel_at_once, group)
        assert not alive(numbers)


def test_adopting_orphans__finds_one_that_left_group_and_parent(tmp_path: Path) -> None:
    script = "setsid sh -c 'echo $$ > pid; exec sleep 300' & sleep 0.1"
    with adopting_orphans(RUNNING.keys()), running(script, tmp_path) as group:
        numbers = wait_for_file(tmp_path / "pid")
        anyio.run(group.wait)
        assert alive(numbers) == numbers
    assert not alive(numbers)


def test_adopting_orphans__spares_children_of_before_and_of_others(tmp_path: Path) -> None:
    before = subprocess.Popen(["sleep", "300"], start_new_session=True)
    try:
        with ExitStack() as stack:
            with adopting_orphans(RUNNING.keys()):
                spared = stack.enter_context(running("cat", tmp_path))
                same_session = stack.enter_context(subprocess.Popen(["sleep", "300"]))
                stack.callback(same_session.kill)
            assert before.poll() is None
            assert same_session.poll() is None
            assert spared.exit_code() is None
        assert spared.exit_code() is not None
    finally:
        before.kill()
        before.wait()

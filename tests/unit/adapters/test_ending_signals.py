"""Signals that end a process wait for the end of a block, and no longer."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from tests.builders.command_line import ROOT

BLOCK = """
import os, signal, sys, threading
from assembler.adapters.ending_signals import putting_off_signals

def send(kind):
    signal.raise_signal(kind)
    print("still here", flush=True)
"""


def run(program: str) -> tuple[int, str]:
    """Exit code and output of a program in an interpreter of its own."""
    done = subprocess.run(
        [sys.executable, "-c", BLOCK + program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.mark.parametrize("kind", ["SIGTERM", "SIGHUP"])
def test_signal__ends_the_process_behind_the_block(kind: str) -> None:
    program = f"""
with putting_off_signals() as put_off:
    with put_off.calling(lambda: print("woken", flush=True)):
        send(signal.{kind})
        send(signal.{kind})
    send(signal.{kind})
print("never", flush=True)
"""
    assert run(program) == (
        -signal.Signals[kind], "woken\nstill here\nwoken\nstill here\nstill here\n"
    )  # fmt: skip


def test_signal__that_came_before_the_work_ends_it_at_once() -> None:
    program = """
with putting_off_signals() as put_off:
    send(signal.SIGTERM)
    with put_off.calling(lambda: print("woken", flush=True)):
        print("work", flush=True)
"""
    assert run(program) == (-signal.SIGTERM, "still here\nwoken\nwork\n")


def test_signal__is_as_it_was_where_none_came() -> None:
    program = """
with putting_off_signals():
    pass
print(signal.getsignal(signal.SIGTERM) is signal.SIG_DFL)
"""
    assert run(program) == (0, "True\n")


def test_handler__of_a_host_and_an_ignored_signal_stay() -> None:
    program = """
signal.signal(signal.SIGTERM, lambda *_: print("of the host", flush=True))
signal.signal(signal.SIGHUP, signal.SIG_IGN)
with putting_off_signals() as put_off:
    send(signal.SIGTERM)
    send(signal.SIGHUP)
    print(put_off.kind)
"""
    assert run(program) == (0, "of the host\nstill here\nstill here\nNone\n")


def test_thread__that_is_not_the_main_one_puts_nothing_off() -> None:
    program = """
def work():
    with putting_off_signals():
        print(signal.getsignal(signal.SIGTERM) is signal.SIG_DFL)

thread = threading.Thread(target=work)
thread.start()
thread.join()
"""
    assert run(program) == (0, "True\n")

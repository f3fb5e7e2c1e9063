"""Run a command in a process of its own that was forked, not started.

A fresh interpreter spends most of a short command on imports. A fork has them already; folder,
environment, arguments and the three streams are its own. What a command imports, and what it
does in another locale or without a stream, is tested with a fresh one.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

from tests.builders import command_starter
from tests.builders.command_starter import NUMBER

TIMEOUT_SECONDS = 120.0
ROOT = Path(__file__).parents[2]
PROCESS = os.getpid()


def run_forked(
    arguments: Sequence[str], *, cwd: Path, environment: Mapping[str, str], stdin: bytes
) -> tuple[int, bytes, bytes]:
    """Exit code, stdout and stderr of `assembler ARGUMENTS`, in a fork of a small process.

    Raises:
        TimeoutError: it ran longer than two minutes, and was killed.
    """
    if os.getpid() != PROCESS:
        # A test forked itself to be another user: so must the command be.
        return run_forked_here(arguments, cwd=cwd, environment=environment, stdin=stdin)
    channel = starter()
    asked = {"arguments": [*arguments], "cwd": str(cwd), "environment": dict(environment)}
    with streams(json.dumps(asked).encode(), stdin, b"", b"") as (request, given, out, err):
        reading, writing = os.pipe()
        with os.fdopen(reading, "rb", buffering=0) as answer:
            try:
                socket.send_fds(channel, [b"1"], [request, given, out, err, writing])
            finally:
                os.close(writing)
            (child,) = NUMBER.unpack(answer.read(NUMBER.size))
            ready, _, _ = select.select([answer], [], [], TIMEOUT_SECONDS)
            if not ready:
                os.kill(child, signal.SIGKILL)
                raise TimeoutError(child)
            (code,) = NUMBER.unpack(answer.read(NUMBER.size))
        return code, whole(out), whole(err)


def run_forked_here(
    arguments: Sequence[str], *, cwd: Path, environment: Mapping[str, str], stdin: bytes
) -> tuple[int, bytes, bytes]:
    """As `run_forked`, in a fork of this process: with its user, and what a test changed in it."""
    import assembler.cli.main  # what the parent has imported, no child has to

    assert assembler.cli.main.run
    with streams(stdin, b"", b"") as (given, out, err):
        with warnings.catch_warnings():
            # The runner of the tests has a thread; it holds no lock that a command needs.
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            command_starter.become(arguments, str(cwd), environment, (given, out, err))
        return _wait(child), whole(out), whole(err)


@cache
def starter() -> socket.socket:
    """The socket of the process that starts commands for this one; made at the first command."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    number = theirs.fileno()
    started = subprocess.Popen(
        [sys.executable, "-m", command_starter.__name__, str(number)],
        cwd=ROOT,
        pass_fds=[number],
    )
    theirs.close()

    def end() -> None:
        # A fork of this process is not the one that has to end it.
        if os.getpid() == PROCESS:
            ours.close()
            started.wait()

    atexit.register(end)
    return ours


@contextmanager
def streams(*contents: bytes) -> Iterator[list[int]]:
    """Files in memory, each at its start."""
    with ExitStack() as stack:
        numbers = []
        for content in contents:
            number = os.memfd_create("stream")
            stack.callback(os.close, number)
            with open(number, "wb", closefd=False) as file:
                file.write(content)
            os.lseek(number, 0, os.SEEK_SET)
            numbers.append(number)
        yield numbers


def whole(number: int) -> bytes:
    """All that was written to a file in memory."""
    os.lseek(number, 0, os.SEEK_SET)
    with open(number, "rb", closefd=False) as file:
        return file.read()


def _wait(child: int) -> int:
    handle = os.pidfd_open(child)
    try:
        ready, _, _ = select.select([handle], [], [], TIMEOUT_SECONDS)
        if not ready:
            os.kill(child, signal.SIGKILL)
    finally:
        os.close(handle)
    _, status = os.waitpid(child, 0)
    if not ready:
        raise TimeoutError(child)
    return os.waitstatus_to_exitcode(status)

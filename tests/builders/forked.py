"""Run a command in a process of its own that was forked, not started.

A fresh interpreter spends most of a short command on imports. A fork of the test process has
them already; folder, environment, arguments and the three streams are its own. What a command
imports, and what it does in another locale or without a stream, is tested with a fresh one.
"""

from __future__ import annotations

import io
import os
import select
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

TIMEOUT_SECONDS = 120.0


def run_forked(
    arguments: Sequence[str], *, cwd: Path, environment: Mapping[str, str], stdin: bytes
) -> tuple[int, bytes, bytes]:
    """Exit code, stdout and stderr of `assembler ARGUMENTS`.

    Raises:
        TimeoutError: it ran longer than two minutes, and was killed.
    """
    import assembler.cli.main  # what the parent has imported, no child has to

    assert assembler.cli.main.run
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        given.write(stdin)
        given.seek(0)
        with warnings.catch_warnings():
            # The runner of the tests has a thread; it holds no lock that a command needs.
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            _become(arguments, cwd, environment, (given.fileno(), out.fileno(), err.fileno()))
        code = _wait(child)
        for stream in (out, err):
            stream.seek(0)
        return code, out.read(), err.read()


def _become(
    arguments: Sequence[str], cwd: Path, environment: Mapping[str, str], streams: Sequence[int]
) -> NoReturn:
    code = 1
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(environment)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        tempfile.tempdir = None
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), "utf-8")
        sys.stdout, sys.stderr = (
            io.TextIOWrapper(io.BufferedWriter(io.FileIO(number, "w", closefd=False)), "utf-8")
            for number in (1, 2)
        )
        sys.argv = ["assembler", *arguments]
        code = _call_main()
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


def _call_main() -> int:
    from assembler.__main__ import main

    try:
        main()
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 1
    return 0


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

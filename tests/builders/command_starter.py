"""A small process that has imported the command line once, and forks a child for each command.

The process of the tests holds thousands of tests: a fork of it copies their page tables, and
imports again what no test imports itself. This one holds the product alone. It is told what to
run over a socket, and ends when the other end is closed.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import json
import os
import pkgutil
import select
import signal
import socket
import struct
import sys
import tempfile
import traceback
import warnings
from collections.abc import Mapping, Sequence
from typing import NamedTuple, NoReturn

NUMBER = struct.Struct("=i")
MAX_DESCRIPTORS = 256
"""Above what this process ever has open: one socket, five files and two handles a command."""
LAZY = (
    "click.shell_completion",
    "concurrent.futures.thread",
    "encodings.utf_16_be",
    "re2",
    "xml.etree.ElementTree",
)
"""Of other packages, what commands import when they need it."""


class Running(NamedTuple):
    """One child: its end is told on `answer`."""

    child: int
    answer: int


def become(
    arguments: Sequence[str], cwd: str, environment: Mapping[str, str], streams: Sequence[int]
) -> NoReturn:
    """In a child that was forked: run the command, and end with its exit code."""
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


def serve(channel: socket.socket) -> None:
    """Start what is asked for, and tell of each its number and how it ended."""
    running: dict[int, Running] = {}
    while True:
        ready, _, _ = select.select([channel, *running], [], [])
        for one in ready:
            if one is channel:
                if not _start(channel, running):
                    return
            else:
                _tell_end(one, running.pop(one))


def _start(channel: socket.socket, running: dict[int, Running]) -> bool:
    said, descriptors, _, _ = socket.recv_fds(channel, 1, 5)
    if not said:
        return False
    request, *streams, answer = descriptors
    child = os.fork()
    if child == 0:
        with open(request, encoding="utf-8", closefd=False) as file:
            asked = json.load(file)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        # A program that is started has three streams open and nothing else.
        os.closerange(3, MAX_DESCRIPTORS)
        warnings.simplefilter("error")
        become(asked["arguments"], asked["cwd"], asked["environment"], (0, 1, 2))
    for descriptor in (request, *streams):
        os.close(descriptor)
    os.write(answer, NUMBER.pack(child))
    running[os.pidfd_open(child)] = Running(child, answer)
    return True


def _tell_end(handle: int, ended: Running) -> None:
    _, status = os.waitpid(ended.child, 0)
    os.close(handle)
    # Who asked may have given up.
    with contextlib.suppress(BrokenPipeError):
        os.write(ended.answer, NUMBER.pack(os.waitstatus_to_exitcode(status)))
    os.close(ended.answer)


def load_everything() -> None:
    """All rooms of the product and the usual vocabulary: no child has to load them."""
    import assembler

    for module in pkgutil.walk_packages(assembler.__path__, "assembler."):
        importlib.import_module(module.name)
    for name in LAZY:
        importlib.import_module(name)
    from assembler.adapters.vocabulary import VOCABULARIES, load_encoding

    load_encoding(VOCABULARIES["o200k_base"])


def main() -> None:
    """Serve the socket whose number is the argument."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    load_everything()
    # As the product's own start; and what no collection of a child looks at is not copied for it.
    gc.set_threshold(50_000, 20, 20)
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=int(sys.argv[1])) as channel:
        serve(channel)


if __name__ == "__main__":
    main()

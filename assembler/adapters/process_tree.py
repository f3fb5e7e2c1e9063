"""Which processes there are, who started them, and how one is ended without hitting another.

In: nothing but the process table. Out: rows of it, signals to processes that are still the same.
Only Linux has this table: elsewhere it is empty, and what is found through it is not found.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

_TABLE: Final = Path("/proc")
_SET_SUBREAPER: Final = 36  # linux/prctl.h, PR_SET_CHILD_SUBREAPER
_GET_SUBREAPER: Final = 37
_SWEEP_SECONDS: Final = 0.5
_PAUSE_SECONDS: Final = 0.01


class Process(NamedTuple):
    """A row of the process table."""

    number: int
    started: int
    """Clock ticks since the machine started: a number that is used again has another."""
    parent: int
    group: int
    session: int
    is_alive: bool
    """False for one that ended and waits for its parent to ask."""


def read_processes() -> dict[int, Process]:
    """The process table by number; empty where the system has none to read."""
    try:
        names = os.listdir(_TABLE)  # noqa: PTH208 - names are wanted, not paths
    except OSError:
        return {}
    rows = (_read_process(name) for name in names if name.isdecimal())
    return {row.number: row for row in rows if row is not None}


def find_descendants(table: Mapping[int, Process], number: int) -> list[Process]:
    """Everything below a process, itself left out, in the order of numbers."""
    children: dict[int, list[Process]] = {}
    for row in table.values():
        children.setdefault(row.parent, []).append(row)
    found: dict[int, Process] = {}
    pending = [number]
    while pending:
        for row in children.get(pending.pop(), ()):
            if row.number not in found:
                found[row.number] = row
                pending.append(row.number)
    return [found[key] for key in sorted(found)]


def is_running(process: Process) -> bool:
    """Whether this very process is still at work."""
    row = _read_process(str(process.number))
    return row is not None and row.is_alive and row.started == process.started


def send_signal(process: Process, kind: signal.Signals) -> None:
    """Signal a process if it is still the one that was seen."""
    # The descriptor is taken before the look, so that both speak of one process.
    with suppress(OSError):
        descriptor = os.pidfd_open(process.number)
        try:
            if is_running(process):
                signal.pidfd_send_signal(descriptor, kind)
        finally:
            os.close(descriptor)


def forget(process: Process) -> None:
    """Take an ended child off the table; one that is not a child is its parent's affair."""
    with suppress(OSError):
        os.waitpid(process.number, os.WNOHANG)


class _Adoption:
    """How many calls adopt at present, and what stood below this process before the first."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0
        self.was_on = False
        self.before: frozenset[tuple[int, int]] = frozenset()


_ADOPTION: Final = _Adoption()


@contextmanager
def adopting_orphans(spared: Collection[int]) -> Iterator[None]:
    """Become the parent of orphans below this process, and end them when the last user leaves.

    A process that leaves its group and whose parent ends is found by this alone. Children that
    stood here before, that share this process's session, or that are `spared` are left alone;
    a child that another thread starts meanwhile in a session of its own would be ended.

    Args:
        spared: numbers of running leaders, read when the last user leaves.
    """
    with _ADOPTION.lock:
        if _ADOPTION.users == 0:
            _ADOPTION.was_on = _is_subreaper()
            _ADOPTION.before = frozenset((row.number, row.started) for row in _own_children())
            _set_subreaper(1)
        _ADOPTION.users += 1
    try:
        yield
    finally:
        with _ADOPTION.lock:
            _ADOPTION.users -= 1
            if _ADOPTION.users == 0:
                _end_orphans(_ADOPTION.before, spared)
                _set_subreaper(int(_ADOPTION.was_on))


def _end_orphans(before: frozenset[tuple[int, int]], spared: Collection[int]) -> None:
    # Ending one makes orphans of its own children, so the table is read until nothing is left.
    deadline = time.monotonic() + _SWEEP_SECONDS
    while time.monotonic() < deadline:
        table = read_processes()
        orphans = [
            row
            for row in _own_children(table)
            if (row.number, row.started) not in before
            and row.number not in spared
            and row.session != os.getsid(0)
        ]
        if not orphans:
            return
        for orphan in orphans:
            for process in (*find_descendants(table, orphan.number), orphan):
                send_signal(process, signal.SIGKILL)
            forget(orphan)
        time.sleep(_PAUSE_SECONDS)


def _own_children(table: Mapping[int, Process] | None = None) -> list[Process]:
    rows = read_processes() if table is None else table
    return [row for row in rows.values() if row.parent == os.getpid()]


def _read_process(name: str) -> Process | None:
    try:
        text = (_TABLE / name / "stat").read_bytes()
    except OSError:
        return None
    # The program's name may hold anything, also a bracket; the fields stand behind the last one.
    fields = text[text.rfind(b")") + 1 :].split()
    if len(fields) < 20:
        return None
    return Process(
        number=int(name),
        started=int(fields[19]),
        parent=int(fields[1]),
        group=int(fields[2]),
        session=int(fields[3]),
        is_alive=fields[0] not in (b"Z", b"X"),
    )


def _is_subreaper() -> bool:
    flag = ctypes.c_int(0)
    return _call_prctl(_GET_SUBREAPER, ctypes.byref(flag)) and flag.value != 0


def _set_subreaper(value: int) -> None:
    _call_prctl(_SET_SUBREAPER, ctypes.c_ulong(value))


def _call_prctl(option: int, argument: object) -> bool:
    if sys.platform != "linux":
        return False
    try:
        library = ctypes.CDLL(None, use_errno=True)
        return bool(library.prctl(option, argument, 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False

"""A child process with everything that it starts: begun in a group of its own, ended whole.

In: a program, arguments, an environment, a folder. Out: three pipes, and an end that always comes.
Never here: a shell, an inherited environment, a wait without an end.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

import anyio

from assembler.adapters.process_tree import (
    Process,
    find_descendants,
    forget,
    is_running,
    read_processes,
    send_signal,
)

END_OF_INPUT_SECONDS: Final = 0.3
"""Time to leave after the end of input; with the next two, less than 2 s in all."""
TERMINATE_SECONDS: Final = 0.5
KILL_SECONDS: Final = 0.7
_PAUSE_SECONDS: Final = 0.01
_WATCH_SECONDS: Final = 0.1

RUNNING: Final[dict[int, ProcessGroup]] = {}
"""Groups that were started here and not ended yet, by the number of their leader."""


class ProcessGroup:
    """A running child that leads a session of its own."""

    def __init__(
        self,
        program: Path,
        arguments: Sequence[str],
        *,
        environment: Mapping[str, str],
        folder: Path,
    ) -> None:
        """Start it.

        Raises:
            OSError: it does not start.
        """
        self._child = subprocess.Popen(
            [str(program), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=folder,
            env=dict(environment),
            start_new_session=True,
        )
        self._number = self._child.pid
        self._seen: dict[tuple[int, int], Process] = {}
        self._status: int | None = None
        self._is_reaped = False
        RUNNING[self._number] = self
        for stream in self._streams():
            os.set_blocking(stream.fileno(), False)

    @property
    def input(self) -> int:
        """Descriptor of its standard input, not blocking."""
        return _descriptor(self._child.stdin)

    @property
    def output(self) -> int:
        """Descriptor of its standard output, not blocking."""
        return _descriptor(self._child.stdout)

    @property
    def errors(self) -> int:
        """Descriptor of its standard error, not blocking."""
        return _descriptor(self._child.stderr)

    def exit_code(self) -> int | None:
        """The leader's exit code, negative for a signal; None while it runs.

        The leader stays on the process table until the group has ended, so that the group's
        number can't come to belong to somebody else.
        """
        if self._status is None and not self._is_reaped:
            if not hasattr(os, "waitid"):
                # Older Pythons on macOS can't look without taking the leader off the table.
                self._status = self._child.poll()
                return self._status
            try:
                ended = os.waitid(os.P_PID, self._number, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                self._is_reaped = True
                self._status = 0
                return self._status
            if ended is not None:
                killed = ended.si_code != os.CLD_EXITED
                self._status = -ended.si_status if killed else ended.si_status
        return self._status

    async def wait(self) -> int:
        """Until the leader has ended: its exit code."""
        while (code := self.exit_code()) is None:
            await anyio.sleep(_WATCH_SECONDS)
        return code

    def note_descendants(self) -> None:
        """Remember what is below the leader now; of what left the group nothing else tells."""
        for row in find_descendants(read_processes(), self._number):
            self._seen[row.number, row.started] = row

    async def end(self) -> None:
        """End of input, SIGTERM, SIGKILL, each to whoever is left, within 2 s; not cancellable."""
        with anyio.CancelScope(shield=True):
            self.note_descendants()
            self.close_input()
            await self._wait_for_leader(END_OF_INPUT_SECONDS)
            if not self._is_gone():
                self._signal(signal.SIGTERM)
                await self._wait_until_gone(TERMINATE_SECONDS)
            self.kill()
            await self._wait_until_gone(KILL_SECONDS)
            self._close()

    def kill(self) -> None:
        """SIGKILL to everything that is left, now."""
        self._signal(signal.SIGKILL)

    def kill_and_close(self) -> None:
        """The end without a wait, for when the event loop is gone; nothing where it has ended."""
        if not self._is_reaped:
            self.kill()
            self._close()

    def close_input(self) -> None:
        """Say that nothing more will be asked."""
        stream = self._child.stdin
        if stream is not None and not stream.closed:
            stream.close()

    def _signal(self, kind: signal.Signals) -> None:
        if self._is_reaped:
            return
        self.note_descendants()
        # The leader is on the table still, so the number can't be another group's.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._number, kind)
        for process in self._seen.values():
            send_signal(process, kind)

    async def _wait_for_leader(self, seconds: float) -> None:
        with anyio.move_on_after(seconds):
            while self.exit_code() is None:
                await anyio.sleep(_PAUSE_SECONDS)

    async def _wait_until_gone(self, seconds: float) -> None:
        with anyio.move_on_after(seconds):
            while not self._is_gone():
                await anyio.sleep(_PAUSE_SECONDS)

    def _is_gone(self) -> bool:
        if self.exit_code() is None:
            return False
        if any(is_running(process) for process in self._seen.values()):
            return False
        return not any(
            row.group == self._number and row.is_alive for row in read_processes().values()
        )

    def _close(self) -> None:
        RUNNING.pop(self._number, None)
        for stream in self._streams():
            if not stream.closed:
                stream.close()
        self.exit_code()
        if not self._is_reaped:
            self._is_reaped = True
            with suppress(subprocess.TimeoutExpired):
                code = self._child.wait(KILL_SECONDS)
                self._status = code if self._status is None else self._status
        for process in self._seen.values():
            forget(process)

    def _streams(self) -> list[IO[bytes]]:
        streams = (self._child.stdin, self._child.stdout, self._child.stderr)
        return [stream for stream in streams if stream is not None]


def _descriptor(stream: IO[bytes] | None) -> int:
    if stream is None:
        raise ValueError("the process was started without this pipe")
    return stream.fileno()

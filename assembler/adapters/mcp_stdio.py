"""A server over stdio: messages between the SDK's session and a child process, within limits.

In: a filled-in launch. Out: the two streams of an SDK transport.
Never here: an unbounded line, what the child says on its standard error, a child left behind.
Why the SDK's own transport is not used: docs/decisions/0022.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from assembler.adapters.mcp_environment import Start
from assembler.adapters.mcp_wire import Wire
from assembler.adapters.process_group import ProcessGroup
from assembler.errors import ServerError

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

_READ_BYTES: Final = 1 << 16
_WAITING_MESSAGES: Final = 64
"""Messages of ours that wait for a server which does not read."""
_LAST_WORDS_SECONDS: Final = 0.2
"""How long an ended leader's output is still read, and how long an exit code is waited for."""


@asynccontextmanager
async def stdio_streams(wire: Wire, start: Start, folder: Path) -> AsyncIterator[TransportStreams]:
    """Start the server; at the end nothing of it is left.

    Raises:
        ServerError: `server-start-failed`.
    """
    group = _start(wire, start, folder)
    to_session, for_session = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_server, for_server = anyio.create_memory_object_stream[SessionMessage](_WAITING_MESSAGES)
    wire.stop_writing = for_server.close
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_read_output, wire, group, to_session)
            tasks.start_soon(_write_input, wire, group, for_server)
            tasks.start_soon(_drain_errors, group)
            tasks.start_soon(_watch_leader, wire, group)
            try:
                yield for_session, to_server
            finally:
                tasks.cancel_scope.cancel()
    finally:
        await group.end()
        for stream in (to_session, for_session, to_server, for_server):
            stream.close()


def _start(wire: Wire, start: Start, folder: Path) -> ProcessGroup:
    if os.name != "posix":
        raise wire.failure("server-start-failed", "a server over stdio needs a POSIX system")
    if not folder.is_dir():
        raise wire.failure("server-start-failed", f"no such folder: {folder}")
    try:
        group = ProcessGroup(
            start.program, start.arguments, environment=start.environment, folder=folder
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "unfit text in its arguments"
        raise wire.failure("server-start-failed", f"it does not start: {reason}") from None
    wire.groups.append(group)
    return group


async def _read_output(
    wire: Wire,
    group: ProcessGroup,
    to_session: MemoryObjectSendStream[SessionMessage | Exception],
) -> None:
    lines = _Lines(wire)
    try:
        while chunk := await _read_some(group.output):
            wire.take_bytes(len(chunk))
            for line in lines.split(chunk):
                message = wire.take_message(line)
                if message is not None:
                    await to_session.send(SessionMessage(message))
        wire.fail(await _explain_end(wire, group))
    except ServerError as error:
        wire.fail(error)
    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
        pass  # the session is gone, and with it whoever waited
    finally:
        to_session.close()


class _Lines:
    """Cuts chunks into lines; holds no more than one line of the admitted length."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._rest = bytearray()

    def split(self, chunk: bytes) -> Iterator[bytes]:
        """The lines that this chunk completes, without empty ones."""
        first, *others = chunk.split(b"\n")
        self._rest += first
        self._wire.check_line(len(self._rest))
        for other in others:
            line = bytes(self._rest).rstrip(b"\r")
            self._rest = bytearray(other)
            if line:
                yield line


async def _write_input(
    wire: Wire, group: ProcessGroup, for_server: MemoryObjectReceiveStream[SessionMessage]
) -> None:
    try:
        async with for_server:
            async for item in for_server:
                text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                await _write_all(group.input, text.encode("utf-8") + b"\n")
    except anyio.ClosedResourceError:
        pass
    except OSError:
        # The reader or the watcher has a better reason, if there is one.
        await anyio.sleep(2 * _LAST_WORDS_SECONDS)
        wire.fail(wire.failure("server-protocol", "it closed its input"))


async def _drain_errors(group: ProcessGroup) -> None:
    """A full pipe would stop the server; its words may hold credentials, so none is kept."""
    try:
        while await _read_some(group.errors):
            pass
    except OSError:
        pass


async def _watch_leader(wire: Wire, group: ProcessGroup) -> None:
    """An ended leader's descendants may hold its output open for ever."""
    await group.wait()
    await anyio.sleep(_LAST_WORDS_SECONDS)
    wire.fail(await _explain_end(wire, group))


async def _explain_end(wire: Wire, group: ProcessGroup) -> ServerError:
    wire.has_ended = True
    code: int | None = None
    with anyio.move_on_after(_LAST_WORDS_SECONDS):
        code = await group.wait()
    if code is None:
        end = "it closed its output"
    elif code < 0:
        end = f"ended by signal {-code}"
    else:
        end = f"exited with code {code}"
    next_step = "run the server's command by hand: what it says of itself is not shown here"
    if wire.has_answered:
        return wire.failure("server-protocol", end, next_step)
    return wire.failure("server-start-failed", f"{end} before it answered", next_step)


async def _read_some(descriptor: int) -> bytes:
    while True:
        try:
            return os.read(descriptor, _READ_BYTES)
        except BlockingIOError:
            await anyio.wait_readable(descriptor)


async def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            await anyio.wait_writable(descriptor)

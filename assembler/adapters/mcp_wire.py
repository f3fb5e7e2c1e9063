"""What both transports share: the phase, the first fault, the limits, the count of changes.

In: the bytes of each message. Out: messages for the session, or one ServerError for all who wait.
Never here: a byte of the server's in a message of ours; a message that the session needs not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import anyio
from mcp_types import JSONRPCMessage, jsonrpc_message_adapter
from pydantic import ValidationError

from assembler.adapters.mcp_limits import IDLE_SECONDS, LiveLimits, Meter
from assembler.adapters.mcp_messages import LIST_CHANGED, Unusable, read_message
from assembler.adapters.process_group import ProcessGroup
from assembler.errors import ServerError

_PASSED_ON: Final = frozenset(
    {"notifications/cancelled", "notifications/subscriptions/acknowledged"}
)
"""Notifications that the session acts on; of all others only their number is of interest."""


class Wire:
    """The state of one connection."""

    def __init__(
        self,
        server: str,
        limits: LiveLimits,
        report: Callable[[str], None],
        *,
        timeout_seconds: float,
    ) -> None:
        self.server = server
        self.meter = Meter(limits)
        self.timeout_seconds = timeout_seconds
        self.phase = "starting"
        self.is_listing = False
        self.fault: ServerError | None = None
        self.groups: list[ProcessGroup] = []
        """Started for this connection; what is left of them when the loop is gone is killed."""
        self.has_answered = False
        """The handshake is done."""
        self.has_ended = False
        """The child ended, or what it says can't be heard any more."""
        self.http_status: int | None = None
        """Of the last answer that was no success."""
        self.changes = 0
        """How often the server said that its list of tools changed."""
        self.changed = anyio.Event()
        self.stop_writing: Callable[[], None] = _do_nothing
        """Whoever still has something to send gives up; set by a transport that could block."""
        self.stream_answered = anyio.Event()
        """Over HTTP in the older era: whether there is a stream of notifications is known."""
        self.is_silent = False
        """There is no stream on which the server could tell of changes."""
        self.deafness: ServerError | None = None
        """Why changes are not heard any more, while requests may still be answered."""
        self._report = report
        self._scopes: list[anyio.CancelScope] = []
        self._idle_since = -math.inf

    def enter(self, phase: str) -> None:
        """Say what is done now, to whoever watches and to later messages."""
        self.phase = phase
        self._report(phase)

    def failure(self, code: str, reason: str, next_step: str | None = None) -> ServerError:
        """A failure of this server in this phase."""
        return ServerError(
            code,
            f"could not check {self.server}: {reason} ({self.phase})",
            where=self.server,
            next_step=next_step,
        )

    def fail(self, error: ServerError) -> None:
        """Keep the first fault and wake everybody who waits for the server."""
        if self.fault is None:
            self.fault = error
        for scope in self._scopes:
            scope.cancel()

    def lose_changes(self, error: ServerError) -> None:
        """Whoever waits for a change must connect again; a listing goes on."""
        self.deafness = self.deafness or error
        self._wake()

    def begin_again(self) -> None:
        """Forget the fault, for another start."""
        self.fault = None
        self.has_ended = False
        self.stop_writing = _do_nothing

    @contextmanager
    def watched(self, deadline: float) -> Iterator[None]:
        """Wait inside for the server: the end comes with the deadline or the first fault.

        Raises:
            ServerError: the fault, or `server-timeout`.
        """
        with anyio.CancelScope(deadline=deadline) as scope:
            self._scopes.append(scope)
            try:
                if self.fault is None:
                    yield
                else:
                    raise self.fault
            finally:
                self._scopes.remove(scope)
        if scope.cancelled_caught:
            raise self.fault or self._timeout()

    @contextmanager
    def asking(self) -> Iterator[None]:
        """The limits begin again here, and hold for all that is asked inside."""
        self.meter.restart()
        self._idle_since = math.inf
        try:
            yield
        finally:
            self._idle_since = anyio.current_time()

    def take_bytes(self, count: int) -> None:
        """Count bytes as they arrive.

        Raises:
            ServerError: `server-limit`.
        """
        if anyio.current_time() - self._idle_since > IDLE_SECONDS:
            self.meter.restart()
            self._idle_since = anyio.current_time()
        self._check(self.meter.add_bytes(count))

    def check_line(self, size_bytes: int) -> None:
        """Refuse a line, event or body of this size.

        Raises:
            ServerError: `server-limit`.
        """
        self._check(self.meter.check_line(size_bytes))

    def take_message(self, data: bytes) -> JSONRPCMessage | None:
        """A message for the session; None for one that it needs not, and for noise.

        Raises:
            ServerError: `server-limit`, `server-protocol`, `tool-listing-invalid`.
        """
        self._check(self.meter.add_marks(data))
        message = read_message(data)
        if message is None:
            self._check(self.meter.add_skipped_line())
            return None
        self._check(self.meter.add_message())
        if isinstance(message, Unusable):
            raise self._refuse(message)
        if "method" in message:
            if "id" in message:
                self._check(self.meter.add_request())
            elif not self._is_needed(message):
                return None
        try:
            return jsonrpc_message_adapter.validate_python(message, by_name=False)
        except ValidationError:
            raise self.failure(
                "server-protocol", "it sent an object that is no JSON-RPC message"
            ) from None

    def _is_needed(self, notification: dict[str, Any]) -> bool:
        # Counted here, in the order of arrival: the session hands notifications on at some later
        # time, perhaps behind the answer that they preceded.
        method = notification["method"]
        if method == LIST_CHANGED:
            self.changes += 1
            self._wake()
        return isinstance(method, str) and method in _PASSED_ON

    def _wake(self) -> None:
        self.changed.set()
        self.changed = anyio.Event()

    def _refuse(self, message: Unusable) -> ServerError:
        code = "tool-listing-invalid" if self.is_listing and message.is_json else "server-protocol"
        return self.failure(code, f"its answer is not strict JSON: {message.problem}")

    def _check(self, broken: str | None) -> None:
        if broken is not None:
            raise self.failure("server-limit", broken)

    def _timeout(self) -> ServerError:
        skipped = self.meter.all_skipped_lines
        noise = f"; lines that were no message: {skipped:,}" if skipped else ""
        return self.failure(
            "server-timeout",
            f"no answer in {self.timeout_seconds:g} s{noise}",
            next_step="run the server's command by hand, or allow it more time",
        )


def _do_nothing() -> None:
    pass

"""One server's catalog while a host runs: read again at every change, and held to the pin.

For a host's event loop (asyncio, or trio by anyio). What a model may be offered is `admitted`,
and it only ever holds definitions in the bytes that were pinned when the session began, or at a
transition that gave a reason. Every look is an event, also one that changed nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assembler.errors import AssemblerError, ServerError, UsageError
from assembler.front.catalog_source import live_catalog
from assembler.front.catalog_state import CHANGED, UNAVAILABLE, close_catalog, judge_catalog
from assembler.model.catalog import Pin, ToolDefinition
from assembler.model.catalog_event import CatalogEvent, CatalogState, Cause, EventName
from assembler.model.limits import MAX_WORDS_BYTES, are_words
from assembler.model.server import ServerAddress
from assembler.record.catalog_events import read_events, seal_event, write_event

if TYPE_CHECKING:
    import anyio

    from assembler.adapters.mcp_client import Connection

__all__ = ["CatalogEvent", "CatalogSession"]

MAX_ATTEMPTS: Final = 5
"""Connections in a row that give no whole catalog; then the session ends."""
FIRST_DELAY_SECONDS: Final = 0.5
"""Before the second attempt; doubled each time."""
SETTLE_SECONDS: Final = 0.05
"""Servers tell of one change several times (measured: 5 at a start); the list is read once."""


class CatalogSession:
    """Which tools of one server may be offered to a model, now.

    `run` holds the connection and goes on until it is cancelled or the server can't be had; the
    rest is read and asked from other tasks of the same loop.
    """

    def __init__(
        self,
        pin: Pin,
        *,
        allowed: frozenset[str],
        address: ServerAddress,
        environment: Mapping[str, str],
        folder: Path,
        clock: Callable[[], str],
        timeout_seconds: float = 20.0,
        log: Path | None = None,
        on_event: Callable[[CatalogEvent], object] | None = None,
    ) -> None:
        """Hold a server to a pin.

        Args:
            pin: of the run; a later file of the same name changes nothing here.
            allowed: names that host and profile allow.
            address: how the server is reached.
            environment: where values come from that the address names.
            folder: the server's working folder.
            clock: gives the time of each event.
            timeout_seconds: for each start and each listing.
            log: a file that every event is added to.
            on_event: told of every event, once it is in the log.
        """
        self._pin = pin
        self._allowed = allowed
        self._address = address
        self._environment = environment
        self._folder = folder
        self._clock = clock
        self._timeout_seconds = timeout_seconds
        self._log = log
        self._on_event = on_event
        self._events: list[CatalogEvent] = []
        self._gone: dict[str, str] = {}
        self._state = close_catalog(pin, allowed, UNAVAILABLE)
        self._offered: dict[str, str] = {}
        """Digest of each admitted definition as of the last event."""
        self._is_settled = False
        self._has_ended = False
        self._connection: Connection | None = None
        self._asked: list[_Asked] = []
        self._wake: Callable[[], object] = lambda: None
        self._news: anyio.Event | None = None

    @property
    def server(self) -> str:
        """The host's name for the server."""
        return self._pin.server

    @property
    def pin(self) -> Pin:
        """What decides now."""
        return self._pin

    @property
    def state(self) -> CatalogState:
        """As of the last event."""
        return self._state

    @property
    def admitted(self) -> tuple[ToolDefinition, ...]:
        """The definitions that a model may be offered, as they were pinned, by name.

        Empty while a change is looked into: the last decision is void then. `settled` waits.
        """
        if not self._is_settled:
            return ()
        return tuple(self._pin.tools[name] for name in self._state.admitted)

    @property
    def events(self) -> tuple[CatalogEvent, ...]:
        """Of this session, oldest first."""
        return tuple(self._events)

    async def run(self) -> None:
        """Read the catalog at the start and at every change, and connect again where it is lost.

        Raises:
            ServerError: the server could not be had `MAX_ATTEMPTS` times in a row; nothing of it
                is admitted then.
        """
        import anyio

        from assembler.adapters.mcp_client import connect

        cause: Cause = "start"
        failures = 0
        try:
            while True:
                count = len(self._events)
                try:
                    async with connect(
                        self.server,
                        self._address,
                        environment=self._environment,
                        folder=self._folder,
                        timeout_seconds=self._timeout_seconds,
                        report=lambda _: None,
                    ) as connection:
                        self._connection = connection
                        await self._follow(connection, cause)
                except AssemblerError as error:
                    self._connection = None
                    self._close(error, cause)
                    # A whole listing in between makes the next failure the first one again.
                    was_read = any(e.listed is not None for e in self._events[count:])
                    failures = 1 if was_read else failures + 1
                    if failures == MAX_ATTEMPTS:
                        raise
                await anyio.sleep(FIRST_DELAY_SECONDS * 2 ** (failures - 1))
                cause = "reconnect"
        finally:
            self._connection = None
            self._is_settled = False
            self._has_ended = True
            self._tell_news()
            for asked in self._asked:
                asked.fail(self.server)
            self._asked.clear()

    async def settled(self) -> tuple[ToolDefinition, ...]:
        """What is admitted, once every change that the server told of was looked into.

        Nothing, once `run` has ended.
        """
        import anyio

        while not (self._is_settled or self._has_ended):
            self._news = self._news or anyio.Event()
            await self._news.wait()
        return self.admitted

    async def refresh(self) -> CatalogEvent:
        """Have the catalog read again now, whatever the server tells; the event that came of it.

        Raises:
            ServerError: there is no connection, or it is lost on the way.
        """
        return await self._ask(None, None)

    async def transition(self, pin: Pin, reason: str) -> CatalogEvent:
        """Have another pin decide from now on; the catalog is read again under it.

        Args:
            pin: of the same server, as a person approved it.
            reason: in a sentence; it stands in the event.

        Raises:
            UsageError: `reason-invalid`, `server-name`.
            ServerError: there is no connection, or it is lost on the way.
        """
        if not are_words(reason):
            raise UsageError(
                "reason-invalid",
                f"a reason has 1 to {MAX_WORDS_BYTES:,} bytes",
                next_step="say in a sentence why another catalog may enter",
            )
        if pin.server != self.server:
            raise UsageError("server-name", f"the pin is that of {pin.server}", where=pin.server)
        return await self._ask(pin, reason)

    async def _ask(self, pin: Pin | None, reason: str | None) -> CatalogEvent:
        import anyio

        asked = _Asked(pin, reason, anyio.Event())
        if self._connection is None:
            asked.fail(self.server)
        else:
            self._asked.append(asked)
            self._wake()
        await asked.done.wait()
        if asked.error is not None:
            raise asked.error
        assert asked.event is not None  # it is done, and not failed
        return asked.event

    async def _follow(self, connection: Connection, cause: Cause) -> None:
        """Read the catalog, and again whenever there is a reason to."""
        import anyio

        await self._look(connection, cause)
        while True:
            if not self._asked:
                await self._wait(connection)
                if not self._asked:
                    await anyio.sleep(SETTLE_SECONDS)
                    await self._look(connection, "list-changed")
            while self._asked:
                await self._answer(connection, self._asked[0])
                self._asked.pop(0)

    async def _wait(self, connection: Connection) -> None:
        """Until the server tells of a change, or somebody asks."""
        import anyio

        failure: list[ServerError] = []
        woken = anyio.Event()
        self._wake = woken.set

        async def listen() -> None:
            try:
                await connection.wait_for_change()
            except ServerError as error:
                failure.append(error)
            self._is_settled = False
            woken.set()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(listen)
            await woken.wait()
            tasks.cancel_scope.cancel()
        self._wake = lambda: None
        if failure:
            raise failure[0]

    async def _answer(self, connection: Connection, asked: _Asked) -> None:
        cause: Cause = "asked" if asked.pin is None else "transition"
        asked.event = await self._look(connection, cause, asked=asked)
        asked.done.set()

    async def _look(
        self,
        connection: Connection,
        cause: Cause,
        *,
        asked: _Asked | None = None,
    ) -> CatalogEvent:
        """Read the whole catalog, judge it, and record what came of it.

        Another pin decides from the event on that has its reason, and not before.

        Raises:
            ServerError: it can't be read; the caller records that.
        """
        found = await connection.list_all()
        listed = live_catalog(self.server, self._address, found)
        if asked is None or asked.pin is None:
            state = judge_catalog(self._pin, self._allowed, listed, self._gone)
            event = self._record(state, cause, self._pin)
        else:
            state = judge_catalog(asked.pin, self._allowed, listed, {})
            event = self._record(
                state, cause, asked.pin, from_pinned=self._pin.catalog, reason=asked.reason
            )
            self._gone.clear()
        changed = {kept.name for kept in state.kept_out if kept.code == CHANGED}
        self._gone |= dict.fromkeys(changed & set(self._pin.tools), CHANGED)
        return event

    def _close(self, error: AssemblerError, cause: Cause) -> None:
        state = close_catalog(self._pin, self._allowed, UNAVAILABLE)
        self._record(state, cause, self._pin, code=error.code)
        for asked in self._asked:
            asked.fail(self.server)
        self._asked.clear()

    def _record(
        self,
        state: CatalogState,
        cause: Cause,
        pin: Pin,
        *,
        code: str | None = None,
        from_pinned: str | None = None,
        reason: str | None = None,
    ) -> CatalogEvent:
        """Add an event to the log, and only then let the state count."""
        before, now = self._offered, {name: pin.tools[name].digest for name in state.admitted}
        knows_text = state.listed is not None and pin.identity.is_live
        draft = CatalogEvent(
            seq=len(self._events) + 1,
            event=_name_event(code, from_pinned),
            recorded_at=self._clock(),
            previous=self._events[-1].event_sha256 if self._events else None,
            server=self.server,
            cause=cause,
            pinned=pin.catalog,
            listed=state.listed,
            instructions_differ=knows_text and state.instructions != pin.identity.instructions,
            admitted=state.admitted,
            entered=tuple(name for name in sorted(now) if before.get(name) != now[name]),
            left=tuple(name for name in sorted(before) if now.get(name) != before[name]),
            kept_out=state.kept_out,
            code=code,
            from_pinned=from_pinned,
            reason=reason,
            event_sha256="",
        )
        # What can't be put on record is not offered.
        self._is_settled = False
        event = self._append(draft)
        self._pin, self._state, self._offered = pin, state, now
        self._is_settled = True
        self._events.append(event)
        self._tell_news()
        if self._on_event is not None:
            self._on_event(event)
        return event

    def _tell_news(self) -> None:
        if self._news is not None:
            self._news.set()
            self._news = None

    def _append(self, draft: CatalogEvent) -> CatalogEvent:
        if self._log is None:
            return seal_event(draft)
        from assembler.adapters.event_file import append_line

        log = self._log
        sealed: list[CatalogEvent] = []

        def make_line(data: bytes) -> bytes:
            known = read_events(data, where=str(log))
            previous = known[-1].event_sha256 if known else None
            sealed.append(seal_event(draft._replace(seq=len(known) + 1, previous=previous)))
            return write_event(sealed[0])

        append_line(log, make_line)
        return sealed[0]


def _name_event(code: str | None, from_pinned: str | None) -> EventName:
    if from_pinned is not None:
        return "catalog.transitioned"
    return "catalog.listed" if code is None else "catalog.unavailable"


class _Asked:
    """Somebody who waits for the catalog to be read again."""

    def __init__(self, pin: Pin | None, reason: str | None, done: anyio.Event) -> None:
        self.pin = pin
        self.reason = reason
        self.done = done
        self.event: CatalogEvent | None = None
        self.error: ServerError | None = None

    def fail(self, server: str) -> None:
        """Tell whoever waits that there is no connection."""
        self.error = ServerError(
            "server-unavailable",
            f"could not check {server}: there is no connection",
            where=server,
            next_step="wait for the event of the next one",
        )
        self.done.set()

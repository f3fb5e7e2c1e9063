"""Ask a running MCP server what tools it has, now and whenever they change.

In: how to reach it, the environment, a deadline. Out: whole catalogs, or a ServerError.
Never here: a process left behind, a value of the environment in a message, words of the server.
The SDK is imported when a server is asked, and not before.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from assembler.adapters.mcp_limits import LiveLimits
from assembler.model.server import LiveCatalog, ServerAddress

if TYPE_CHECKING:
    from mcp.client.subscriptions import Subscription

    from assembler.adapters.mcp_opening import Opened

__all__ = ["Connection", "LiveLimits", "connect", "list_live"]


def list_live(
    server: str,
    address: ServerAddress,
    *,
    environment: Mapping[str, str],
    folder: Path,
    timeout_seconds: float,
    report: Callable[[str], None],
    limits: LiveLimits | None = None,
) -> LiveCatalog:
    """Start or reach a server, read its whole catalog, and end it.

    Runs an event loop of its own, so it can't be called inside of one. Returns at most 3 s after
    the deadline; nothing that the server started is left then. A signal that ends this process
    does so when nothing is left.

    Args:
        server: the host's name for it.
        address: how it is reached.
        environment: where values come from; the server is given PATH, HOME and what is named.
        folder: the server's working folder.
        timeout_seconds: for the start, the handshake and the listing together, > 0.
        report: told what is done now, for a line of progress.
        limits: how much it may send.

    Raises:
        ServerError: `server-environment`, `server-start-failed`, `server-timeout`,
            `server-protocol`, `server-limit`, `tool-listing-loop`, `tool-listing-unstable`,
            `tool-listing-invalid`.
    """
    import asyncio

    import anyio

    from assembler.adapters.ending_signals import putting_off_signals
    from assembler.adapters.mcp_opening import Way, open_way
    from assembler.adapters.mcp_wire import Wire
    from assembler.adapters.process_group import RUNNING
    from assembler.adapters.process_tree import adopting_orphans

    wire = Wire(server, limits or LiveLimits(), report, timeout_seconds=timeout_seconds)
    way = Way(address, environment, folder)

    async def ask() -> LiveCatalog:
        deadline = anyio.current_time() + timeout_seconds
        loop = asyncio.get_running_loop()
        scope = anyio.CancelScope()
        with put_off.calling(lambda: loop.call_soon_threadsafe(scope.cancel)), scope:
            async with open_way(wire, way, deadline) as opened:
                return await Connection(opened).list_until(deadline)
        raise KeyboardInterrupt  # a signal that was put off ends this process before it is seen

    with putting_off_signals() as put_off, adopting_orphans(RUNNING.keys()):
        try:
            return anyio.run(ask)
        finally:
            # A second interrupt ends the loop in the middle of its own end.
            for group in wire.groups:
                group.kill_and_close()


@asynccontextmanager
async def connect(
    server: str,
    address: ServerAddress,
    *,
    environment: Mapping[str, str],
    folder: Path,
    timeout_seconds: float,
    report: Callable[[str], None],
    limits: LiveLimits | None = None,
) -> AsyncIterator[Connection]:
    """An open connection for a host with an event loop of its own.

    Args:
        server: the host's name for it.
        address: how it is reached.
        environment: where values come from; the server is given PATH, HOME and what is named.
        folder: the server's working folder.
        timeout_seconds: for the start and the handshake, and again for each listing, > 0.
        report: told what is done now.
        limits: how much it may send for each listing.

    Raises:
        ServerError: as `list_live`.
    """
    import anyio

    from assembler.adapters.mcp_opening import Way, open_way
    from assembler.adapters.mcp_wire import Wire

    wire = Wire(server, limits or LiveLimits(), report, timeout_seconds=timeout_seconds)
    deadline = anyio.current_time() + timeout_seconds
    async with open_way(wire, Way(address, environment, folder), deadline) as opened:
        yield Connection(opened)


class Connection:
    """A server that was reached and answered the handshake."""

    def __init__(self, opened: Opened) -> None:
        self._link, self._identity, self._subscription = opened
        self._wire = self._link.wire
        self._known_changes = 0

    @property
    def tells_changes(self) -> bool:
        """Whether the server said that it tells when its list of tools changes."""
        return self._identity.tells_changes and not self._wire.is_silent

    async def list_all(self) -> LiveCatalog:
        """The whole catalog as it is now.

        Raises:
            ServerError: as `list_live`, but for those of a start.
        """
        import anyio

        return await self.list_until(anyio.current_time() + self._wire.timeout_seconds)

    async def list_until(self, deadline: float) -> LiveCatalog:
        """The same, with a deadline on the event loop's clock."""
        from assembler.adapters.mcp_listing import list_tools
        from assembler.adapters.mcp_session import CAPABILITIES

        wire = self._wire
        with wire.asking(), wire.watched(deadline):
            wire.is_listing = True
            try:
                listing, known = await list_tools(self._link, has_tools=self._identity.has_tools)
            finally:
                wire.is_listing = False
            self._known_changes = known
            for group in wire.groups:
                group.note_descendants()
            return LiveCatalog(
                tools=listing.tools,
                instructions=self._identity.instructions,
                protocol=self._identity.protocol,
                capabilities=CAPABILITIES,
                server_name=self._identity.name,
                server_version=self._identity.version,
                pages=listing.pages,
                skipped_lines=wire.meter.all_skipped_lines,
            )

    async def wait_for_change(self) -> None:
        """Until the server tells of a change that the last listing did not see for certain.

        Returns at once where it told of one while that listing was read.

        Raises:
            ServerError: the connection, or the subscription to changes, is lost.
        """
        import math

        wire = self._wire
        with wire.watched(math.inf):
            wire.enter("waiting for a change")
            while wire.changes == self._known_changes:
                if wire.deafness is not None:
                    raise wire.deafness
                await self._wait_for_news()
            self._known_changes = wire.changes

    async def _wait_for_news(self) -> None:
        import anyio

        changed = self._wire.changed
        async with anyio.create_task_group() as tasks:
            if self._subscription is not None:
                tasks.start_soon(self._watch_subscription, self._subscription)
            await changed.wait()
            tasks.cancel_scope.cancel()

    async def _watch_subscription(self, subscription: Subscription) -> None:
        from mcp.client.subscriptions import SubscriptionLost

        try:
            async for _ in subscription:
                pass
        except SubscriptionLost:
            pass
        wire = self._wire
        wire.lose_changes(wire.failure("server-protocol", "it ended the subscription"))

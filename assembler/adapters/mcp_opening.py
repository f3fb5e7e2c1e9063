"""Reach a server: its transport, a session of the SDK over it, the handshake, a subscription.

In: how it is reached, a deadline. Out: an open session that is closed whole, whatever happens.
Never here: an exception group, a word of the SDK's on standard error.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import anyio
from mcp.client.session import ClientSession
from mcp.client.subscriptions import Subscription, SubscriptionLost, listen
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from assembler.adapters.mcp_environment import fill_headers, fill_launch, fill_url
from assembler.adapters.mcp_session import CLIENT, Identity, Link
from assembler.adapters.mcp_stdio import stdio_streams
from assembler.adapters.mcp_wire import Wire
from assembler.errors import ServerError
from assembler.model.server import Endpoint, Launch, ServerAddress

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

_LISTEN_SECONDS: Final = 1.0
"""How long the newer era's subscription may stay unconfirmed; the list is read without it then."""

_STREAM_SECONDS: Final = 0.5
"""How long the older era's stream over HTTP may need; some answer with their first event alone."""

_SDK_LOGGERS: Final = ("mcp", "client", "httpx2", "httpcore2")


class Way(NamedTuple):
    """How a server is reached from here."""

    address: ServerAddress
    environment: Mapping[str, str]
    folder: Path


class Opened(NamedTuple):
    """A session after its handshake."""

    link: Link
    identity: Identity
    subscription: Subscription | None


@asynccontextmanager
async def open_way(wire: Wire, way: Way, deadline: float) -> AsyncIterator[Opened]:
    """An open session; every failure inside comes out as itself.

    Args:
        wire: of this connection.
        way: how the server is reached.
        deadline: for the start and the handshake, on the event loop's clock.

    Raises:
        ServerError: it is not reached, or the connection fails while it is open.
    """
    _quiet_sdk()
    # Task groups wrap what passes through them, so an exception is kept beside them.
    held: BaseException | None = None
    try:
        async with AsyncExitStack() as stack:
            try:
                yield await _reach(stack, wire, way, deadline)
            except Exception as error:
                held = error
            finally:
                wire.stop_writing()
    except BaseExceptionGroup as group:
        held = held or wire.fault or _name_failure(wire, group)
    if held is not None:
        raise held


def _name_failure(wire: Wire, group: BaseExceptionGroup[BaseException]) -> BaseException:
    first: BaseException = group
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    if not isinstance(first, Exception):
        return first
    return wire.failure("server-protocol", f"the connection failed ({type(first).__name__})")


async def _reach(stack: AsyncExitStack, wire: Wire, way: Way, deadline: float) -> Opened:
    try:
        return await _reach_once(stack, wire, way, deadline, may_probe=True)
    except ServerError:
        # Some servers die of a request that they don't know; they get the one that they do.
        if not (wire.has_ended and wire.phase == "server/discover"):
            raise
    wire.stop_writing()
    await stack.aclose()
    wire.begin_again()
    return await _reach_once(stack, wire, way, deadline, may_probe=False)


async def _reach_once(
    stack: AsyncExitStack, wire: Wire, way: Way, deadline: float, *, may_probe: bool
) -> Opened:
    wire.enter("starting")
    incoming, outgoing = await stack.enter_async_context(_streams(wire, way))
    dispatcher: JSONRPCDispatcher = JSONRPCDispatcher(incoming, outgoing)
    session = await stack.enter_async_context(
        ClientSession(
            dispatcher=dispatcher, client_info=CLIENT, read_timeout_seconds=_LISTEN_SECONDS
        )
    )
    link = Link(wire, dispatcher, session)
    with wire.asking(), wire.watched(deadline):
        identity = await link.shake_hands(may_probe=may_probe)
        subscription = await _subscribe(stack, link, identity)
        if isinstance(way.address, Endpoint):
            await _await_stream(wire, identity)
    wire.has_answered = True
    for group in wire.groups:
        group.note_descendants()
    return Opened(link, identity, subscription)


def _streams(wire: Wire, way: Way) -> AbstractAsyncContextManager[TransportStreams]:
    if isinstance(way.address, Launch):
        start = fill_launch(
            wire.server, way.address, environment=way.environment, folder=way.folder
        )
        return stdio_streams(wire, start, way.folder)
    from assembler.adapters.mcp_http import http_streams

    headers = fill_headers(wire.server, way.address, way.environment)
    return http_streams(wire, fill_url(wire.server, way.address, way.environment), headers)


async def _subscribe(stack: AsyncExitStack, link: Link, identity: Identity) -> Subscription | None:
    """The newer era tells of changes only to who asks; the older one tells everybody."""
    if not identity.tells_changes or identity.protocol not in MODERN_PROTOCOL_VERSIONS:
        return None
    try:
        return await stack.enter_async_context(listen(link.session, tools_list_changed=True))
    except (MCPError, SubscriptionLost, TimeoutError):
        link.wire.is_silent = True
        return None


async def _await_stream(wire: Wire, identity: Identity) -> None:
    """What a server of the older era tells before its stream is there, nobody hears."""
    if identity.tells_changes and identity.protocol not in MODERN_PROTOCOL_VERSIONS:
        with anyio.move_on_after(_STREAM_SECONDS):
            await wire.stream_answered.wait()


def _quiet_sdk() -> None:
    """Without a handler Python prints the SDK's warnings, with the server's words in them."""
    for name in _SDK_LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(handler, logging.NullHandler) for handler in logger.handlers):
            logger.addHandler(logging.NullHandler())

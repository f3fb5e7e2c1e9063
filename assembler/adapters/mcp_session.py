"""A session with a server, of either era: the handshake, and raw requests within it.

In: the two streams of a transport. Out: answers as they were sent, never as models of the SDK.
Never here: a capability that is announced, a cache, a request that is cancelled by message.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import mcp_types as types
from mcp.client.session import ClientSession
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import MCP_METHOD_HEADER, MCP_PROTOCOL_VERSION_HEADER
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp_types.version import (
    HANDSHAKE_PROTOCOL_VERSIONS,
    LATEST_HANDSHAKE_VERSION,
    LATEST_MODERN_VERSION,
    MODERN_PROTOCOL_VERSIONS,
)
from pydantic import ValidationError

from assembler.adapters.mcp_wire import Wire
from assembler.errors import ServerError

CAPABILITIES: Final[Mapping[str, Any]] = {}
"""What is announced: no roots, no sampling, no elicitation."""

CLIENT: Final = types.Implementation(name="assembler", version="1")
"""The version is that of what is announced, not of a release: a server may list by it."""

_PROBE_SHARE: Final = 0.2
_PROBE_SECONDS: Final = 2.0
"""How long a server may be silent about the newer era; the lesser of both counts."""


class Identity(NamedTuple):
    """What a server said of itself."""

    protocol: str
    instructions: str | None
    name: str | None
    version: str | None
    has_tools: bool
    tells_changes: bool


class Link:
    """An open session, before and after its handshake."""

    def __init__(self, wire: Wire, dispatcher: JSONRPCDispatcher, session: ClientSession) -> None:
        self.wire = wire
        self.session = session
        self._dispatcher = dispatcher
        self._protocol: str | None = None

    async def shake_hands(self, *, may_probe: bool) -> Identity:
        """Agree on a protocol version: the newer era first, if the server knows it.

        Raises:
            ServerError: `server-protocol`, or the fault that came meanwhile.
        """
        if may_probe:
            self.wire.enter("server/discover")
            discovered = await self._discover(LATEST_MODERN_VERSION)
            if discovered is not None:
                return discovered
        self.wire.enter("initialize")
        try:
            return await self._initialize()
        except MCPError as error:
            # A slow server of the newer era took the late probe for the start of the session.
            again = None
            if error.code == types.UNSUPPORTED_PROTOCOL_VERSION:
                again = await self._discover(LATEST_MODERN_VERSION)
            if again is None:
                raise self.error_answer(error) from None
            return again

    async def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """The result of one request, as the wire had it.

        Raises:
            MCPError: an error answer.
            ServerError: the fault that came meanwhile.
        """
        if self._protocol in MODERN_PROTOCOL_VERSIONS:
            return await self._send(method, self._modern_params(params), self._protocol)
        return await self._send(method, params, self._protocol)

    async def _discover(self, version: str) -> Identity | None:
        """None where the server is not of the newer era, or says nothing."""
        seconds = min(_PROBE_SECONDS, _PROBE_SHARE * self.wire.timeout_seconds)
        try:
            raw = await self._send(
                "server/discover", self._modern_params({}, version), version, seconds
            )
        except MCPError:
            return None
        try:
            result = types.DiscoverResult.model_validate({**raw, "ttlMs": 0})
        except ValidationError:
            return None
        shared = [name for name in MODERN_PROTOCOL_VERSIONS if name in result.supported_versions]
        if not shared:
            return None
        self.session.adopt(result)
        self._protocol = shared[-1]
        info = self.session.server_info
        return self._identity(raw, info, result.capabilities)

    async def _initialize(self) -> Identity:
        params = {
            "protocolVersion": LATEST_HANDSHAKE_VERSION,
            "capabilities": dict(CAPABILITIES),
            "clientInfo": _dump(CLIENT),
        }
        raw = await self._send("initialize", params, None)
        version = raw.get("protocolVersion")
        if version not in HANDSHAKE_PROTOCOL_VERSIONS:
            raise self.wire.failure(
                "server-protocol",
                "it speaks no protocol version that is known here: "
                + ", ".join((*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS)),
            )
        try:
            result = types.InitializeResult.model_validate(raw)
        except ValidationError:
            raise self.wire.failure(
                "server-protocol", "its answer has another form than the protocol asks"
            ) from None
        self.session.adopt(result)
        self._protocol = result.protocol_version
        await self.session.send_notification(types.InitializedNotification())
        return self._identity(raw, result.server_info, result.capabilities)

    def _identity(
        self,
        raw: Mapping[str, Any],
        info: types.Implementation | None,
        capabilities: types.ServerCapabilities,
    ) -> Identity:
        instructions = raw.get("instructions")
        tools = capabilities.tools
        return Identity(
            protocol=str(self._protocol),
            instructions=instructions if isinstance(instructions, str) else None,
            name=None if info is None else info.name,
            version=None if info is None else info.version,
            has_tools=tools is not None,
            tells_changes=tools is not None and bool(tools.list_changed),
        )

    def _modern_params(
        self, params: Mapping[str, Any], version: str | None = None
    ) -> dict[str, Any]:
        """In the newer era each request says who asks, and in which version."""
        meta = {
            types.PROTOCOL_VERSION_META_KEY: version or self._protocol,
            types.CLIENT_INFO_META_KEY: _dump(CLIENT),
            types.CLIENT_CAPABILITIES_META_KEY: dict(CAPABILITIES),
        }
        return {**params, "_meta": meta}

    async def _send(
        self,
        method: str,
        params: Mapping[str, Any],
        version: str | None,
        seconds: float | None = None,
    ) -> dict[str, Any]:
        headers: dict[str, str] = {}
        if version is not None:
            headers[MCP_PROTOCOL_VERSION_HEADER] = version
        if version in MODERN_PROTOCOL_VERSIONS:
            headers[MCP_METHOD_HEADER] = method
        # A cancellation by message would have to be waited for behind a server that reads nothing.
        options: CallOptions = {"headers": headers, "cancel_on_abandon": False}
        if seconds is not None:
            options["timeout"] = seconds
        try:
            return await self._dispatcher.send_raw_request(method, params, options)
        except MCPError:
            if self.wire.fault is not None:
                raise self.wire.fault from None
            raise

    def error_answer(self, error: MCPError) -> ServerError:
        """A failure for an error answer; the server's own words are left out."""
        status = self.wire.http_status
        if error.code == types.CONNECTION_CLOSED:
            return self.wire.failure("server-protocol", "it closed the connection")
        answer = f"HTTP status {status}" if status is not None else f"error {error.code}"
        return self.wire.failure("server-protocol", f"it answers with {answer}")


def _dump(model: types.Implementation) -> dict[str, Any]:
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)

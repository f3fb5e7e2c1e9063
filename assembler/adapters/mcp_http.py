"""A server over streamable HTTP: the SDK's client, over a transport that counts and checks.

In: an address and filled-in headers. Out: the two streams of an SDK transport.
Never here: a proxy or a password out of the environment, a redirect to another origin, a
compressed body, an answer that the session sees before it was checked.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

import anyio
import httpx2
from mcp.client.streamable_http import streamable_http_client

from assembler.adapters.mcp_wire import Wire
from assembler.errors import ServerError

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

_SESSION: Final = "mcp-session-id"
_VERSION: Final = "mcp-protocol-version"
_GOODBYE_SECONDS: Final = 0.5
_LINE_END: Final = re.compile(rb"\r\n|\r|\n")
_RETRY: Final = re.compile(rb"[0-9]{1,9}")


@asynccontextmanager
async def http_streams(
    wire: Wire, url: str, headers: Mapping[str, str]
) -> AsyncIterator[TransportStreams]:
    """Nothing is sent before the session sends; at the end the server's session is ended.

    Raises:
        ServerError: `server-start-failed`: no address of HTTP.
    """
    _check_address(wire, url)
    guard = _Guard(wire, httpx2.AsyncHTTPTransport(trust_env=False))
    # Waiting is bounded by whoever asked, and a stream of notifications may be silent for days.
    client = httpx2.AsyncClient(
        headers=dict(headers), transport=guard, trust_env=False, timeout=httpx2.Timeout(None)
    )
    async with client:
        try:
            async with streamable_http_client(
                url, http_client=client, terminate_on_close=False, max_sse_event_size=None
            ) as streams:
                yield streams
        finally:
            await _end_session(client, url, guard.session)


def _check_address(wire: Wire, url: str) -> None:
    with suppress(httpx2.InvalidURL, ValueError):
        address = httpx2.URL(url)
        if address.scheme in ("http", "https") and address.host:
            return
    raise wire.failure("server-start-failed", "its address is no URL of HTTP")


async def _end_session(client: httpx2.AsyncClient, url: str, session: Mapping[str, str]) -> None:
    """A courtesy: the server forgets a session that nobody comes back to."""
    if _SESSION in session:
        with anyio.move_on_after(_GOODBYE_SECONDS, shield=True), suppress(httpx2.HTTPError):
            await client.delete(url, headers=session)


class _Guard(httpx2.AsyncBaseTransport):
    """Looks at every answer before the SDK does.

    It never raises for a failed connection: the SDK would let that end the whole session, and
    everybody who waits learns of the fault anyway.
    """

    def __init__(self, wire: Wire, inner: httpx2.AsyncHTTPTransport) -> None:
        self._wire = wire
        self._inner = inner
        self.session: dict[str, str] = {}
        """Headers that name the server's session, once it has one."""

    async def aclose(self) -> None:
        """Close all connections."""
        await self._inner.aclose()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer, its body checked while it is read."""
        request.headers["accept-encoding"] = "identity"
        if request.method == "POST":
            self._wire.http_status = None
        try:
            response = await self._inner.handle_async_request(request)
        except (httpx2.TransportError, OSError) as error:
            self._lose(request, f"no connection to its address ({type(error).__name__})")
            return httpx2.Response(502)
        self._note(request, response)
        return self._guarded(request, response)

    def _note(self, request: httpx2.Request, response: httpx2.Response) -> None:
        if request.method == "POST" and response.status_code >= 300:
            self._wire.http_status = response.status_code
        if _is_stream_of_notifications(request):
            self._wire.is_silent = response.status_code >= 300
            self._wire.stream_answered.set()
        for name, headers in ((_SESSION, response.headers), (_VERSION, request.headers)):
            if name in headers:
                self.session[name] = headers[name]

    def _guarded(self, request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        encoding = response.headers.get("content-encoding", "identity").strip().lower()
        if encoding != "identity":
            del response.headers["content-encoding"]
            self._wire.fail(
                self._wire.failure("server-protocol", "its answer is compressed, unasked")
            )
        stream = response.stream
        if not isinstance(stream, httpx2.AsyncByteStream):
            raise TypeError("the answer has no stream to read")
        guarded = _Body(self._wire, stream, response.is_success and kind == "application/json")
        if response.is_success and kind == "text/event-stream":
            guarded = _Events(self._wire, stream, is_checked=False)
            if _is_stream_of_notifications(request):
                guarded.is_lost_with_changes = True
        response.stream = guarded
        return response

    def _lose(self, request: httpx2.Request, reason: str) -> None:
        code = "server-protocol" if self._wire.has_answered else "server-start-failed"
        failure = self._wire.failure(code, reason)
        if request.method == "GET":
            self._wire.lose_changes(failure)
        elif request.method == "POST":
            self._wire.fail(failure)


class _Body(httpx2.AsyncByteStream):
    """A body that is counted, and where it is a message read whole and checked."""

    def __init__(self, wire: Wire, stream: httpx2.AsyncByteStream, is_checked: bool) -> None:
        self._wire = wire
        self._stream = stream
        self._is_checked = is_checked
        self.is_lost_with_changes = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            if self._is_checked:
                yield await self._read_message()
            else:
                async for chunk in self._counted():
                    yield chunk
        except ServerError as error:
            self._wire.fail(error)
        except (httpx2.TransportError, OSError):
            self._wire.fail(self._wire.failure("server-protocol", "the connection broke"))

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def _counted(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            self._wire.take_bytes(len(chunk))
            yield chunk

    async def _read_message(self) -> bytes:
        body = bytearray()
        async for chunk in self._counted():
            body += chunk
            self._wire.check_line(len(body))
        data = bytes(body)
        if self._wire.take_message(data) is None:
            raise self._wire.failure("server-protocol", "its answer is no JSON-RPC message")
        return data


class _Events(_Body):
    """A stream of events, written anew from what was checked, so that nothing else is read."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        cutter = _EventCutter(self._wire)
        try:
            async for chunk in self._counted():
                for event in cutter.cut(chunk):
                    data = self._checked(event)
                    if data:
                        yield data
        except ServerError as error:
            self._wire.fail(error)
        except (httpx2.TransportError, OSError):
            pass  # the session learns by the end that an answer is missing
        if self.is_lost_with_changes:
            self._wire.lose_changes(
                self._wire.failure("server-protocol", "it ended its stream of notifications")
            )

    def _checked(self, event: _Event) -> bytes:
        data = event.data
        is_message = event.kind in (b"", b"message")
        if data and (not is_message or self._wire.take_message(data) is None):
            data = b""
        lines = [b"data: " + line for line in data.split(b"\n")]
        if event.number:
            lines.append(b"id: " + event.number)
        if event.retry:
            lines.append(b"retry: " + event.retry)
        return b"\n".join(lines) + b"\n\n" if data or event.number else b""


class _Event:
    """The fields of one event."""

    def __init__(self) -> None:
        self.kind = b""
        self.number = b""
        self.retry = b""
        self._data: list[bytes] = []
        self.size_bytes = 0

    @property
    def data(self) -> bytes:
        return b"\n".join(self._data)

    def add(self, line: bytes) -> None:
        """One line of the event; comments and unknown fields are left out."""
        name, _, value = line.partition(b":")
        if not name:
            return
        self.size_bytes += len(line)
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self.kind = value
        elif name == b"id" and b"\0" not in value:
            self.number = value
        elif name == b"retry" and _RETRY.fullmatch(value):
            self.retry = value


class _EventCutter:
    """Cuts chunks into events; holds no more than one event of the admitted length."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._line = bytearray()
        self._event = _Event()
        self._ends_in_return = False

    def cut(self, chunk: bytes) -> Iterator[_Event]:
        """The events that this chunk completes."""
        # A return at the end of a chunk may be half of a line end.
        text = b"\r" + chunk if self._ends_in_return else chunk
        self._ends_in_return = text.endswith(b"\r")
        first, *others = _LINE_END.split(text[:-1] if self._ends_in_return else text)
        self._line += first
        self._wire.check_line(self._event.size_bytes + len(self._line))
        for other in others:
            line = bytes(self._line)
            self._line = bytearray(other)
            if line:
                self._event.add(line)
            else:
                yield self._event
                self._event = _Event()


def _is_stream_of_notifications(request: httpx2.Request) -> bool:
    """The older era's stream beside all requests; one with an event's id resumes an answer."""
    return request.method == "GET" and "last-event-id" not in request.headers

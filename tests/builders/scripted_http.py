"""An MCP server over streamable HTTP on the loopback address, in a thread, without any SDK.

Each test says what is answered to which method; the rest is answered as a good server would.
"""

from __future__ import annotations

import json
import queue
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

NEWER = "2026-07-28"
Answer = Callable[["Handler", dict[str, Any]], None]


class HttpServer(ThreadingHTTPServer):
    """What is served, and what came in."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.era = "handshake"
        self.as_events = False
        self.pages: list[list[Any]] = [[]]
        self.answers: dict[str, Answer] = {}
        self.requests: list[tuple[str, dict[str, str], Any]] = []
        self.notifications: queue.Queue[bytes | None] = queue.Queue()
        """Events for whoever listens; None ends the stream."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/mcp"

    def tell_change(self) -> None:
        """Tell of a change over the stream that is open."""
        self.notifications.put(b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}')

    def methods(self) -> list[str]:
        """What was asked over POST, in order."""
        return [body["method"] for kind, _, body in self.requests if kind == "POST"]


@contextmanager
def serving() -> Iterator[HttpServer]:
    """A running server."""
    with HttpServer() as server:
        thread = Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server
        finally:
            server.notifications.put(None)
            server.shutdown()
            thread.join()


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    server: HttpServer

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.requests.append(("POST", dict(self.headers), message))
        answer = self.server.answers.get(message["method"])
        if answer is not None:
            answer(self, message)
        elif "id" not in message:
            self.send_body(b"", status=202)
        else:
            self.answer(message)

    def do_GET(self) -> None:
        self.server.requests.append(("GET", dict(self.headers), None))
        answer = self.server.answers.get("GET")
        if answer is not None:
            answer(self, {})
        else:
            self.stream_notifications({})

    def do_DELETE(self) -> None:
        self.server.requests.append(("DELETE", dict(self.headers), None))
        self.send_body(b"")

    def answer(self, message: dict[str, Any]) -> None:
        """As a good server does."""
        about = {"capabilities": {"tools": {"listChanged": True}}}
        match message["method"], self.server.era:
            case "initialize", "handshake":
                info = {"name": "http", "version": "1"}
                version = message["params"]["protocolVersion"]
                result = {**about, "protocolVersion": version, "serverInfo": info}
                self.send_result(message, result, headers={"mcp-session-id": "session-1"})
            case "server/discover", "newer":
                result = {**about, "supportedVersions": [NEWER]}
                self.send_result(message, {**result, "ttlMs": 1, "cacheScope": "public"})
            case "subscriptions/listen", "newer":
                self.stream_notifications({"io.modelcontextprotocol/subscriptionId": message["id"]})
            case "tools/list", _:
                page = int(message.get("params", {}).get("cursor", "0"))
                result = {"tools": self.server.pages[page]}
                if page + 1 < len(self.server.pages):
                    result["nextCursor"] = str(page + 1)
                self.send_result(message, result)
            case _:
                self.send_error_answer(message, -32601)

    def send_result(
        self, message: dict[str, Any], result: Any, *, headers: dict[str, str] | None = None
    ) -> None:
        """One answer, in the form that the test asks for."""
        text = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})
        self.send_text(text, headers=headers)

    def send_text(self, text: str, *, headers: dict[str, str] | None = None) -> None:
        """The same, of JSON text."""
        data = text.encode()
        if self.server.as_events:
            data = b": hello\r\nid: 1\r\nretry: 5\r\ndata: " + data + b"\r\n\r\n"
            self.send_body(data, kind="text/event-stream", headers=headers)
        else:
            self.send_body(data, headers=headers)

    def send_error_answer(self, message: dict[str, Any], code: int) -> None:
        error = {"code": code, "message": "words of the server"}
        self.send_body(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}).encode())

    def send_body(
        self,
        data: bytes,
        *,
        status: int = 200,
        kind: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> None:
        """A body of known length."""
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(data)
        except OSError:
            self.close_connection = True

    def stream_notifications(self, meta: dict[str, Any]) -> None:
        """A stream of events until the server ends."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self.close_connection = True
        try:
            if meta:
                self.send_event(_acknowledged(meta))
            while (event := self.server.notifications.get()) is not None:
                message = json.loads(event)
                if meta:
                    message["params"] = {"_meta": meta}
                self.send_event(json.dumps(message).encode())
        except OSError:
            pass

    def send_event(self, data: bytes) -> None:
        self.wfile.write(b"event: message\ndata: " + data + b"\n\n")
        self.wfile.flush()


def _acknowledged(meta: dict[str, Any]) -> bytes:
    params = {"notifications": {"toolsListChanged": True}, "_meta": meta}
    method = "notifications/subscriptions/acknowledged"
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode()

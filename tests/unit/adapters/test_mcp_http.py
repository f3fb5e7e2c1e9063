from __future__ import annotations

import gzip
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assembler.adapters.mcp_client import LiveLimits, list_live
from assembler.adapters.mcp_http import _EventCutter
from assembler.adapters.mcp_wire import Wire
from assembler.errors import ServerError
from assembler.model.server import Endpoint, LiveCatalog
from tests.builders.live_servers import tool
from tests.builders.scripted_http import Handler, HttpServer, serving

ROOT = Path(__file__).parents[3]
SECRET = "FAKE-VALUE-2222"


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as running:
        running.pages = [[tool("a")], [tool("b")]]
        yield running


def ask(
    server: HttpServer,
    *,
    url: str | None = None,
    headers: dict[str, str] | None = None,
    environment: dict[str, str] | None = None,
    seconds: float = 5.0,
    limits: LiveLimits | None = None,
) -> LiveCatalog:
    environment = environment or {}
    started = time.monotonic()
    try:
        return list_live(
            "s",
            Endpoint(url or server.url, headers or {}, tuple(sorted(environment))),
            environment=environment,
            folder=Path("/"),
            timeout_seconds=seconds,
            report=lambda _: None,
            limits=limits,
        )
    finally:
        assert time.monotonic() - started <= seconds + 3


def refusal(server: HttpServer, **options: Any) -> ServerError:
    with pytest.raises(ServerError) as caught:
        ask(server, **options)
    assert caught.value.message.startswith("could not check s: ")
    return caught.value


def answering(text: str) -> Callable[[Handler, dict[str, Any]], None]:
    """An answer with this JSON text as its result."""

    def answer(handler: Handler, message: dict[str, Any]) -> None:
        number = json.dumps(message["id"])
        handler.send_text(f'{{"jsonrpc":"2.0","id":{number},"result":{text}}}')

    return answer


@pytest.mark.parametrize("as_events", [False, True])
@pytest.mark.parametrize("era", ["handshake", "newer"])
def test_list_live__reads_every_page(server: HttpServer, era: str, as_events: bool) -> None:
    server.era, server.as_events = era, as_events
    catalog = ask(server)
    assert [entry["name"] for entry in catalog.tools] == ["a", "b"]
    assert catalog.protocol == {"handshake": "2025-11-25", "newer": "2026-07-28"}[era]
    asked = [kind if body is None else body["method"] for kind, _, body in server.requests]
    if era == "handshake":
        # The stream of notifications is there before the list is read, or a change is missed.
        assert asked.index("GET") < asked.index("tools/list")
        assert asked[-1] == "DELETE"
    else:
        assert asked == ["server/discover", "subscriptions/listen", "tools/list", "tools/list"]


@pytest.mark.parametrize("as_events", [False, True])
def test_list_live__keeps_what_the_wire_had(server: HttpServer, as_events: bool) -> None:
    server.as_events = as_events
    entries = [{"name": "a", "inputSchema": None, "x": {"b": 1.0, "a": "\u2028\u00e9"}}, 3]
    server.pages = [entries]
    assert json.dumps(ask(server).tools) == json.dumps(entries)


def test_list_live__sends_headers_and_no_value_elsewhere(
    server: HttpServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    headers = {"authorization": "Bearer ${KEY}"}
    ask(server, headers=headers, environment={"KEY": SECRET})
    for _, sent, body in server.requests:
        assert {name.lower(): value for name, value in sent.items()}["authorization"] == (
            f"Bearer {SECRET}"
        )
        assert SECRET not in json.dumps(body)
    server.answers["tools/list"] = lambda handler, _: handler.send_body(b"", status=401)
    error = refusal(server, headers=headers, environment={"KEY": SECRET})
    assert error.message == "could not check s: it answers with HTTP status 401 (listing)"
    assert SECRET not in caplog.text


def test_list_live__asks_no_proxy(server: HttpServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setenv("no_proxy", "")
    assert len(ask(server).tools) == 2


def test_list_live__stays_at_its_origin(server: HttpServer) -> None:
    with serving() as other:
        where = {"location": other.url}
        redirect = answering_redirect(where)
        server.answers = {"server/discover": redirect, "initialize": redirect}
        error = refusal(server, headers={"authorization": SECRET})
        assert error.code == "server-protocol"
        assert "HTTP status 307" in error.message
        assert other.requests == []


def answering_redirect(headers: dict[str, str]) -> Callable[[Handler, dict[str, Any]], None]:
    return lambda handler, _: handler.send_body(b"", status=307, headers=headers)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:9/mcp", "ftp://h/", "http://[::1", "http://h:99999/", "/mcp", ""]
)
def test_list_live__tells_of_an_address_without_a_server(server: HttpServer, url: str) -> None:
    url = url or f"{server.url[:7]}:0/"
    error = refusal(server, url=url)
    assert error.code == "server-start-failed"


@pytest.mark.parametrize("as_events", [False, True])
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"tools":[{"a":1,"a":2}]}', "tool-listing-invalid"),
        ('{"tools":[1e999]}', "tool-listing-invalid"),
        ('{"tools":["\\ud800"]}', "tool-listing-invalid"),
        ('{"tools":[9007199254740993]}', "tool-listing-invalid"),
        (f'{{"tools":[{"[" * 500}{"]" * 500}]}}', "tool-listing-invalid"),
        ('{"tools":{}}', "server-protocol"),
        ('{"tools":[', "server-protocol"),
        (f'{{"tools":["{"x" * 200_000}"]}}', "server-limit"),
    ],
)
def test_list_live__checks_a_body_before_the_session_does(
    server: HttpServer, text: str, code: str, as_events: bool
) -> None:
    server.as_events = as_events
    server.answers["tools/list"] = answering(text)
    assert refusal(server, limits=LiveLimits(line_bytes=100_000)).code == code


@pytest.mark.parametrize(
    ("body", "options", "said"),
    [
        (b"<html>", {"kind": "text/html"}, "error"),
        (b"hello", {}, "no JSON-RPC message"),
        (b"", {"status": 202}, "error"),
        (b'{"x":1}', {"status": 500}, "HTTP status 500"),
        (gzip.compress(b"{}", mtime=0), {"headers": {"content-encoding": "gzip"}}, "compressed"),
    ],
)
def test_list_live__refuses_an_answer_of_another_form(
    server: HttpServer, body: bytes, options: dict[str, Any], said: str
) -> None:
    server.answers["tools/list"] = lambda handler, _: handler.send_body(body, **options)
    error = refusal(server)
    assert error.code == "server-protocol"
    assert said in error.message


def test_list_live__tells_of_a_connection_that_breaks(server: HttpServer) -> None:
    def cut(handler: Handler, _: dict[str, Any]) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", "100")
        handler.end_headers()
        handler.wfile.write(b'{"jsonrpc"')
        handler.close_connection = True

    server.answers["tools/list"] = cut
    assert refusal(server).message == "could not check s: the connection broke (listing)"


@pytest.mark.parametrize(
    ("block", "said"),
    [
        (b'data: {"jsonrpc":"2.0","method":"n"}\n\n' * 50, "more than 1,000 messages"),
        (b": comment\n" * 500, "more than 1,000,000 bytes"),
        (b"data: x\n" * 500, "more than 100,000 bytes"),
        (b"data: x\n\n" * 50, "lines that are no message"),
        (b"x" * 50_000, "more than 100,000 bytes"),
    ],
)
def test_list_live__refuses_a_flood_of_events(server: HttpServer, block: bytes, said: str) -> None:
    def flood(handler: Handler, _: dict[str, Any]) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.end_headers()
        handler.close_connection = True
        try:
            while True:
                handler.wfile.write(block)
        except OSError:
            pass

    server.answers["tools/list"] = flood
    limits = LiveLimits(line_bytes=100_000, total_bytes=10**6, messages=1_000)
    error = refusal(server, limits=limits)
    assert error.code == "server-limit"
    assert said in error.message


@pytest.mark.parametrize("method", ["initialize", "tools/list"])
def test_list_live__ends_at_the_deadline(server: HttpServer, method: str) -> None:
    server.answers[method] = lambda *_: time.sleep(1.5)
    assert refusal(server, seconds=0.5).code == "server-timeout"


def test_list_live__works_where_nothing_can_be_told(server: HttpServer) -> None:
    server.answers["GET"] = lambda handler, _: handler.send_body(b"", status=405)
    assert len(ask(server).tools) == 2


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1_000])
@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_event_cutter__does_not_depend_on_how_bytes_arrive(size: int, end: bytes) -> None:
    lines = [b": c", b"event: message", b"id: 7", b"retry: 10", b"data: a", b"data:b", b"", b""]
    text = end.join([*lines, b"data: c", b"", b""]) + b"x"
    cutter = _EventCutter(Wire("s", LiveLimits(), lambda _: None, timeout_seconds=1))
    events = [
        event
        for start in range(0, len(text), size)
        for event in cutter.cut(text[start : start + size])
    ]
    seen = [(event.kind, event.number, event.retry, event.data) for event in events if event.data]
    assert seen == [(b"message", b"7", b"10", b"a\nb"), (b"", b"", b"", b"c")]


def test_list_live__reads_no_list_before_the_stream_is_there(server: HttpServer) -> None:
    def answer_late(handler: Handler, _: dict[str, Any]) -> None:
        time.sleep(0.1)
        server.requests.append(("there", {}, None))
        handler.stream_notifications({})

    server.answers["GET"] = answer_late
    ask(server)
    asked = [kind if body is None else body["method"] for kind, _, body in server.requests]
    assert asked.index("there") < asked.index("tools/list")


def test_list_live__keeps_the_words_of_the_sdk_off_standard_error(server: HttpServer) -> None:
    server.answers["tools/list"] = lambda handler, _: handler.send_text("hello")
    program = (
        "import sys, pathlib; from assembler.adapters.mcp_client import list_live\n"
        "from assembler.errors import ServerError\n"
        "from assembler.model.server import Endpoint\n"
        "try:\n"
        "    list_live('s', Endpoint(sys.argv[1]), environment={}, folder=pathlib.Path('/'),\n"
        "        timeout_seconds=5, report=lambda _: None)\n"
        "except ServerError as error:\n"
        "    print(error.code)\n"
    )
    command = [sys.executable, "-c", program, server.url]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("server-protocol\n", "")

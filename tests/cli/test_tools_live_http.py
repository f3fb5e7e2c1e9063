"""`tools … --live` of a server over HTTP: its address is pinned, its credentials are not."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest

from tests.builders.catalogs import Bench, tool, write_host
from tests.builders.command_line import Result, all_bytes_below
from tests.builders.scripted_http import HttpServer, serving

SECRET = "s3cr3t-of-a-header"


@pytest.fixture
def http() -> Iterator[HttpServer]:
    with serving() as server:
        server.pages = [[tool("a")], [tool("b")]]
        yield server


def run(bench: Bench, verb: str, url: str, *more: str) -> Result:
    """A command about the server at an address."""
    entry = {
        "allow": [],
        "url": url,
        "headers": {"Authorization": "Bearer ${TOKEN}"},
        "environment": ["TOKEN"],
    }
    # A fork of a process that has the server's thread could wait for a lock of it.
    command = dataclasses.replace(bench.command, fresh=True)
    host = write_host(bench.folder, {"s": entry})
    return command("tools", verb, "s", "--live", "--host", host, *more, TOKEN=SECRET)


@pytest.mark.parametrize("era", ["handshake", "newer"])
def test_server__over_http_is_pinned_by_its_address(
    bench: Bench, http: HttpServer, era: str
) -> None:
    http.era = era
    assert run(bench, "pin", http.url).code == 0
    assert all(headers["Authorization"] == f"Bearer {SECRET}" for _, headers, _ in http.requests)
    assert run(bench, "check", http.url).code == 0

    result = run(bench, "check", f"{http.url}?tenant=2")

    assert result.code == 1
    assert "url is not what was pinned: another server under this name?" in result.text
    assert f'- "{http.url}"' in result.text
    assert SECRET.encode() not in result.out + result.err + all_bytes_below(bench.folder.parent)


def test_server__that_wants_another_credential_is_told_by_its_status(
    bench: Bench, http: HttpServer
) -> None:
    http.answers["initialize"] = http.answers["server/discover"] = lambda handler, _: (
        handler.send_body(f"who is {SECRET}?".encode(), status=401)
    )

    result = run(bench, "pin", http.url, "-f", "json")

    assert (result.code, result.json["code"]) == (2, "server-protocol")
    assert "could not check s: it answers with HTTP status 401" in result.talk
    assert SECRET not in result.text + result.talk
    assert not (bench.repository.root / ".assembler").exists()


def test_server__that_nobody_serves_is_told(bench: Bench) -> None:
    result = run(bench, "pin", "http://127.0.0.1:9/mcp", "--timeout", "5", "-f", "json")

    assert (result.code, result.json["code"]) == (2, "server-start-failed")
    assert result.talk.startswith("error: could not check s: ")

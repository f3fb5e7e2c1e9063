from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import anyio
import pytest

from assembler.adapters.mcp_client import Connection, LiveLimits, connect
from assembler.errors import ServerError
from assembler.model.server import Endpoint, Launch, LiveCatalog, ServerAddress
from tests.builders.live_servers import LiveServers, in_base64, tool
from tests.builders.scripted_http import HttpServer, serving

ROOT = Path(__file__).parents[3]
FAKE = ROOT.parent / "shared" / "tools" / "fake_mcp.py"
ONE = [[[tool("a")]]]


@pytest.fixture
def servers(tmp_path: Path) -> LiveServers:
    return LiveServers(tmp_path)


@pytest.fixture
def http() -> Iterator[HttpServer]:
    with serving() as server:
        server.pages = [[tool("a")]]
        yield server


def connecting(
    servers: LiveServers,
    address: ServerAddress | dict[str, Any],
    *,
    seconds: float = 3.0,
    limits: LiveLimits | None = None,
) -> AbstractAsyncContextManager[Connection]:
    return connect(
        "s",
        servers.launch(address) if isinstance(address, dict) else address,
        environment=dict(os.environ),
        folder=servers.folder,
        timeout_seconds=seconds,
        report=servers.phases.append,
        limits=limits,
    )


def run(use: Callable[[], Awaitable[Any]], seconds: float = 10.0) -> Any:
    async def bounded() -> Any:
        with anyio.fail_after(seconds):
            return await use()

    return anyio.run(bounded)


def names(catalog: LiveCatalog) -> list[str]:
    return [entry["name"] for entry in catalog.tools]


@pytest.mark.parametrize("era", ["handshake", "newer"])
def test_wait_for_change__hears_of_it_over_stdio(servers: LiveServers, era: str) -> None:
    plan = {
        "era": era,
        "listings": [[[tool("a")]], [[tool("b")]]],
        "after": {"tools/list#1": [["wait", 0.1], ["notify"]]},
    }

    async def use() -> list[list[str]]:
        async with connecting(servers, plan) as connection:
            assert connection.tells_changes
            first = await connection.list_all()
            await connection.wait_for_change()
            second = await connection.list_all()
            with anyio.move_on_after(0.1):
                await connection.wait_for_change()
                raise AssertionError("there was no second change")
            return [names(first), names(second)]

    assert run(use) == [["a"], ["b"]]
    assert servers.left_over() == []


@pytest.mark.parametrize("era", ["handshake", "newer"])
def test_wait_for_change__hears_of_it_over_http(
    servers: LiveServers, http: HttpServer, era: str
) -> None:
    http.era = era

    async def use() -> list[list[str]]:
        async with connecting(servers, Endpoint(http.url)) as connection:
            first = await connection.list_all()
            http.pages = [[tool("b")]]
            http.tell_change()
            await connection.wait_for_change()
            return [names(first), names(await connection.list_all())]

    assert run(use) == [["a"], ["b"]]


@pytest.mark.parametrize("era", ["handshake", "newer"])
def test_wait_for_change__tells_of_a_lost_stream(
    servers: LiveServers, http: HttpServer, era: str
) -> None:
    http.era = era

    async def use() -> None:
        async with connecting(servers, Endpoint(http.url)) as connection:
            await connection.list_all()
            http.notifications.put(None)
            await connection.wait_for_change()

    with pytest.raises(ServerError, match=r"it ended .* \(waiting for a change\)"):
        run(use)


def test_wait_for_change__has_nothing_to_hear_without_a_stream(
    servers: LiveServers, http: HttpServer
) -> None:
    http.answers["GET"] = lambda handler, _: handler.send_body(b"", status=405)

    async def use() -> bool:
        async with connecting(servers, Endpoint(http.url)) as connection:
            await connection.list_all()
            return connection.tells_changes

    assert run(use) is False


def test_wait_for_change__returns_at_once_after_a_change_that_was_read_over(
    servers: LiveServers,
) -> None:
    plan = {"listings": ONE, "before": {"tools/list": [["notify"]]}}

    async def use() -> None:
        async with connecting(servers, plan) as connection:
            await connection.list_all()
            await connection.wait_for_change()
            with anyio.move_on_after(0.1):
                await connection.wait_for_change()
                raise AssertionError("there was no second change")

    run(use)


@pytest.mark.parametrize(
    ("action", "said"),
    [
        (["exit", 5], "exited with code 5"),
        (["close"], "closed its output"),
        (["repeat", in_base64(b'{"jsonrpc":"2.0","method":"n"}\n' * 50), -1], "messages"),
    ],
)
def test_wait_for_change__tells_of_a_lost_server(
    servers: LiveServers, action: list[Any], said: str
) -> None:
    plan = {"listings": ONE, "after": {"tools/list": [["wait", 0.1], action]}}

    async def use() -> None:
        async with connecting(servers, plan) as connection:
            await connection.list_all()
            with pytest.raises(ServerError, match=said):
                await connection.wait_for_change()
            with pytest.raises(ServerError, match=said):
                await connection.list_all()

    run(use)
    assert servers.left_over() == []


def test_list_all__sees_another_list_that_nobody_told_of(servers: LiveServers) -> None:
    async def use() -> list[list[str]]:
        plan = {"listings": [[[tool("a")]], [[tool("b")]]]}
        async with connecting(servers, plan) as connection:
            return [names(await connection.list_all()) for _ in range(2)]

    assert run(use) == [["a"], ["b"]]


def test_list_all__has_a_deadline_each_time(servers: LiveServers) -> None:
    async def use() -> float:
        plan = {"listings": ONE, "before": {"tools/list#2": [["hang"]]}}
        async with connecting(servers, plan, seconds=0.8) as connection:
            await connection.list_all()
            await anyio.sleep(0.9)
            started = time.monotonic()
            with pytest.raises(ServerError, match=r"no answer in 0.8 s \(listing\)"):
                await connection.list_all()
            return time.monotonic() - started

    assert run(use) <= 0.8 + 3
    assert servers.left_over() == []


def test_list_all__has_the_limits_each_time(servers: LiveServers) -> None:
    noise = ["write", in_base64(b"noise\n" * 3)]

    async def use() -> list[int]:
        plan = {"listings": ONE, "before": {"tools/list": [noise]}}
        limits = LiveLimits(skipped_lines=3)
        async with connecting(servers, plan, limits=limits) as connection:
            return [(await connection.list_all()).skipped_lines for _ in range(3)]

    assert run(use) == [3, 6, 9]


def test_connect__lets_the_host_fail_in_its_own_way(servers: LiveServers) -> None:
    async def use() -> None:
        async with connecting(servers, {"listings": ONE}):
            raise LookupError("of the host")

    with pytest.raises(LookupError, match="of the host"):
        run(use)
    assert servers.left_over() == []


@pytest.mark.parametrize("step", ["start", "tools/list", "never"])
def test_connect__leaves_nothing_when_the_host_is_cancelled(
    servers: LiveServers, step: str
) -> None:
    before = {"start": [["spawn", servers.file("children"), "session"]]}
    before[step] = [*before.get(step, []), ["hang"]]
    plan = {"listings": ONE, "ignores_term": True, "before": before}

    async def use() -> None:
        with anyio.move_on_after(0.5):
            async with connecting(servers, plan, seconds=60) as connection:
                await connection.list_all()
                await anyio.sleep(60)

    run(use)
    assert servers.left_over() == []


def test_connect__holds_two_at_once(servers: LiveServers, http: HttpServer) -> None:
    async def use() -> list[str]:
        plan = {"listings": [[[tool("b")]]]}
        async with (
            connecting(servers, Endpoint(http.url)) as one,
            connecting(servers, plan) as other,
        ):
            return names(await one.list_all()) + names(await other.list_all())

    assert run(use) == ["a", "b"]


def test_list_live__can_run_in_several_threads(tmp_path: Path) -> None:
    def ask(number: int) -> list[str]:
        folder = tmp_path / str(number)
        folder.mkdir()
        servers = LiveServers(folder)
        spawn = ["spawn", servers.file("children"), "session"]
        catalog = servers.ask(
            {
                "listings": [[[tool(str(number))]]],
                "before": {"start": [spawn]},
                "after": {"tools/list": [["wait", 0.05 * number], ["exit", 0]]},
            }
        )
        return names(catalog)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, range(4))) == [["0"], ["1"], ["2"], ["3"]]
    for number in range(4):
        assert LiveServers(tmp_path / str(number)).left_over() == []


@pytest.mark.parametrize("times", [1, 2])
def test_list_live__leaves_nothing_when_it_is_interrupted(servers: LiveServers, times: int) -> None:
    launch = servers.launch(
        {
            "ignores_term": True,
            "stays": True,
            "before": {
                "start": [["spawn", servers.file("children"), "session"]],
                "initialize": [["hang"]],
            },
        }
    )
    program = (
        "import os, sys, pathlib; from assembler.adapters.mcp_client import list_live\n"
        "from assembler.model.server import Launch\n"
        "list_live('s', Launch(tuple(sys.argv[1:])), environment=dict(os.environ),\n"
        "    folder=pathlib.Path('/'), timeout_seconds=60,\n"
        "    report=lambda text: print(text, flush=True))"
    )
    command = [sys.executable, "-c", program, *launch.command]
    child = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with child:
        assert child.stdout is not None
        while child.stdout.readline() not in ("initialize\n", ""):
            pass
        started = time.monotonic()
        for _ in range(times):
            child.send_signal(signal.SIGINT)
            time.sleep(0.1)
        _, error = child.communicate(timeout=10)
    assert time.monotonic() - started < 3.5
    assert "KeyboardInterrupt" in error
    assert "Group" not in error
    assert servers.left_over() == []


@pytest.mark.skipif(not FAKE.exists(), reason="the recorded cases' server is not here")
@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        ({"pages": [[tool("a")], [tool("b")]]}, ["a", "b"]),
        ({"pages": [[tool("a")]], "loop_cursor": True}, "tool-listing-loop"),
        ({"exit_before_init": 3}, "server-start-failed"),
        ({"hang": "initialize"}, "server-timeout"),
        ({"noise_b64": in_base64(b"\xff\xfe bad"), "pages": [[tool("a")]]}, ["a"]),
        (
            {
                "pages": [[tool("a")], [tool("b")]],
                "list_changed_after_page": 0,
                "second_listing": [[tool("a")], [tool("c")]],
            },
            ["a", "c"],
        ),
        ({"raw_tools": '[{"name":"a","name":"b"}]'}, "tool-listing-invalid"),
    ],
)
def test_list_live__agrees_with_the_recorded_server(
    servers: LiveServers, plan: dict[str, Any], expected: list[str] | str
) -> None:
    file = servers.folder / "plan.json"
    file.write_text(json.dumps(plan))
    launch = Launch((sys.executable, "-I", "-S", str(FAKE), str(file)))
    if isinstance(expected, list):
        assert names(servers.ask(launch)) == expected
    else:
        with pytest.raises(ServerError) as caught:
            servers.ask(launch, seconds=1)
        assert caught.value.code == expected
        assert servers.seconds <= 1 + 3
    assert servers.left_over() == []


SDK_SERVER = """
import sys
from mcp.server import MCPServer

server = MCPServer("sdk", instructions="be kind")

@server.tool()
def add(a: int, b: int = 2) -> int:
    "Add."
    return a + b

server.run(*sys.argv[1:2], **({"port": int(sys.argv[2])} if len(sys.argv) > 2 else {}))
"""


def test_list_live__agrees_with_a_server_of_the_sdk(servers: LiveServers) -> None:
    file = servers.folder / "plan.json"
    file.write_text(SDK_SERVER)
    catalog = servers.ask(Launch((sys.executable, str(file), "stdio")), seconds=20)
    assert names(catalog) == ["add"]
    assert catalog.instructions == "be kind"
    assert catalog.protocol == "2026-07-28"
    assert catalog.tools[0]["inputSchema"]["properties"]["b"]["default"] == 2


def test_list_live__agrees_with_an_http_server_of_the_sdk(servers: LiveServers) -> None:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-c", SDK_SERVER, "streamable-http", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        try:
            address = Endpoint(f"http://127.0.0.1:{port}/mcp")
            catalog = None
            for _ in range(100):
                try:
                    catalog = servers.ask(address, seconds=10)
                    break
                except ServerError as error:
                    assert error.code == "server-start-failed"
                    time.sleep(0.1)
            assert catalog is not None
            assert names(catalog) == ["add"]
            assert catalog.protocol == "2026-07-28"
        finally:
            child.terminate()

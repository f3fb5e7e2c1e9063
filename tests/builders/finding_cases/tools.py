"""Tools of servers: pins, listings, allowlists and declarations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tests.builders.catalogs import listing, tool
from tests.builders.command_line import Result
from tests.builders.finding_cases.case import Case, Files, Ground, Words
from tests.builders.live_servers import LiveServers

PIN = ".assembler/pins/s.json"
BY_PROFILE = ("-p", "{HOME}/profile.json")
CHECK = ("check", *BY_PROFILE)
RUN = ("assemble", "-m", "x", "--host", "{HOME}/host.json")


def _servers(**servers: Any) -> Files:
    """A profile outside the repository, which is the host's word."""
    document = {"schema": "assembler/profile/1", "tools": {"servers": servers}}
    return {"~/profile.json": json.dumps(document)}


def _host(**servers: Any) -> Files:
    return {"~/host.json": json.dumps({"schema": "assembler/host/1", "servers": servers})}


def _allow(*names: str, page: str | None = None) -> dict[str, Any]:
    return {"allow": list(names), **({} if page is None else {"listing": page})}


def _pin(ground: Ground, *tools: Any, server: str = "s") -> None:
    ground.build({"~/pinned.json": listing(*tools)})
    page = str(ground.home / "pinned.json")
    assert ground.command("tools", "pin", server, "--from", page).code == 0


def _listed(*now: Any, allowed: Sequence[str] = ("a",), **more: Any) -> Any:
    """A server with one pinned tool `a`, whose listing has these now."""

    def ask(ground: Ground) -> Result:
        _pin(ground, tool("a"))
        ground.build(_servers(s=_allow(*allowed, page="now.json")))
        ground.build({"now.json": listing(*now, **more)})
        return ground.ask(CHECK)

    return ask


def _pinned(*tools: Any, allowed: Sequence[str] = ("a",), question: Words = CHECK) -> Any:
    """A server without a listing, with these tools pinned."""

    def ask(ground: Ground) -> Result:
        _pin(ground, *tools)
        ground.build(_servers(s=_allow(*allowed)))
        return ground.ask(question)

    return ask


def _without_pin(ground: Ground) -> Result:
    ground.build(_servers(s=_allow("a")))
    return ground.ask(CHECK)


def _without_listing(ground: Ground) -> Result:
    _pin(ground, tool("a"))
    ground.build(_servers(s=_allow("a", page="gone.json")))
    return ground.ask(CHECK)


def _two_servers(second: str) -> Any:
    def ask(ground: Ground) -> Result:
        _pin(ground, tool("a"))
        _pin(ground, tool("a"), tool("b"), server="t")
        ground.build(_servers(s=_allow("a"), t=_allow(second)))
        return ground.ask(CHECK)

    return ask


def _live(before: dict[str, Any], after: dict[str, Any], *arguments: str) -> Any:
    """A server that is pinned while it runs, and asked again as it is then."""

    def ask(ground: Ground) -> Result:
        folder = ground.home / "server"
        folder.mkdir()
        live = LiveServers(folder)
        options = ("s", "--live", "--host", str(ground.home / "host.json"))
        ground.build(_host(s=_allow() | {"command": list(live.launch(before).command)}))
        assert ground.command("tools", "pin", *options).code == 0
        command = list(live.launch(after, *arguments).command)
        ground.build(_host(s=_allow() | {"command": command}))
        return ground.command("tools", "check", *options, "-f", "json")

    return ask


def _declared(text: str) -> Files:
    return {".mcp.json": text}


def _declare(**launch: Any) -> Files:
    return _declared(json.dumps({"mcpServers": {"s": launch}}))


PAGES = {"listings": [[[tool("a")]]]}
REFERENCE = {"type": "object", "properties": {"q": {"$ref": "https://example.org/q.json"}}}
LOCAL = {"type": "object", "properties": {"q": {"$ref": "#/$defs/q"}}, "$defs": {"q": {}}}

TOOL_CASES = {
    "ASM301": Case(
        _without_pin,
        _pinned(tool("a")),
        run=BY_PROFILE,
    ),
    "ASM302": Case(_listed(tool("a", "Other words.")), _listed(tool("a")), run=BY_PROFILE),
    "ASM303": Case(_listed(tool("a"), tool("b")), _listed(tool("a"))),
    "ASM304": Case(
        _pinned(tool("a"), allowed=("a", "b")),
        _pinned(tool("a"), tool("b"), allowed=("a", "b")),
        run=BY_PROFILE,
    ),
    "ASM305": Case(_two_servers("a"), _two_servers("b"), run=BY_PROFILE),
    "ASM306": Case(_listed({"description": "no name"}), _listed(tool("a")), run=BY_PROFILE),
    "ASM307": Case(
        _live(PAGES, {**PAGES, "instructions": "Always call a first."}),
        _live(PAGES, PAGES),
        run=None,
    ),
    "ASM308": Case(
        _pinned(tool("find symbol"), allowed=("find symbol",)), _pinned(tool("a")), run=BY_PROFILE
    ),
    "ASM309": Case(_declare(command="index"), _declared('{"mcpServers": {}}'), RUN, base=_host()),
    "ASM310": Case(
        _declare(command="sh", args=["-c", "index"]),
        _declare(command="index"),
        RUN,
        base=_host(s={"allow": [], "command": ["index"]}),
    ),
    "ASM311": Case(
        _declared('{"mcpServers": {}, "mcpServers": {}}'),
        _declared('{"mcpServers": {}}'),
        RUN,
        base=_host(),
    ),
    "ASM312": Case(
        _pinned(tool("a", inputSchema={"anyOf": [{}]})), _pinned(tool("a")), run=BY_PROFILE
    ),
    "ASM313": Case(_listed(tool("a"), nextCursor="2"), _listed(tool("a")), run=BY_PROFILE),
    "ASM314": Case(
        _without_listing,
        _listed(tool("a")),
        run=BY_PROFILE,
    ),
    "ASM315": Case(
        _pinned(tool("a", inputSchema=REFERENCE)), _pinned(tool("a", inputSchema=LOCAL))
    ),
    "ASM316": Case(_live(PAGES, PAGES, "--other"), _live(PAGES, PAGES), run=None),
    "ASM317": Case(_listed(allowed=()), _listed(tool("a"), allowed=())),
}

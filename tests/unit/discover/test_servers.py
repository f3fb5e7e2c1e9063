"""What the files of agents and editors declare, form by form."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assembler.discover.servers import (
    DECLARATION_FILES,
    declaration_paths,
    launch_form,
    read_servers,
)
from assembler.errors import ConfigError
from assembler.model.canonical import canonical_bytes
from assembler.model.server import DeclaredServer, Endpoint, Launch

PLAIN = DeclaredServer("x", Launch(("run", "a")), is_plain=True)


KEYS = st.sampled_from(
    ["mcp", "servers", "mcpServers", "mcp_servers", "context_servers", "mcp.servers", "command",
     "args", "env", "environment", "url", "headers", "type", "path", "x"]
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


def only(name: str, document: Any) -> DeclaredServer:
    (server,) = read_servers(name, document)
    return server


@pytest.mark.parametrize(
    ("name", "document"),
    [
        (".mcp.json", {"mcpServers": {"x": {"command": "run", "args": ["a"]}}}),
        (".mcp.json", {"x": {"command": "run", "args": ["a"]}, "version": 1}),
        (".github/mcp.json", {"x": {"type": "stdio", "command": "run", "args": ["a"]}}),
        (".vscode/mcp.json", {"inputs": [], "servers": {"x": {"command": ["run", "a"]}}}),
        (".vscode/settings.json", {"mcp": {"servers": {"x": {"command": ["run", "a"]}}}}),
        (".vscode/settings.json", {"mcp.servers": {"x": {"command": ["run", "a"]}}}),
        ("opencode.json", {"mcp": {"x": {"type": "local", "command": ["run", "a"]}}}),
        ("opencode.json", {"mcp": {"servers": {"x": {"command": ["run", "a"]}}, "timeout": 1}}),
        (".codex/config.toml", {"mcp_servers": {"x": {"command": "run", "args": ["a"]}}}),
    ],
)
def test_launch__is_read_from_each_form(name: str, document: Any) -> None:
    assert only(name, document) == PLAIN


def test_command__that_is_an_object_is_told_and_never_plain() -> None:
    entry = {"command": {"path": "run", "args": ["a"]}, "settings": {}}
    server = only(".zed/settings.json", {"context_servers": {"x": entry}})
    assert server == PLAIN._replace(is_plain=False)


@pytest.mark.parametrize("value", ["${T}", "$T", "${env:T}", "{env:T}"])
def test_variable__that_is_handed_on_is_a_name(value: str) -> None:
    entry = {"command": "run", "env": {"T": value}}
    server = only(".mcp.json", {"mcpServers": {"x": entry}})
    assert server == DeclaredServer("x", Launch(("run",), ("T",)), is_plain=True)


@pytest.mark.parametrize(
    "more",
    [
        {"env": {"T": "value"}},
        {"env": {"T": "${U}"}},
        {"env": {"T": 1}},
        {"env": []},
        {"environment": {"T": ""}},
        {"cwd": "."},
        {"envFile": ".env"},
        {"type": "http"},
        {"url": "http://x"},
        {"anything": None},
    ],
)
def test_launch__that_says_more_is_not_plain(more: dict[str, Any]) -> None:
    server = only(".mcp.json", {"mcpServers": {"x": {"command": "run", **more}}})
    assert not server.is_plain
    assert isinstance(server.address, Launch)


@pytest.mark.parametrize(
    "entry",
    [None, "run", [], {}, {"command": ""} | {"command": None}, {"command": 1}, {"args": ["a"]},
     {"command": "run", "args": "a"}, {"command": []}, {"command": {"args": []}}],
)  # fmt: skip
def test_entry__that_starts_nothing_has_no_address(entry: Any) -> None:
    assert only(".mcp.json", {"mcpServers": {"x": entry}}) == DeclaredServer("x", None, False)


def test_address__over_http_holds_headers_and_tells_their_names_alone() -> None:
    entry = {"type": "http", "url": "http://x", "headers": {"B": "secret", "A": "${T}"}}
    server = only(".mcp.json", {"mcpServers": {"x": entry}})
    assert server == DeclaredServer("x", Endpoint("http://x", entry["headers"]), is_plain=True)
    assert launch_form(server.address) == {"url": "http://x", "headers": ["A", "B"]}
    other = only(".gemini/settings.json", {"mcpServers": {"x": {"httpUrl": "http://x"}}})
    assert not other.is_plain
    legacy = only(".mcp.json", {"mcpServers": {"x": {"type": "sse", "url": "http://x"}}})
    assert not legacy.is_plain


def test_name__in_two_places_of_a_file_is_one_server_and_not_plain() -> None:
    document = {"mcp": {"servers": {"x": {"command": "run"}}}, "mcp.servers": {"x": {"url": "u"}}}
    server = only(".vscode/settings.json", document)
    assert (server.name, server.is_plain) == ("x", False)
    document["mcp.servers"] = {"x": {"command": "run"}}
    assert only(".vscode/settings.json", document).is_plain


def test_servers__are_sorted_and_neighbours_of_another_form_are_none() -> None:
    document = {
        "mcpServers": {"b": {"command": "run"}, "a": {"command": "run"}},
        "c": {"command": "run"},
        "permissions": {"allow": []},
    }
    assert [server.name for server in read_servers(".mcp.json", document)] == ["a", "b", "c"]


@pytest.mark.parametrize("document", [None, [], "x", {"mcpServers": []}, {"mcpServers": 1}])
def test_document__of_another_form_is_refused(document: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        read_servers(".cursor/mcp.json", document)
    assert caught.value.code == "server-declaration-invalid"


def test_paths__are_those_of_every_folder() -> None:
    paths = declaration_paths(["", "a/b"])
    assert ".mcp.json" in paths
    assert "a/b/.vscode/mcp.json" in paths
    assert len(set(paths)) == len(paths)


@given(st.sampled_from(sorted(DECLARATION_FILES)), VALUES)
def test_document__of_any_form_is_read_or_refused(name: str, document: Any) -> None:
    try:
        servers = read_servers(name, document)
    except ConfigError:
        return
    names = [server.name for server in servers]
    assert names == sorted(set(names))
    for server in servers:
        assert server.address is not None or not server.is_plain
        assert server.address is None or canonical_bytes(launch_form(server.address))

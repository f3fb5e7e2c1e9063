from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assembler.adapters.mcp_client import LiveLimits
from assembler.errors import ServerError
from tests.builders.live_servers import LiveServers, tool


@pytest.fixture
def servers(tmp_path: Path) -> LiveServers:
    return LiveServers(tmp_path)


def listing(*names: str) -> list[list[dict[str, Any]]]:
    """A page for each name."""
    return [[tool(name)] for name in names]


def names(servers: LiveServers, plan: dict[str, Any]) -> list[str]:
    catalog = servers.ask({**plan, "requests": servers.file("requests")})
    return [entry["name"] for entry in catalog.tools]


def code(servers: LiveServers, plan: dict[str, Any], limits: LiveLimits | None = None) -> str:
    plan = {**plan, "requests": servers.file("requests")}
    with pytest.raises(ServerError) as caught:
        servers.ask(plan, limits=limits)
    assert servers.left_over() == []
    return caught.value.code


def cursors(servers: LiveServers) -> list[Any]:
    return [
        request.get("params", {}).get("cursor")
        for request in servers.requests()
        if request["method"] == "tools/list"
    ]


def test_list_tools__reads_every_page(servers: LiveServers) -> None:
    wanted = [f"t{number}" for number in range(20)]
    assert names(servers, {"listings": [listing(*wanted)]}) == wanted
    assert cursors(servers) == [None, *map(str, range(1, 20))]


def test_list_tools__takes_an_empty_cursor_for_one(servers: LiveServers) -> None:
    assert names(servers, {"listings": [listing("a", "b")], "cursors": [""]}) == ["a", "b"]
    assert cursors(servers) == [None, ""]


def test_list_tools__ends_at_null(servers: LiveServers) -> None:
    assert names(servers, {"listings": [listing("a")], "last_cursor": None}) == ["a"]


@pytest.mark.parametrize("plan", [{"endless": "same"}, {"cursors": ["x", "y", "x"]}])
def test_list_tools__refuses_a_cursor_that_comes_again(
    servers: LiveServers, plan: dict[str, Any]
) -> None:
    assert code(servers, {"listings": [listing("a", "b", "c", "d")], **plan}) == (
        "tool-listing-loop"
    )


def test_list_tools__stops_at_the_limit_of_pages(servers: LiveServers) -> None:
    plan = {"listings": [listing("a")], "endless": "new"}
    assert code(servers, plan, LiveLimits(pages=7)) == "server-limit"
    assert len(cursors(servers)) == 7


def test_list_tools__stops_above_the_limit_of_tools(servers: LiveServers) -> None:
    limits = LiveLimits(tools=3)
    full = {"listings": [[[tool("a"), tool("b")], [tool("c")]]]}
    assert len(servers.ask(full, limits=limits).tools) == 3
    over = {"listings": [[[tool("a"), tool("b")], [tool("c"), tool("d")]]]}
    assert code(servers, over, limits) == "server-limit"


@pytest.mark.parametrize(
    "plan",
    [
        {"after": {"tools/list#1": [["notify"]]}},
        {"before": {"tools/list#2": [["notify"]]}},
        {"after": {"tools/list#1": [["notify"]]}, "era": "newer"},
        # The notification stands behind the answer in one write of the server.
        {"before": {"tools/list#2": [["notify"]]}, "after": {"tools/list#2": [["notify"]]}},
    ],
)
def test_list_tools__reads_again_what_changed_meanwhile(
    servers: LiveServers, plan: dict[str, Any]
) -> None:
    both = {"listings": [listing("a", "b"), listing("a", "c")], **plan}
    assert names(servers, both) == ["a", "c"]


def test_list_tools__believes_two_equal_lists(servers: LiveServers) -> None:
    plan = {"listings": [listing("a"), listing("b")], "before": {"tools/list": [["notify"]]}}
    assert names(servers, plan) == ["b"]
    assert len(cursors(servers)) == 3


def test_list_tools__tells_true_from_one(servers: LiveServers) -> None:
    changing = [[[tool("a", x=value)]] for value in (1, True, 1, True, 1, True)]
    plan = {"listings": changing, "before": {"tools/list": [["notify"]]}}
    assert code(servers, plan) == "tool-listing-unstable"


def test_list_tools__gives_up_on_a_list_that_keeps_changing(servers: LiveServers) -> None:
    plan = {
        "listings": [listing(str(number)) for number in range(50)],
        "before": {"tools/list": [["notify"]]},
    }
    assert code(servers, plan) == "tool-listing-unstable"
    assert len(cursors(servers)) == LiveLimits().listings


def test_list_tools__starts_over_once_where_a_cursor_is_refused(servers: LiveServers) -> None:
    plan = {"listings": [listing("a", "b"), listing("c", "d")]}
    assert names(servers, {**plan, "refuse_cursors": 1}) == ["c", "d"]
    assert code(servers, {**plan, "refuse_cursors": 2}) == "tool-listing-unstable"

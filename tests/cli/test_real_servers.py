"""Servers that others wrote, pinned and checked live, with an older version in their place.

`make servers` installs them; the tests of one that is not installed are skipped. What else was
recorded of them lies beside the repository, and is compared where it is there.
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.builders.catalogs import CATALOGS
from tests.builders.command_line import Result
from tests.builders.live_bench import LiveBench
from tests.builders.real_servers import (
    EVERYTHING,
    FILESYSTEM,
    GIT,
    MEMORY,
    SERVERS,
    TIME,
    RealServer,
)

PAIRS = [
    *(tuple(versions[-2:]) for versions in (TIME, GIT, EVERYTHING, FILESYSTEM, MEMORY)),
    pytest.param(*GIT[:2], marks=pytest.mark.long),
]
"""An older version and a newer one."""
NEWEST = (TIME[-1], GIT[-1], EVERYTHING[-1], FILESYSTEM[-1], MEMORY[-1])
LISTED = [
    pytest.param(server, marks=() if server in NEWEST else pytest.mark.long, id=server.label)
    for server in SERVERS
]


def command_of(server: RealServer, folder: Path) -> list[str]:
    """The server with what it needs to start."""
    arguments = {TIME[0].name: ["--local-timezone=UTC"], FILESYSTEM[0].name: [str(folder)]}
    return server.command(*arguments.get(server.name, []))


def recorded_name(server: RealServer) -> str:
    return server.label.removeprefix("mcp-").removeprefix("server-")


def recorded_catalog(server: RealServer) -> dict[str, Any] | None:
    path = CATALOGS / f"{recorded_name(server)}.json"
    return json.loads(path.read_bytes()) if path.exists() else None


def recorded_drift(older: RealServer, newer: RealServer) -> dict[str, Any] | None:
    path = CATALOGS / "DRIFT.json"
    pairs = json.loads(path.read_bytes()) if path.exists() else []
    names = (recorded_name(older), recorded_name(newer))
    return next((pair for pair in pairs if (pair["from"], pair["to"]) == names), None)


def next_words(result: Result) -> list[str]:
    """The arguments of the command that a drift ends with, without the program's name."""
    found = re.search(r"^next: assembler (.*)$", result.text, re.MULTILINE)
    assert found is not None, result.text
    return shlex.split(found.group(1))


@pytest.mark.parametrize("server", LISTED)
def test_list__has_the_digests_that_others_recorded(live: LiveBench, server: RealServer) -> None:
    live.name(command_of(server, live.bench.folder))

    result = live.live("list", "s", "-f", "json")

    assert (result.code, result.talk) == (0, "")
    tools = {tool["name"]: tool["digest"] for tool in result.json["servers"][0]["tools"]}
    recorded = recorded_catalog(server)
    if recorded is None:
        assert tools
        return
    assert tools == {name: f"sha256:{digest}" for name, digest in recorded["tool_digests"].items()}


@pytest.mark.parametrize(
    ("older", "newer"), PAIRS, ids=lambda server: getattr(server, "label", None)
)
def test_older_version__under_the_same_name_is_drift_until_it_is_approved(
    live: LiveBench, older: RealServer, newer: RealServer
) -> None:
    live.name(command_of(newer, live.bench.folder))
    assert live.live("pin").code == 0
    assert live.live("check").code == 0
    live.name(command_of(older, live.bench.folder))

    report = live.live("check", "s", "-f", "json")

    assert (report.code, report.talk) == (1, "")
    (server,) = report.json["servers"]
    changes = {tool["name"]: tool["change"] for tool in server["tools"] if tool["change"]}
    identity = {change["field"]: change["drift"] for change in server["identity"]}
    assert identity["launch"]
    assert changes
    assert all(change["fields"] for change in changes.values() if change["kind"] == "changed")
    recorded = recorded_drift(older, newer)
    if recorded is not None:
        # Recorded the other way round: there the older one came first.
        kinds = {"removed": recorded["added"], "added": recorded["removed"]}
        for kind, names in kinds.items():
            assert sorted(n for n, change in changes.items() if change["kind"] == kind) == names
        assert {
            name: change["fields"]
            for name, change in changes.items()
            if change["kind"] == "changed"
        } == recorded["changed"]
        assert server["unchanged"] == len(recorded["same"])

    text = live.live("check")
    words = next_words(text)
    assert text.code == 1
    assert all(name in text.text for name in changes)
    assert words.count("--digest") == (2 if "instructions" in identity else 1)
    approved = live.bench.command(*words)
    assert approved.code == 0, approved.text + approved.talk
    assert live.live("check").code == 0


def test_time__in_another_zone_says_so_in_its_schema(live: LiveBench) -> None:
    live.name(TIME[-1].command("--local-timezone=UTC"))
    live.live("pin")
    live.name(TIME[-1].command("--local-timezone=Asia/Tokyo"))

    result = live.live("check")

    assert result.code == 1
    assert "inputSchema.properties.timezone.description: text the model reads" in result.text
    assert re.search(r"^    - .*Use 'UTC' as local timezone", result.text, re.MULTILINE)
    assert re.search(r"^    \+ .*Use 'Asia/Tokyo' as local timezone", result.text, re.MULTILINE)
    assert re.search(r'^    \+ +"--local-timezone=Asia/Tokyo"', result.text, re.MULTILINE)
    # The zone in its words is what a person may leave out, for all or for none.
    report = live.live("check", "s", "-f", "json").json["servers"][0]
    paths = {
        difference["path"]
        for tool in report["tools"]
        for difference in tool["change"]["differences"]
    }
    assert all(re.fullmatch(r"inputSchema\.properties\.\w+\.description", path) for path in paths)


def test_filesystem__with_another_folder_is_another_launch_alone(live: LiveBench) -> None:
    (live.bench.folder / "other").mkdir()
    live.name(command_of(FILESYSTEM[-1], live.bench.folder))
    live.live("pin")
    live.name(command_of(FILESYSTEM[-1], live.bench.folder / "other"))

    report = live.live("check", "s", "-f", "json")

    assert report.code == 1
    (server,) = report.json["servers"]
    assert server["catalog_digest"] == server["pinned_digest"]
    assert server["unchanged"] == len(server["tools"])
    assert [(change["field"], change["drift"]) for change in server["identity"]] == [
        ("launch", True)
    ]

"""Catalogs of real servers, saved by others: digests, every order, and the drift of updates.

They lie beside the repository; without them the tests of them are skipped.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.builders.catalogs import CATALOGS, Bench, listing

FILES = sorted(path for path in CATALOGS.glob("*.json") if path.name != "DRIFT.json")
PAIRS: list[dict[str, Any]] = (
    json.loads((CATALOGS / "DRIFT.json").read_bytes()) if CATALOGS.is_dir() else []
)
pytestmark = pytest.mark.skipif(
    not FILES, reason="the recorded catalogs are not here (../shared/cases/mcp_catalogs)"
)


def load(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((CATALOGS / f"{name}.json").read_bytes())
    return value


def shuffled(value: Any, order: random.Random) -> Any:
    """The same value with the members of every object in another order."""
    if isinstance(value, dict):
        keys = order.sample([*value], len(value))
        return {key: shuffled(value[key], order) for key in keys}
    if isinstance(value, list):
        return [shuffled(item, order) for item in value]
    return value


def cut(tools: list[Any], order: random.Random) -> Iterator[str]:
    """The same tools on pages of any size, some of them empty."""
    borders = sorted(order.choices(range(len(tools) + 1), k=order.randint(0, 5)))
    for number, (start, end) in enumerate(zip([0, *borders], [*borders, len(tools)], strict=True)):
        more = {} if number == len(borders) else {"nextCursor": f"page {number + 1}"}
        yield listing(*tools[start:end], **more)


def digests(bench: Bench, *pages: str) -> tuple[str, dict[str, str]]:
    """Of the catalog and of each tool, as `tools list` has them."""
    given = [
        word
        for number, page in enumerate(pages)
        for word in ("--from", bench.page(f"{number}.json", page))
    ]
    result = bench.run("list", *given, "-f", "json")
    assert result.code == 0, result.talk
    (server,) = result.json["servers"]
    return server["catalog_digest"], {tool["name"]: tool["digest"] for tool in server["tools"]}


@pytest.mark.parametrize("name", [path.stem for path in FILES])
def test_list__has_the_recorded_digests_in_every_order_and_on_any_pages(
    bench: Bench, name: str
) -> None:
    recorded = load(name)
    expected = {tool: f"sha256:{digest}" for tool, digest in recorded["tool_digests"].items()}

    first = digests(bench, json.dumps(recorded))

    assert first[1] == expected
    order = random.Random(name)
    tools = order.sample(recorded["tools"], len(recorded["tools"]))
    assert digests(bench, *cut(shuffled(tools, order), order)) == first


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair['from']}-{pair['to']}")
def test_check__tells_an_update_as_it_was_recorded(bench: Bench, pair: dict[str, Any]) -> None:
    old, new = load(pair["from"])["tools"], load(pair["to"])["tools"]
    assert bench.pin(*old).code == 0

    result = bench.check(*new, more=["-f", "json"])

    assert result.code == 1
    (server,) = result.json["servers"]
    changes = {
        tool["name"]: tool["change"] for tool in server["tools"] if tool["change"] is not None
    }
    by_kind = {
        kind: sorted(name for name, change in changes.items() if change["kind"] == kind)
        for kind in ("added", "removed")
    }
    assert by_kind == {"added": pair["added"], "removed": pair["removed"]}
    assert server["unchanged"] == len(pair["same"])
    assert sorted({tool["name"] for tool in server["tools"]} - set(changes)) == pair["same"]
    assert {
        name: change["fields"] for name, change in changes.items() if change["kind"] == "changed"
    } == pair["changed"]
    text = bench.check(*new).text
    assert all(name in text for name in changes)
    assert ("tool unchanged" in text or "tools unchanged" in text) == bool(pair["same"])


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair['from']}-{pair['to']}")
def test_approve__of_an_update_is_what_check_then_holds(bench: Bench, pair: dict[str, Any]) -> None:
    bench.pin(*load(pair["from"])["tools"])
    page = bench.page("now.json", json.dumps(load(pair["to"])))
    digest = bench.run("check", "s", "--from", page, "-f", "json").json["servers"][0][
        "catalog_digest"
    ]

    assert bench.run("approve", "s", "--from", page, "--digest", digest).code == 0

    assert bench.run("check", "s", "--from", page).code == 0
    assert bench.check(*load(pair["from"])["tools"]).code == 1


def test_check__tells_hints_that_turned_round_as_hints(bench: Bench) -> None:
    old, new = (
        {tool["name"]: tool for tool in load(name)["tools"]}
        for name in ("playwright-0.0.40", "playwright-0.0.83")
    )
    turned = {
        (name, f"annotations.{hint}"): (before, new[name]["annotations"][hint])
        for name, tool in old.items()
        if name in new
        for hint, before in tool["annotations"].items()
        if isinstance(before, bool) and new[name]["annotations"].get(hint) == (not before)
    }
    assert len({name for name, _ in turned}) == 4

    bench.pin(*old.values())
    result = bench.check(*new.values(), more=["-f", "json"])

    told = {
        (tool["name"], difference["path"]): (difference["old"], difference["new"])
        for tool in result.json["servers"][0]["tools"]
        if tool["change"] is not None
        for difference in tool["change"]["differences"]
        if difference["class"] == "annotations" and {"old", "new"} <= difference.keys()
    }
    assert told == turned
    text = bench.check(*new.values()).text
    for (name, path), (before, after) in turned.items():
        words = f"{path}: {json.dumps(before)} -> {json.dumps(after)}      a hint, decides nothing"
        assert any(line.split()[:2] == [name, "changed"] and words in line
                   for line in text.splitlines())  # fmt: skip

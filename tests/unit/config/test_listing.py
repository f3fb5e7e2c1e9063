"""Tool digests: 42 vectors of what must and must not change them, and what must be refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assembler.config.listing import pick_definitions, read_definitions, read_listing
from assembler.config.pin import read_pin
from assembler.errors import ConfigError
from assembler.model.canonical import canonical_bytes
from assembler.model.catalog import ALGORITHM, catalog_digest

FOLDER = Path(__file__).parents[2] / "conformance" / "catalogs"
VECTORS = sorted(FOLDER.glob("v*.json"))


def load(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(path.read_bytes())
    return value


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_listing__has_the_digests_of_the_vector(path: Path) -> None:
    vector = load(path)
    pages = [page.encode("utf-8", "surrogatepass") for page in vector["pages"]]
    if not vector["expect"].get("ok"):
        with pytest.raises(ConfigError) as caught:
            read_listing(pages, where="listing.json")
        twice = path.stem == "v41-duplicate-name"
        assert caught.value.code == ("tool-name-collision" if twice else "tool-listing-invalid")
        return
    tools = read_listing(pages, where="listing.json")
    expected = vector["expect"]
    assert {tool.name: tool.digest for tool in tools} == {
        name: f"sha256:{digest}" for name, digest in expected["tools"].items()
    }
    assert catalog_digest(tools) == f"sha256:{expected['catalog_map']}"


def test_vectors__are_all_there() -> None:
    assert len(VECTORS) == 42


LISTING = b'{"tools":[{"name":"a","description":"A.","inputSchema":{"type":"object"}}]}'


def pin_of(listing: bytes, **changes: Any) -> bytes:
    tools = read_listing([listing], where="x")
    return canonical_bytes(
        {
            "schema": "assembler/pin/1",
            "server": "s",
            "algorithm": ALGORITHM,
            "catalog": catalog_digest(tools),
            "instructions": None,
            "launch": None,
            "url": None,
            "protocol": None,
            "capabilities": None,
            "ignore": [],
            "tools": {t.name: {"digest": t.digest, "definition": dict(t.wire)} for t in tools},
            **changes,
        }
    )


def test_pin__holds_the_definitions_as_approved() -> None:
    pin = read_pin(pin_of(LISTING), server="s", where="s.json")
    assert pin.tools["a"].rendered() == (
        b'{"description":"A.","inputSchema":{"type":"object"},"name":"a"}'
    )


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        pin_of(LISTING, server="other"),
        pin_of(LISTING, algorithm="md5"),
        pin_of(LISTING, catalog="sha256:" + "0" * 64),
        pin_of(LISTING, extra=1),
        pin_of(LISTING).replace(b"A.", b"B."),
        pin_of(LISTING).replace(b'"a":{', b'"b":{'),
    ],
)
def test_pin__that_its_own_digests_do_not_fit_is_broken(data: bytes) -> None:
    with pytest.raises(ConfigError) as caught:
        read_pin(data, server="s", where="s.json")
    assert caught.value.code == "tool-pin-broken"


def test_listing__that_ends_with_a_cursor_is_partial() -> None:
    page = LISTING[:-1] + b',"nextCursor":""}'
    with pytest.raises(ConfigError) as caught:
        read_listing([page], where="x")
    assert caught.value.code == "tool-listing-partial"
    assert len(read_listing([page, b'{"tools":[]}'], where="x")) == 1


def test_listing__may_be_a_whole_message() -> None:
    message = b'{"jsonrpc":"2.0","id":1,"result":' + LISTING + b"}"
    assert read_listing([message], where="x") == read_listing([LISTING], where="x")


def test_definitions__name_the_nearest_where_one_is_missing() -> None:
    definitions = read_definitions(LISTING[9:-1], where="tools.json")
    by_name = {tool.name: tool for tool in definitions}
    with pytest.raises(ConfigError) as caught:
        pick_definitions(["aa"], by_name, where="tools.json")
    assert caught.value.code == "tool-definition-missing"
    assert pick_definitions(["a"], by_name, where="x") == definitions

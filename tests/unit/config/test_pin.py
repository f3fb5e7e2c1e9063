"""A pin is written and read back, and vouches for nothing by its own word."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assembler.config.listing import define_listed
from assembler.config.pin import read_pin, write_pin
from assembler.errors import ConfigError
from assembler.model.catalog import Catalog, Pin, ServerIdentity, pin_catalog
from tests.builders.catalogs import tool

LAUNCH = {"command": "x", "arguments": ["${A}", "\u202e"], "environment": ["A"]}
IDENTITY = ServerIdentity("sha256:" + "0" * 64, LAUNCH, None, "2025-11-25", {})


def pin(*tools: Any, ignore: tuple[str, ...] = (), identity: ServerIdentity = IDENTITY) -> Pin:
    defined = define_listed(("x", item) for item in tools)
    return pin_catalog("s", Catalog({item.name: item for item in defined}, identity), ignore)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
NUMBERS = st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False)
KEYS = st.text("ab\u00e9\U0001f600", max_size=2)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=10,
)


@given(st.lists(JSON, max_size=3), st.booleans())
def test_pin__written_and_read_is_the_same(extras: list[Any], is_ignoring: bool) -> None:
    tools = [tool(f"t{number}", x=extra) for number, extra in enumerate(extras)]
    made = pin(*tools, ignore=("/x",) if is_ignoring else ())
    data = write_pin(made)
    read = read_pin(data, server="s", where="s.json")
    assert data.isascii()
    assert write_pin(read) == data
    assert (read.catalog, read.ignore, read.identity) == (made.catalog, made.ignore, made.identity)
    assert {n: t.digest for n, t in read.tools.items()} == {
        n: t.digest for n, t in made.tools.items()
    }


def test_pin__of_a_listing_that_differs_where_nobody_looks_has_the_same_digests() -> None:
    one, two = (pin(tool("a", x=n), ignore=("/x",)) for n in (1, 2))
    assert one.catalog == two.catalog
    assert pin(tool("a", x=1)).catalog != one.catalog


CHANGES: list[dict[str, Any]] = [
    {"launch": "sha256:" + "0" * 64},
    {"launch": {"command": "x", "arguments": []}},
    {"launch": {**LAUNCH, "arguments": [1]}},
    {"launch": {**LAUNCH, "command": None}},
    {"instructions": "text"},
    {"url": 7},
    {"protocol": 7},
    {"capabilities": []},
    {"ignore": None},
    {"ignore": ["x"]},
    {"ignore": ["/name"]},
    {"ignore": ["/description"]},
    {"tools": []},
    {"server": "t"},
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_pin__with_a_member_of_another_kind_is_broken(change: dict[str, Any]) -> None:
    value = {**json.loads(write_pin(pin(tool("a")))), **change}
    with pytest.raises(ConfigError) as caught:
        read_pin(json.dumps(value).encode(), server="s", where="s.json")
    assert caught.value.code == "tool-pin-broken"
    assert "s.json" in caught.value.message

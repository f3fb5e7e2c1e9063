from __future__ import annotations

import pytest

from assembler_verifier.identities import sha256
from assembler_verifier.request import value_at
from assembler_verifier.strict_json import JsonValue, canonical, read_integers
from assembler_verifier.tools import MAX_TOOL_DEPTH, UnfitToolError, read_tool
from tests.verifier.vectors import (
    as_members,
    bound_of,
    derive_vector,
    load,
    own_body,
    own_segments,
    package_names,
)


@pytest.mark.parametrize("name", package_names())
def test_body_segments_and_bounds__are_those_of_the_vector(name: str) -> None:
    vector = load(name)
    expected = vector["expected"]
    inventory, objects, derived, rendering = derive_vector(vector)
    segments = own_segments(inventory, derived, rendering)
    assert [as_members(segment) for segment in segments] == expected["segments"]
    body = canonical(own_body(inventory, derived, rendering, segments, objects))
    assert len(body) == expected["request"]["bytes"]
    assert sha256(body) == expected["request"]["sha256"]
    spans = [
        {"id": item.id, "span": as_members(span), "bound": bound_of(span, segments)}
        for item in derived.selected()
        for span in [rendering.spans[item.id]]
    ]
    assert spans == expected["spans"]


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/a/0", 1),
        ("/a/1", None),
        ("/a/00", None),
        ("/a/-1", None),
        ("/a/99999999999999999999", None),
        ("/b~1c", 2),
        ("/d~0e", 3),
        ("/missing/deeper", None),
        ("", {"a": [1], "b/c": 2, "d~e": 3}),
    ],
)
def test_value_at__follows_a_pointer(pointer: str, value: JsonValue) -> None:
    assert value_at(read_integers(b'{"a":[1],"b/c":2,"d~e":3}'), pointer) == value


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[]",
        b'{"inputSchema":{},"name":1}',
        b'{"inputSchema":[],"name":"a"}',
        b'{"description":null,"inputSchema":{},"name":"a"}',
        b'{"inputSchema":{},"name":"a","title":"t"}',
        b'{"inputSchema":{}, "name":"a"}',
        b'{"name":"a","inputSchema":{}}',
        b'{"inputSchema":{},"name":"a"}\n',
        b'{"inputSchema":{"default":-0},"name":"a"}',
        b'{"inputSchema":{"a":' + b"[" * MAX_TOOL_DEPTH + b"]" * MAX_TOOL_DEPTH + b'},"name":"a"}',
    ],
)
def test_read_tool__refuses_what_is_not_canonical_or_not_a_tool(content: bytes) -> None:
    with pytest.raises(UnfitToolError):
        read_tool(content)

"""A drift names every member, and nothing but what differs."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assembler.assess.catalog_drift import MISSING, class_of, compare_catalog, compare_tools
from assembler.config.listing import define_listed
from assembler.model.canonical import canonical_text
from assembler.model.catalog import Catalog, ServerIdentity, pin_catalog
from tests.builders.catalogs import tool

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.sampled_from([1.0, 0.5])
    | st.text("ab", max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["a", "b.c", "title", "description", ""]), inner, max_size=3
        )
    ),
    max_leaves=8,
)
MEMBERS = ("description", "title", "inputSchema", "annotations", "_meta", "icons")
WIRES = st.fixed_dictionaries({"name": st.just("t")}, optional=dict.fromkeys(MEMBERS, VALUES))


def put(value: Any, steps: tuple[str | int, ...], new: Any) -> Any:
    """The value with one member replaced, or taken out."""
    if not steps:
        return new
    first, rest = steps[0], steps[1:]
    value = copy.deepcopy(value)
    if not rest and new is MISSING:
        del value[first]
        return value
    inner = {} if rest and first not in value else value[first] if rest else None
    value[first] = put(inner, rest, new) if rest else new
    return value


@given(WIRES, WIRES)
def test_differences__turn_the_one_definition_into_the_other(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    differences = compare_tools(old, new)
    assert bool(differences) == (canonical_text(old) != canonical_text(new))
    value: Any = old
    for difference in differences:
        if difference.steps[0] == "annotations" and isinstance(new.get("annotations"), dict):
            value.setdefault("annotations", {})
        value = put(value, difference.steps, difference.new)
    if value.get("annotations") == {} and "annotations" not in new:
        del value["annotations"]
    assert canonical_text(value) == canonical_text(new)


@given(WIRES, WIRES)
def test_differences__reversed_are_the_mirror(old: dict[str, Any], new: dict[str, Any]) -> None:
    there = [(d.steps, d.field_class, d.old, d.new) for d in compare_tools(old, new)]
    back = [(d.steps, d.field_class, d.new, d.old) for d in compare_tools(new, old)]
    assert there == back


@pytest.mark.parametrize(
    ("steps", "value", "expected"),
    [
        (("description",), "x", "text"),
        (("inputSchema", "properties", "q", "description"), "x", "text"),
        (("inputSchema", "properties", "description"), {"type": "string"}, "schema"),
        (("inputSchema", "title"), "x", "text"),
        (("inputSchema", "required"), [], "schema"),
        (("outputSchema", "description"), "x", "schema"),
        (("execution", "taskSupport"), "x", "schema"),
        (("title",), "x", "display"),
        (("icons", 0, "src"), "x", "display"),
        (("annotations", "title"), "x", "display"),
        (("annotations", "readOnlyHint"), True, "annotations"),
        (("annotations", "category"), "x", "vendor"),
        (("_meta", "title"), "x", "vendor"),
        (("anything",), "x", "vendor"),
    ],
)
def test_class__is_what_the_member_is_for(
    steps: tuple[str | int, ...], value: Any, expected: str
) -> None:
    assert class_of(steps, value) == expected


def catalog(*tools: dict[str, Any], **identity: Any) -> Catalog:
    defined = define_listed(("x", item) for item in tools)
    return Catalog({item.name: item for item in defined}, ServerIdentity(**identity))


def test_path__is_spelled_so_that_it_can_be_found() -> None:
    old = tool("a", annotations={"x.y": 1})
    new = tool("a", annotations={"x.y": 2, "": 3})
    drift = compare_catalog(pin_catalog("s", catalog(old)), catalog(new))
    assert [item.path for item in drift.changes[0].differences] == [
        'annotations[""]', 'annotations["x.y"]',
    ]  # fmt: skip


def test_number__spelled_otherwise_is_no_difference() -> None:
    assert compare_tools({"x": 1}, {"x": 1.0}) == ()
    assert compare_tools({"x": True}, {"x": 1}) != ()
    assert compare_tools({"x": None}, {}) != ()


def test_identity__is_compared_where_both_sides_know_it() -> None:
    launch = {"command": "x", "arguments": [], "environment": []}
    live = {"launch": launch, "instructions": "sha256:" + "0" * 64, "protocol": "1"}
    other = {**launch, "arguments": ["--y"]}
    pinned = pin_catalog("s", catalog(tool("a"), **live))

    def fields(**identity: Any) -> list[tuple[str, bool]]:
        drift = compare_catalog(pinned, catalog(tool("a"), **identity))
        assert drift.is_drift == any(change.is_drift for change in drift.identity)
        return [(change.field, change.is_drift) for change in drift.identity]

    assert fields(**live) == []
    assert fields() == []
    assert fields(**{**live, "launch": other}) == [("launch", True)]
    assert fields(**{**live, "instructions": None}) == [("instructions", True)]
    assert fields(**{**live, "protocol": "2"}) == [("protocol", False)]
    assert fields(url="https://h/", instructions=live["instructions"]) == [
        ("launch", True), ("url", True),
    ]  # fmt: skip

"""The inventory's schema and its reader say the same of every document, as far as a schema can."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
import re2
from jsonschema import Draft202012Validator

from assembler.cli.schema import NAMES
from assembler.config.inventory import parse_inventory
from assembler.errors import ConfigError
from assembler.front.schemas import json_schema
from tests.builders.vectors import FOLDER

SCHEMA = json_schema("inventory")
VALIDATOR = Draft202012Validator(SCHEMA)
BETWEEN_ITEMS = {"inventory-duplicate-id", "inventory-freshness-twice", "inventory-group-mixed"}
"""Defects of two things together, which no schema can tell."""
DIGEST = "0123456789abcdef" * 4

COMPLETE: dict[str, Any] = {
    "schema": "assembler/inventory/1",
    "task": {
        "id": "t",
        "actor": "a",
        "prompt": {"name": "p", "version": "1"},
        "objective": "o",
        "as_of": ["2026-01-31"],
        "now": "2026-01-31T23:59:59Z",
        "topics": ["x"],
    },
    "revision": "r",
    "layout": "assembler-input/1",
    "adapter": {"name": "openai-chat", "model": "m", "max_output": 1},
    "budget": {
        "unit": "slot", "counter": "declared", "window": 9, "reserves": {"r": 1}, "overhead": 0,
    },
    "seal": {"events": ["e"], "artifacts": ["f"], "calls": ["g"], "lineage": ["h"]},
    "required": ["A"],
    "order": "canonical",
    "candidates": [
        {
            "id": "A",
            "kind": "source",
            "section": "evidence",
            "trust": "observed",
            "content": {"path": "p", "lines": [1, 2]},
            "source": "s",
            "scope": "s",
            "revision": "r",
            "size": {"value": 1, "unit": "slot", "basis": "declared"},
            "lineage": ["l"],
            "topics": ["t"],
            "valid_from": "2026-04-30",
            "valid_to": "2026-12-31",
            "expires_at": "2026-01-01T00:00:00Z",
            "version": "v",
            "discovered_by": "d",
            "observed_at": "2026-01-01T00:00:00Z",
            "retrieved_at": "2026-01-01T00:00:00Z",
            "replaces": ["r"],
            "conflicts_with": ["c"],
            "refreshed_by": "B",
            "refresh": "run",
            "freshness": [{"source": "s", "seen": DIGEST, "current": DIGEST}],
            "decision_value": 1,
            "decides": "d",
            "group": "g",
            "position": 0,
            "address": {"source_id": "s", "version": "1", "line_start": 1, "line_end": 2},
        }
    ],
}  # fmt: skip
"""Every member, and none of them null."""
OTHER_PARTS: dict[str, list[Any]] = {
    "content": [
        {"text": ""}, {"base64": "QQ=="}, {"path": "p"}, {"sha256": DIGEST, "bytes": 3},
        {"absent": "denied", "rule": "r"}, {"absent": "unread"},
        {"absent": "turned-away", "code": "c", "where": "w"},
    ],
    "budget": [
        {"unit": "token", "counter": "o200k_base", "window": 9},
        {"unit": "byte", "counter": "utf8-bytes", "window": 9},
    ],
}  # fmt: skip
"""Other forms of a part, which are taken apart alike."""
VALUES: tuple[Any, ...] = (
    None, True, 0, 1, -1, 10**11, 10**11 + 1, -(10**11), -(10**11) - 1, [], {}, "", "x", "X", "end",
    "a" * 32, "a" * 33, "a" * 64, "a" * 65, "a" * 128, "a" * 129, "a" * 512, "a" * 513,
    "a" * 2048, "a" * 2049, "a" * 4096, "a" * 4097, DIGEST, DIGEST.upper(), "QQ=", "Q Q=",
    "2026-02-30", "2026-04-31", "2026-13-01", "0000-01-01", "2024-02-29", "2026-1-1",
    "2026-01-01T24:00:00Z", "2026-01-01T23:59:60Z", "2026-01-01T23:59:59+00:00",
    "policy", "tools", "work", "authorized", "untrusted", "tool", "mcp-tool", "declared",
    "code-points", "utf8-bytes", "code-point", "byte", "token", "estimated", "canonical",
    "decision-value", "context-contract/1", "text", "denied", "turned-away", "path-not-utf8",
    ["x"], ["x", "x"], [""], [1], [1, 1], [0, 1], [1, 2, 3], ["2026-01-01"], {"x": 1},
)  # fmt: skip


def is_read(value: object) -> bool | None:
    """Whether the reader takes it; None: a schema could not tell."""
    try:
        parse_inventory(value)
    except ConfigError as error:
        is_sayable = error.code not in BETWEEN_ITEMS and not is_backwards(value, error)
        return False if is_sayable else None
    return True


def is_backwards(value: Any, error: ConfigError) -> bool:
    """Whether two numbers of lines are refused for their order alone."""
    if error.code != "inventory-lines":
        return False
    (row,) = value["candidates"]
    pairs = [
        row["content"].get("lines"),
        [row["address"][key] for key in ("line_start", "line_end")],
    ]
    return any(pair and pair[0] > pair[1] >= 1 for pair in pairs)


def require_agreement(value: object, what: object) -> None:
    expected = is_read(value)
    if expected is not None:
        assert VALIDATOR.is_valid(value) == expected, what


def places(value: object) -> Iterator[tuple[str | int, ...]]:
    """Every place of a document, the outermost first."""
    yield ()
    pairs: Any = ()
    if isinstance(value, dict):
        pairs = value.items()
    elif isinstance(value, list):
        pairs = enumerate(value)
    for key, inner in pairs:
        yield from ((key, *rest) for rest in places(inner))


def at(value: Any, place: tuple[str | int, ...]) -> Any:
    for step in place:
        value = value[step]
    return value


def documents() -> list[dict[str, Any]]:
    """The complete one, and one for each other form of a part."""
    found = [COMPLETE]
    for name, forms in OTHER_PARTS.items():
        for form in forms:
            document = copy.deepcopy(COMPLETE)
            holder = document["candidates"][0] if name == "content" else document
            holder[name] = form
            found.append(document)
    return found


def mutations(document: dict[str, Any]) -> Iterator[tuple[object, dict[str, Any]]]:
    """A document with one member replaced, left out or added, and in words which."""
    for place in places(document):
        original = at(document, place)
        if isinstance(original, dict):
            changed = copy.deepcopy(document)
            at(changed, place)["surplus"] = 1
            yield (place, "surplus"), changed
        if not place:
            continue
        *way, last = place
        for value in VALUES:
            changed = copy.deepcopy(document)
            at(changed, tuple(way))[last] = value
            yield (place, value), changed
        changed = copy.deepcopy(document)
        del at(changed, tuple(way))[last]
        yield (place, "left out"), changed


def test_schema__is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["title"] == "assembler/inventory/1"
    assert SCHEMA["$id"] == "inventory.schema.json"


@pytest.mark.parametrize("name", NAMES)
def test_patterns__are_of_the_kind_that_every_validator_has(name: str) -> None:
    def patterns(node: Any) -> Iterator[str]:
        for key, inner in node.items() if isinstance(node, dict) else enumerate(node):
            if key == "pattern" and isinstance(inner, str):
                yield inner
            elif isinstance(inner, dict | list):
                yield from patterns(inner)

    for pattern in patterns(json_schema(name)):
        re2.compile(pattern)


@pytest.mark.parametrize("document", documents(), ids=lambda document: None)
def test_document__is_taken_by_both(document: dict[str, Any]) -> None:
    assert is_read(document)
    assert VALIDATOR.is_valid(document)


def test_mutation__is_judged_alike_by_both() -> None:
    for what, document in mutations(COMPLETE):
        require_agreement(document, what)


def test_mutation_of_another_form__is_judged_alike_by_both() -> None:
    for name, forms in OTHER_PARTS.items():
        for form in forms:
            for what, part in mutations({"part": form}):
                document = copy.deepcopy(COMPLETE)
                holder = document["candidates"][0] if name == "content" else document
                if "part" in part and set(part) == {"part"}:
                    holder[name] = part["part"]
                    require_agreement(document, (form, what))


def vectors() -> list[tuple[str, Any]]:
    """Every inventory that a vector gives, and its normal form."""
    found = []
    for path in sorted(FOLDER.glob("*.json")):
        vector = json.loads(path.read_bytes())
        if "inventory" in vector:
            found.append((path.stem, vector["inventory"]))
            normal = vector.get("expected", {}).get("normal_inventory")
            found += [] if normal is None else [(f"{path.stem}, normal form", normal)]
    return found


def test_vectors__are_judged_alike_by_both() -> None:
    assert len(vectors()) > 50
    for name, inventory in vectors():
        require_agreement(inventory, name)


def test_malformed_vectors__are_refused_by_the_schema_but_for_what_none_can_say() -> None:
    cases = json.loads((FOLDER / "malformed.json").read_bytes())["inventories"]
    taken = {case["name"] for case in cases if VALIDATOR.is_valid(case["inventory"])}
    assert taken == {
        "the same id twice",
        "a group with a required and an optional member",
        "one freshness source twice",
        "last line before the first",
        "id of 513 bytes",
        "a place of 513 bytes",
    }


def test_length__is_looser_in_characters_and_never_stricter() -> None:
    for text, reader, schema in (
        ("é" * 256, True, True),
        ("é" * 257, False, True),
        ("é" * 513, False, False),
    ):
        document = copy.deepcopy(COMPLETE)
        document["task"]["id"] = text
        assert (is_read(document), VALIDATOR.is_valid(document)) == (reader, schema)


def test_day__of_a_leap_year_alone_is_the_readers_to_judge() -> None:
    document = copy.deepcopy(COMPLETE)
    for day, reader in (("2024-02-29", True), ("2026-02-29", False)):
        document["task"]["as_of"] = [day]
        assert (is_read(document), VALIDATOR.is_valid(document)) == (reader, True)


@pytest.mark.parametrize(("count", "expected"), [(0, True), (20_000, True), (20_001, False)])
def test_candidates__are_at_most_as_many_as_the_reader_takes(count: int, expected: bool) -> None:
    rows = SCHEMA["$defs"]["Inventory"]["properties"]["candidates"]
    alone = Draft202012Validator({key: rows[key] for key in ("type", "maxItems")})
    document = {**COMPLETE, "required": [], "candidates": []}
    document["candidates"] = [
        {"id": str(number), "kind": "k", "section": "evidence", "trust": "derived",
         "content": {"text": ""}}
        for number in range(count)
    ]  # fmt: skip
    assert is_read(document) is alone.is_valid(document["candidates"]) is expected

"""The inventory's reader: every malformed one by its defect, and nothing of its content told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assembler.config.inventory import MAX_CANDIDATES, parse_inventory
from assembler.errors import ConfigError
from assembler.model.canonical import StrictJsonError, read_strict
from tests.builders.vectors import FOLDER, load_vector

MALFORMED = json.loads((FOLDER / "malformed.json").read_bytes())


@pytest.mark.parametrize("case", MALFORMED["inventories"], ids=lambda case: str(case["name"]))
def test_inventory__malformed_is_reported_with_its_defect(case: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_inventory(case["inventory"])
    assert caught.value.code == f"inventory-{case['code']}"
    assert caught.value.where is not None


@pytest.mark.parametrize("case", MALFORMED["texts"], ids=lambda case: str(case["name"]))
def test_text__that_is_no_strict_json_is_refused(case: dict[str, Any]) -> None:
    with pytest.raises(StrictJsonError):
        read_strict(case["text"].encode("utf-8", "surrogatepass"))


def inventory(**changes: Any) -> dict[str, Any]:
    value: dict[str, Any] = load_vector("codeai-16")["inventory"]
    return {**value, **changes}


@pytest.mark.parametrize("value", [None, [], "x", 1, {"schema": "assembler/inventory/1"}])
def test_inventory__anything_else_is_a_shape(value: object) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_inventory(value)
    assert caught.value.code == "inventory-shape"


def test_inventory__sets_are_sorted_and_without_repeats() -> None:
    parsed = parse_inventory(inventory(required=["B", "A", "B"], seal={"calls": ["z", "a", "z"]}))
    assert parsed.required == ("A", "B")
    assert parsed.seal.calls == ("a", "z")
    assert [item.id for item in parsed.candidates] == ["A", "B", "C", "D", "E"]


def test_inventory__limits_are_on_the_edge() -> None:
    candidate = inventory()["candidates"][0]
    at = parse_inventory(inventory(candidates=[{**candidate, "id": "é" * 256}], required=[]))
    assert len(at.candidates[0].id.encode()) == 512
    with pytest.raises(ConfigError):
        parse_inventory(inventory(candidates=[{**candidate, "id": "é" * 256 + "a"}], required=[]))
    with pytest.raises(ConfigError) as caught:
        parse_inventory(
            inventory(candidates=[{**candidate, "id": str(n)} for n in range(MAX_CANDIDATES + 1)])
        )
    assert caught.value.code == "inventory-limit"


def test_error__does_not_tell_a_value() -> None:
    canary = "canary-6d1f"
    for changes in ({"layout": canary}, {"order": canary}, {"revision": [canary]}):
        with pytest.raises(ConfigError) as caught:
            parse_inventory(inventory(**changes))
        told = f"{caught.value.message} {caught.value.where} {caught.value.next_step}"
        assert canary not in told

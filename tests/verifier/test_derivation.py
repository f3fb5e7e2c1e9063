from __future__ import annotations

import copy
from typing import Any

import pytest

from assembler_verifier.derivation import check_adapter, derive, render
from assembler_verifier.identities import TooLargeError, sha256
from assembler_verifier.inventory import read_inventory
from assembler_verifier.objects import BrokenObjectError, Objects
from assembler_verifier.static_checks import RefusedError
from tests.verifier.vectors import (
    contents,
    derive_vector,
    load,
    normal_inventory,
    package_names,
    refusal_names,
)

# No vocabulary is known here, so none is known to be unavailable.
REFUSALS = [name for name in refusal_names() if name != "counter-unavailable"]


@pytest.mark.parametrize("name", package_names())
def test_derive__gives_decisions_budget_and_identities(name: str) -> None:
    vector = load(name)
    expected = vector["expected"]
    _, _, derived, rendering = derive_vector(vector)
    decisions = [
        {
            "id": candidate.id,
            "decision": decision.word,
            "reason": decision.reason,
            "detail": decision.detail,
            "cost": decision.cost,
        }
        for candidate in derived.ordered
        for decision in [derived.selection.decisions[candidate.id]]
    ]
    assert decisions == expected["decisions"]
    assert [candidate.id for candidate in derived.selected()] == expected["selected"]
    assert derived.selection.budget == expected["budget"]
    assert derived.package_id == expected["package_id"]
    assert derived.trace_id == expected["trace_id"]
    assert derived.content_id == expected["content_id"]
    assert len(rendering.data) == expected["rendered"]["bytes"]
    assert sha256(rendering.data) == expected["rendered"]["sha256"]


@pytest.mark.parametrize("name", REFUSALS)
def test_derive__refuses_with_code_and_detail(name: str) -> None:
    vector = load(name)
    inventory, objects = normal_inventory(vector), Objects(contents(vector))
    with pytest.raises(RefusedError) as caught:
        derived = derive(inventory, objects, {}, None)
        render(inventory, derived, objects)
        check_adapter(inventory)
    assert caught.value.code == vector["expected"]["failure"]["code"]
    assert caught.value.detail == vector["expected"]["failure"]["detail"]


@pytest.mark.parametrize("case", load("identity-changes")["changes"], ids=lambda c: c["name"])
def test_derive__moves_the_identities_that_a_change_moves(case: Any) -> None:
    vector = copy.deepcopy(load("codeai-16"))
    for operation in case["patch"]:
        patch(vector["inventory"], operation)
    vector["expected"] = {}
    _, _, derived, rendering = derive_vector(vector)
    assert sorted(item.id for item in derived.selected()) == case["selected"]
    assert derived.package_id == case["package_id"]
    assert derived.trace_id == case["trace_id"]
    assert derived.content_id == case["content_id"]
    assert sha256(rendering.data) == case["rendered_sha256"]


def patch(document: Any, operation: Any) -> None:
    *steps, last = (part.replace("~1", "/") for part in operation["path"].split("/")[1:])
    for step in steps:
        document = document[int(step)] if isinstance(document, list) else document[step]
    match document, operation["op"]:
        case list(), "add":
            document.insert(len(document) if last == "-" else int(last), operation["value"])
        case list(), "remove":
            del document[int(last)]
        case _, "add":
            document[last] = operation["value"]
        case _:
            del document[last]


def test_derive__needs_the_bytes_that_a_layout_looks_at() -> None:
    inventory = normal_inventory(load("ka2-2026-09-14"))
    with pytest.raises(BrokenObjectError):
        derive(inventory, Objects({}), {}, None)


def test_derive__takes_on_no_endless_work() -> None:
    source = copy.deepcopy(load("codeai-16")["inventory"])
    source["task"]["as_of"] = [
        f"{year:04}-{month:02}-01" for year in range(1, 201) for month in range(1, 13)
    ]
    original = source["candidates"][2]
    source["candidates"] = [
        {**original, "id": f"c{number}", "valid_from": "9000-01-01"} for number in range(1_000)
    ]
    source["required"] = []
    with pytest.raises(TooLargeError):
        derive(read_inventory(source), Objects({}), {}, None)

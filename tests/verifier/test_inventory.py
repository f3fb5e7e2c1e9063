from __future__ import annotations

import copy
import itertools
from typing import Any

import pytest

from assembler_verifier.identities import sha256
from assembler_verifier.inventory import read_inventory
from assembler_verifier.schema import DefectError, is_date, is_time
from assembler_verifier.strict_json import canonical
from tests.verifier.vectors import load, package_names, refusal_names


@pytest.mark.parametrize("case", load("malformed")["inventories"], ids=lambda case: case["name"])
def test_read_inventory__names_the_one_defect(case: Any) -> None:
    with pytest.raises(DefectError) as caught:
        read_inventory(case["inventory"])
    assert caught.value.code == case["code"]


@pytest.mark.parametrize("name", package_names())
def test_read_inventory__leaves_a_normal_form_as_it_is(name: str) -> None:
    expected = load(name)["expected"]
    data = canonical(read_inventory(expected["normal_inventory"]).members) + b"\n"
    assert sha256(data) == expected["inventory_sha256"]


@pytest.mark.parametrize("name", [*refusal_names(), "codeai-16", "raj-declared"])
def test_read_inventory__brings_a_host_form_into_normal_form(name: str) -> None:
    vector = load(name)
    data = canonical(read_inventory(vector["inventory"]).members) + b"\n"
    assert sha256(data) == vector["expected"]["inventory_sha256"]


def test_read_inventory__does_not_depend_on_supply_order() -> None:
    inventory = copy.deepcopy(load("codeai-16")["inventory"])
    forms = set()
    for order in itertools.permutations(inventory["candidates"]):
        inventory["candidates"] = list(order)
        forms.add(canonical(read_inventory(inventory).members))
    assert len(forms) == 1


@pytest.mark.parametrize("value", [None, [], "x", 1, {"schema": "assembler/inventory/1"}])
def test_read_inventory__refuses_other_shapes(value: Any) -> None:
    with pytest.raises(DefectError):
        read_inventory(value)


def test_dates__follow_the_calendar() -> None:
    assert is_date("2024-02-29")
    assert is_date("2000-02-29")
    assert is_date("0001-01-01")
    assert not is_date("1900-02-29")
    assert not is_date("2023-02-29")
    assert not is_date("0000-01-01")
    assert not is_date("2023-13-01")
    assert not is_date("2023-04-31")
    assert not is_date("2023-4-3")
    assert not is_date("\uff12023-04-03")
    assert is_time("2023-04-03T23:59:59Z")
    assert not is_time("2023-04-03T24:00:00Z")
    assert not is_time("2023-04-03T23:59:60Z")
    assert not is_time("2023-04-03T23:59:59Z\n")

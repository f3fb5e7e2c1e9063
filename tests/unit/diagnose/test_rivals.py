"""Sums and sweeps against the plain definition, on random runs."""

from __future__ import annotations

import random
from typing import Any

import pytest

from assembler.diagnose.trace import Item, make_trace
from assembler.model.canonical import read_strict
from tests.builders.inventories import compile_value, inventory_value
from tests.builders.traces import claim_of, diagnose_value, failing_test, file


def random_value(seed: int) -> dict[str, Any]:
    draw = random.Random(seed)
    hits = [
        file(
            f"{number}.txt",
            draw.randint(0, 6),
            decides=draw.choice([None, "style"]),
            decision_value=draw.choice([None, 1, 2, 3, 4]),
        )
        for number in range(12)
    ]
    tests = [
        failing_test(f"test:{n}", draw.randint(1, 9), decision_value=draw.choice([None, 2, 3, 5]))
        for n in range(8)
    ]
    required = tuple(hit["id"] for hit in hits if draw.random() < 0.1)
    order = draw.choice(["canonical", "decision-value"])
    return inventory_value(
        *hits,
        *tests,
        window=30 + sum(hit["size"]["value"] for hit in hits if hit["id"] in required),
        required=required,
        order=order,
    )


def is_rival(other: Item, item: Item) -> bool:
    """As the page has it."""
    if not other.is_in or other.decides == "failure":
        return False
    if not other.required and other.detail["used_after"] > item.detail["used_before"]:
        return False
    if other.decides is None:
        return True
    values = (other.decision_value, item.decision_value)
    return None not in values and other.decision_value < item.decision_value  # type: ignore[operator]


@pytest.mark.parametrize("seed", range(60))
def test_displaced_and_rivals__are_those_of_the_definition(seed: int) -> None:
    value = random_value(seed)
    files = compile_value(value).files(b"")
    rows = [read_strict(line) for line in files["ledger.jsonl"].split(b"\n") if line]
    trace = make_trace(read_strict(files["inventory.json"]), rows, {}, uses=None)
    expected, expected_rivals = [], set()
    for item in trace.items:
        if item.decides != "failure" or item.reason != "budget-exceeded":
            continue
        rivals = [other for other in trace.items if is_rival(other, item)]
        cost = sum(other.cost or 0 for other in rivals)
        if cost >= item.detail["would_be"] - item.detail["limit"]:
            expected.append(item.id)
            expected_rivals |= {other.id for other in rivals}
    claim = claim_of(diagnose_value(value), "ASM403")
    assert [each.id for each in claim.proofs if each.role == "displaced"] == expected
    found = [each for each in claim.proofs if each.role == "in its place"]
    assert {each.id for each in found} == expected_rivals
    assert [each.item.row for each in found if each.item] == sorted(
        each.item.row for each in found if each.item
    )


def test_random_runs__come_out_both_ways() -> None:
    results = {claim_of(diagnose_value(random_value(seed)), "ASM403").result for seed in range(60)}
    assert results == {"fires", "holds"}

"""All claims together: the bad trace fires exactly the three, every good one none of them."""

from __future__ import annotations

import random

import pytest

from assembler.diagnose.claim import HOLDS
from assembler.front.diagnosing import diagnose_files
from assembler.model.catalogue import RULES
from tests.builders.inventories import compile_value, inventory_value, reasons
from tests.builders.traces import (
    ARCHIVE,
    FAILURE,
    LOCAL,
    SUMMARY,
    bad_trace,
    claim_of,
    diagnose_value,
    firing,
    good_trace,
    roles,
)
from tests.builders.vectors import compile_vector, load_vector, vector_names

THREE = [RULES[code][0] for code in ("ASM401", "ASM402", "ASM403")]
TOKENIZE = "packages/parser/src/tokenize.ts#L1-L24"
COMPILING = [name for name in vector_names() if "failure" not in load_vector(name)["expected"]]


def test_bad_trace__compiles_as_the_retriever_would_have_it() -> None:
    found = reasons(compile_value(bad_trace()))
    assert (found[SUMMARY], found[ARCHIVE]) == ("fits", "fits")
    assert found[LOCAL] == found[FAILURE] == found[TOKENIZE] == "budget-exceeded"


def test_bad_trace__fires_the_three_claims_and_nothing_else() -> None:
    diagnosis = diagnose_value(bad_trace())
    assert firing(diagnosis) == THREE
    assert diagnosis.fires
    policy, stale, displaced = diagnosis.claims
    assert roles(policy) == [("missing", LOCAL), ("applies to", TOKENIZE)]
    assert roles(stale) == [("stale", SUMMARY), ("replaces it", TOKENIZE)]
    assert roles(displaced) == [
        ("displaced", FAILURE),
        ("in its place", ARCHIVE),
        ("in its place", SUMMARY),
    ]
    assert displaced.detail == (
        f"{FAILURE} (420) out, {ARCHIVE} (3,400), {SUMMARY} (90) in, in tokens"
    )


def test_good_trace__fires_nothing() -> None:
    diagnosis = diagnose_value(good_trace())
    assert firing(diagnosis) == []
    assert {claim.result for claim in (*diagnosis.claims, *diagnosis.questions)} == {HOLDS}
    assert diagnosis.misses == ()
    assert diagnosis.stale_decisions is None


@pytest.mark.parametrize("name", COMPILING)
def test_vectors__fire_none_of_the_three(name: str) -> None:
    assert not diagnose_files(compile_vector(load_vector(name)).files, None).fires


def test_bad_trace__is_diagnosed_alike_in_any_order_of_supply() -> None:
    expected = diagnose_value(bad_trace())
    shuffled = bad_trace()
    for seed in range(5):
        random.Random(seed).shuffle(shuffled["candidates"])
        assert diagnose_value(shuffled) == expected


@pytest.mark.parametrize(
    ("repaired", "left"),
    [
        (LOCAL, [THREE[1], THREE[2]]),
        (SUMMARY, [THREE[0], THREE[2]]),
        (FAILURE, [THREE[0], THREE[1]]),
    ],
)
def test_bad_trace__with_one_thing_repaired_leaves_the_others(
    repaired: str, left: list[str]
) -> None:
    trace = bad_trace()
    if repaired == SUMMARY:
        trace["candidates"] = [each for each in trace["candidates"] if each["id"] != SUMMARY]
    else:
        # What is required takes its room first; the archive has to give way.
        trace["required"].append(repaired)
        trace["budget"]["window"] += 500
    assert firing(diagnose_value(trace)) == left


def test_nothing_offered__holds() -> None:
    diagnosis = diagnose_value(inventory_value())
    assert firing(diagnosis) == []
    assert claim_of(diagnosis, "ASM401").result == HOLDS

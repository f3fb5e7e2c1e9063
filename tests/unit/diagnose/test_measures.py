"""Misses and stale decisions: two measures, and no event in both."""

from __future__ import annotations

from typing import Any

import pytest

from assembler.diagnose.diagnosis import Diagnosis
from assembler.diagnose.trace import Use
from tests.builders.inventories import inventory_value, item
from tests.builders.traces import (
    FAILURE,
    LOCAL,
    SUMMARY,
    bad_trace,
    diagnose_value,
    failing_test,
    file,
    instruction,
)

STALE = [{"source": "a.py", "seen": "a" * 64, "current": "b" * 64}]
UNKNOWN = [{"source": "a.py", "seen": "a" * 64, "current": None}]


def used(value: dict[str, Any], *identifiers: str) -> Diagnosis:
    uses = [Use(name, "decided", number) for number, name in enumerate(identifiers, start=3)]
    return diagnose_value(value, uses)


def test_what_the_claims_miss__is_missed_without_any_event() -> None:
    misses = diagnose_value(bad_trace()).misses
    assert [(miss.id, miss.need, miss.seq, miss.mechanism) for miss in misses] == [
        (LOCAL, "policy", None, "budget"),
        (FAILURE, "failure", None, "budget"),
    ]
    assert {miss.triage for miss in misses} == {"absent"}


def test_what_was_used_and_not_shown__is_a_miss() -> None:
    found = used(inventory_value(file("a.py", 99), file("b.py")), "file:a.py", "file:b.py")
    (miss,) = found.misses
    assert miss == ("file:a.py", "consumed", 3, "budget-exceeded", "budget", "absent")
    assert found.stale_decisions == ()


@pytest.mark.parametrize(
    ("members", "mechanism"),
    [
        ({"size": 99}, "budget"),
        ({"decision_value": 0}, "ranking"),
        ({"topics": ["b"]}, "ranking"),
        ({"lineage": ["s"]}, "provenance"),
        ({"valid_from": "2027-01-01"}, "stale"),
        ({"content": {"absent": "denied", "rule": "x"}}, "retrieval"),
        ({"content": {"absent": "unreadable"}}, "retrieval"),
        (
            {"content": {"absent": "turned-away", "code": "secret-in-text", "where": "x"}},
            "retrieval",
        ),
    ],
)
def test_miss__names_one_mechanism(members: dict[str, Any], mechanism: str) -> None:
    task = {"topics": ["a"], "as_of": ["2026-06-01"]}
    value = inventory_value(file("a.py", **members), task=task, seal={"lineage": ["s"]})
    assert [miss.mechanism for miss in used(value, "file:a.py").misses] == [mechanism]


def test_bytes_that_were_shown_under_another_name__are_no_miss() -> None:
    text = {"text": "same"}
    value = inventory_value(
        instruction("AGENTS.md", content=text),
        file("AGENTS.md", content=text),
        required=("policy:AGENTS.md",),
    )
    assert used(value, "file:AGENTS.md").misses == ()


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"freshness": STALE}, "stale"),
        ({"freshness": UNKNOWN}, "freshness-unknown"),
        ({"expires_at": "2026-01-01T00:00:00Z"}, "expired"),
    ],
)
def test_decision_on_a_rejected_stale_item__is_stale_and_no_miss(
    members: dict[str, Any], reason: str
) -> None:
    value = inventory_value(item("old", **members), task={"now": "2026-06-01T00:00:00Z"})
    found = used(value, "old")
    assert found.misses == ()
    assert found.stale_decisions == (("old", "decided", 3, reason, "stale", "absent"),)


@pytest.mark.parametrize(("size", "triage"), [(1, "ignored"), (99, "absent")])
def test_decision_on_a_selected_stale_item__tells_whether_the_newer_one_was_there(
    size: int, triage: str
) -> None:
    value = inventory_value(item("old", refreshed_by="file:a.py"), file("a.py", size))
    (stale,) = used(value, "old", "file:b.py").stale_decisions or ()
    assert (stale.reason, stale.triage) == ("stale_source_selected", triage)


def test_both_measures__stand_apart() -> None:
    found = used(bad_trace(), SUMMARY, FAILURE, "task")
    assert [stale.id for stale in found.stale_decisions or ()] == [SUMMARY]
    assert [miss.id for miss in found.misses] == [LOCAL, FAILURE, FAILURE]


def test_without_a_record__stale_decisions_are_unknown() -> None:
    assert diagnose_value(inventory_value(failing_test())).stale_decisions is None

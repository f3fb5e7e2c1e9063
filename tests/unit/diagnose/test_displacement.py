"""`budget_displaced_failure_evidence`: arithmetic on the edge, and what is no displacement."""

from __future__ import annotations

from typing import Any

import pytest

from assembler.diagnose.claim import FIRES, HOLDS, Claim
from assembler.diagnose.displacement import LESSER_WORDS
from assembler.discover.evidence import ASKED, discover_proof
from assembler.model.tree import Entry, EntryKind
from tests.builders.inventories import inventory_value, item
from tests.builders.traces import claim_of, diagnose_value, failing_test, file, roles


def ask(*candidates: dict[str, Any], **members: Any) -> Claim:
    return claim_of(diagnose_value(inventory_value(*candidates, **members)), "ASM403")


def test_failure_that_a_hit_took_the_room_of__fires() -> None:
    claim = ask(file("hit.txt", 8), failing_test(size=3))
    assert claim.result == FIRES
    assert roles(claim) == [("displaced", "test:1"), ("in its place", "file:hit.txt")]
    assert claim.detail == "test:1 (3) out, file:hit.txt (8) in, in tokens"


def test_exactly_full__displaces_nothing() -> None:
    assert ask(file("hit.txt", 8), failing_test(size=2)).result == HOLDS
    assert ask(file("hit.txt", 8), failing_test(size=3)).result == FIRES


def test_failure_that_would_not_fit_anyway__was_not_displaced() -> None:
    assert ask(file("hit.txt", 8), failing_test(size=10)).result == FIRES
    claim = ask(file("hit.txt", 8), failing_test(size=11))
    assert claim.result == HOLDS
    assert "test:1" in claim.detail


def test_decisive_items__are_not_lesser() -> None:
    target = file("a.py", 8, decides="edit target")
    assert ask(target, failing_test(size=3)).result == HOLDS
    assert ask(target, file("hit.txt", 1), failing_test(size=2)).result == FIRES
    assert ask(target, file("hit.txt", 1), failing_test(size=3)).result == HOLDS


def test_instructions_among_the_evidence__are_not_lesser() -> None:
    rules = item("rules", 8, kind="instruction", scope=".")
    assert ask(rules, failing_test(size=3)).result == HOLDS
    assert ask(file("docs/AGENTS.md", 8), failing_test(size=3)).result == HOLDS


def test_declared_values__are_compared_where_both_are_given() -> None:
    low = file("a.py", 8, decides="style", decision_value=5)
    assert ask(low, failing_test(size=3, decision_value=6)).result == FIRES
    assert ask(low, failing_test(size=3, decision_value=5)).result == HOLDS
    assert ask(low, failing_test(size=3)).result == HOLDS


def test_likeness_as_a_value__makes_no_item_decisive() -> None:
    hit = file("hit.txt", 8, decision_value=93)
    claim = ask(hit, failing_test(size=3, decision_value=12), order="decision-value")
    assert claim.result == FIRES


def test_required_archive__displaces_too() -> None:
    assert ask(file("z.txt", 8), failing_test(size=3), required=("file:z.txt",)).result == FIRES


def test_required_failure__is_in() -> None:
    claim = ask(file("hit.txt", 8), failing_test(size=3), required=("test:1",))
    assert claim.result == HOLDS
    assert claim.detail == "1 of 1 items of a failure in, none displaced"


def test_item_that_was_admitted_afterwards__took_nothing() -> None:
    late = item("z", 1, kind="zzz")
    assert ask(file("a.py", 8, decides="edit target"), failing_test(size=3), late).result == HOLDS


@pytest.mark.parametrize(
    "members",
    [
        {"lineage": ["sealed"]},
        {"content": {"absent": "denied", "rule": "x"}},
        {"decision_value": 0},
        {"content": {"absent": "unreadable"}},
    ],
)
def test_failure_that_is_out_for_another_reason__was_not_displaced(members: dict[str, Any]) -> None:
    failure = failing_test(size=3, **members)
    assert ask(file("hit.txt", 8), failure, seal={"lineage": ["sealed"]}).result == HOLDS


def test_sealed_and_denied_items__take_no_room() -> None:
    sealed = file("hit.txt", 8, lineage=["sealed"])
    full = file("a.py", 9, decides="edit target")
    assert ask(sealed, full, failing_test(size=3), seal={"lineage": ["sealed"]}).result == HOLDS


def test_group__is_displaced_as_a_whole() -> None:
    group = [failing_test(f"test:{number}", 2, group="g") for number in (1, 2)]
    assert ask(file("hit.txt", 6), *group).result == HOLDS
    claim = ask(file("hit.txt", 7), *group)
    assert [proof.id for proof in claim.proofs] == ["test:1", "test:2", "file:hit.txt"]


@pytest.mark.parametrize("decides", ["failure", "which assertion fails", "the failing case", None])
def test_failure__is_told_by_word_or_kind(decides: str | None) -> None:
    assert ask(file("hit.txt", 8), failing_test(size=3, decides=decides)).result == FIRES


@pytest.mark.parametrize(
    "members",
    [
        {"decides": "coverage"},
        {"decides": None, "kind": "note"},
        {"decides": None, "trust": "derived"},
        {"section": "work"},
    ],
)
def test_other_observations__are_no_failure(members: dict[str, Any]) -> None:
    assert ask(file("hit.txt", 8), failing_test(size=3, **members)).result == HOLDS


def test_shorter_reading_of_the_failure__stands_for_it() -> None:
    short = failing_test("test:1#L1-L2", 2, replaces=["test:1"])
    assert ask(file("hit.txt", 7), failing_test(size=9), short).result == HOLDS


def test_failures_of_several_values__share_their_rivals() -> None:
    claim = ask(
        file("a.txt", 4),
        file("b.txt", 4, decides="style", decision_value=5),
        failing_test("test:1", 3, decision_value=6),
        failing_test("test:2", 6),
    )
    assert [each for each in roles(claim) if each[0] == "displaced"] == [
        ("displaced", "test:1"),
        ("displaced", "test:2"),
    ]
    assert [each for each in roles(claim) if each[0] != "displaced"] == [
        ("in its place", "file:a.txt"),
        ("in its place", "file:b.txt"),
    ]


@pytest.mark.parametrize("word", LESSER_WORDS)
def test_what_a_task_merely_asks_for__is_lesser(word: str | None) -> None:
    assert ask(file("docs.md", 8, decides=word), failing_test(size=3)).result == FIRES
    assert ask(file("docs.md", 8, decides=word), failing_test(size=2)).result == HOLDS


def test_lesser_words__are_those_of_the_task() -> None:
    found = discover_proof("pytest a", {"a": Entry("a", EntryKind.FILE)}, "repository")
    assert {ASKED, found[0].candidate.decides, None} == set(LESSER_WORDS)

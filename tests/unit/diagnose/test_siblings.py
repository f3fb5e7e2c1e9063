"""Provenance, precedence, the budget, and policy shown twice: each alone."""

from __future__ import annotations

from typing import Any

import pytest

from assembler.diagnose.claim import FIRES, HOLDS, NOT_CHECKED, Claim
from assembler.diagnose.siblings import find_overdrawn
from assembler.diagnose.trace import Trace
from tests.builders.inventories import inventory_value, item
from tests.builders.traces import (
    claim_of,
    diagnose_value,
    failing_test,
    file,
    firing,
    instruction,
    roles,
)

ADDRESS = {"source_id": "s", "version": "1", "line_start": 1, "line_end": 1}
TEXT = {"text": "# Rules\n"}


def ask(code: str, *candidates: dict[str, Any], **members: Any) -> Claim:
    return claim_of(diagnose_value(inventory_value(*candidates, **members)), code)


def test_evidence_without_any_provenance__is_named() -> None:
    claim = ask("ASM405", item("a"), file("b.py"))
    assert claim.result == FIRES
    assert roles(claim) == [("without provenance", "a")]


@pytest.mark.parametrize(
    "members",
    [{"source": "s"}, {"revision": "r"}, {"discovered_by": "d"}, {"address": ADDRESS}],
)
def test_evidence_with_any_provenance__is_fine(members: dict[str, Any]) -> None:
    assert ask("ASM405", item("a", **members)).result == HOLDS


def test_provenance__is_asked_of_what_is_in() -> None:
    assert ask("ASM405", item("a", 99)).result == HOLDS


def test_lower_authority__over_a_higher_one_that_decides_the_same() -> None:
    said = item("said", 8, trust="untrusted", decides="cause", source="s", kind="issue")
    seen = failing_test(size=3, decides="cause")
    claim = ask("ASM406", said, seen)
    assert roles(claim) == [("lower authority", "said"), ("higher authority", "test:1")]
    assert ask("ASM406", said, {**seen, "decides": "another"}).result == HOLDS
    assert ask("ASM406", said, failing_test(size=2, decides="cause")).result == HOLDS


def test_higher_authority__that_may_not_enter_is_not_passed_over() -> None:
    said = item("said", 8, trust="untrusted", decides="cause", source="s")
    denied = failing_test(decides="cause", content={"absent": "denied", "rule": "x"})
    assert ask("ASM406", said, denied).result == HOLDS


def test_equal_authority__that_is_in_answers_for_what_is_out() -> None:
    seen = [failing_test("test:1", 8, decides="cause"), failing_test("test:2", 3, decides="cause")]
    said = item("said", 1, trust="untrusted", decides="cause", source="s")
    assert ask("ASM406", said, *seen).result == HOLDS
    assert ask("ASM406", {**said, "kind": "zzz"}, *seen).result == HOLDS


def conflict(**members: Any) -> dict[str, Any]:
    facts = {"trust": "untrusted", "source": "s", "conflicts_with": ["test:1"], "kind": "issue"}
    return item("said", 1, **{**facts, **members})


def test_conflict__is_wrong_where_the_lower_one_is_in_alone_or_first() -> None:
    assert ask("ASM406", conflict(), failing_test(size=10)).result == FIRES
    first = ask("ASM406", conflict(), failing_test())
    assert first.detail == "said (untrusted) stands before test:1 (observed)"
    assert ask("ASM406", conflict(kind="zzz"), failing_test()).result == HOLDS


def test_conflict__declared_by_both_is_told_once_and_between_equals_never() -> None:
    both = ask("ASM406", conflict(), failing_test(conflicts_with=["said"]))
    assert len(both.proofs) == 2
    assert both.detail.count("stands before") == 1
    assert ask("ASM406", conflict(trust="observed"), failing_test()).result == HOLDS


def test_conflict__with_policy_that_is_in_is_data_behind_it() -> None:
    rules = instruction("AGENTS.md")
    assert ask("ASM406", conflict(conflicts_with=["policy:AGENTS.md"]), rules).result == HOLDS


def adapter(max_output: int) -> dict[str, Any]:
    return {"name": "openai-chat", "model": "m", "max_output": max_output}


@pytest.mark.parametrize(("max_output", "result"), [(4, HOLDS), (5, FIRES)])
def test_output__that_no_room_was_kept_for(max_output: int, result: str) -> None:
    value = inventory_value(file("a.py", 6), adapter=adapter(max_output))
    value["candidates"].append(task_item())
    value["budget"]["window"] = 12
    value["budget"]["reserves"] = {"observations": 1}
    diagnosis = diagnose_value(value)
    assert claim_of(diagnosis, "ASM407").result == result
    assert firing(diagnosis) == (["budget-overdrawn"] if result == FIRES else [])


def task_item() -> dict[str, Any]:
    return item("o", 1, kind="task", section="task", trust="authorized")


def test_output__inside_its_reserve_is_no_overdraft() -> None:
    value = inventory_value(file("a.py", 5), task_item(), adapter=adapter(4))
    value["budget"]["reserves"] = {"response": 4}
    assert claim_of(diagnose_value(value), "ASM407").result == HOLDS


def test_output__is_compared_in_its_own_unit_alone() -> None:
    value = inventory_value(file("a.py", 9), adapter=adapter(900))
    value["budget"]["unit"] = "byte"
    value["candidates"][0]["size"]["unit"] = "byte"
    assert claim_of(diagnose_value(value), "ASM407").result == HOLDS


def test_total_over_the_envelope__fires_where_somebody_hands_in_such_figures() -> None:
    budget = {"unit": "token", "total": 11, "envelope": 10, "window": 10, "reserves": {}}
    trace = Trace(items=(), budget=budget, revision=None, max_output=None)
    assert find_overdrawn(trace).detail == "11 tokens over an envelope of 10"
    full = Trace(items=(), budget={**budget, "total": 10}, revision=None, max_output=None)
    assert find_overdrawn(full).result == HOLDS


def test_policy__that_is_required_as_evidence_too_is_twice_in() -> None:
    rules = instruction("AGENTS.md", content=TEXT)
    copy = file("AGENTS.md", content=TEXT)
    claim = ask("ASM408", rules, copy, required=("policy:AGENTS.md", "file:AGENTS.md"))
    assert roles(claim) == [("again", "file:AGENTS.md"), ("resident", "policy:AGENTS.md")]
    assert ask("ASM408", rules, copy, required=("policy:AGENTS.md",)).result == HOLDS


def test_part_of_policy__at_its_revision_is_twice_in() -> None:
    rules = instruction("AGENTS.md", revision="r42")
    part = "AGENTS.md#L1-L1"
    assert ask("ASM408", rules, file(part)).result == FIRES
    assert ask("ASM408", rules, file(part, revision="r43")).result == HOLDS
    assert ask("ASM408", rules, file("b.md")).result == HOLDS


def test_instructions_among_the_evidence__are_not_their_own_double() -> None:
    assert ask("ASM408", item("rules", kind="instruction", scope=".")).result == HOLDS


def test_policy_twice__is_not_checked_without_policy() -> None:
    assert ask("ASM408", file("AGENTS.md")).result == NOT_CHECKED

"""`required_local_policy_missing`: what the rows prove, and what they leave open."""

from __future__ import annotations

from typing import Any

import pytest

from assembler.diagnose.claim import FIRES, HOLDS, NOT_CHECKED, Claim
from tests.builders.inventories import inventory_value, item
from tests.builders.traces import claim_of, diagnose_value, failing_test, file, instruction, roles

LOCAL = "policy:packages/parser/AGENTS.md"
SOURCE = "packages/parser/src/tokenize.ts"
DIGEST = "a" * 64


def ask(*candidates: dict[str, Any], **members: Any) -> Claim:
    return claim_of(diagnose_value(inventory_value(*candidates, **members)), "ASM401")


def lost(**members: Any) -> dict[str, Any]:
    """The local instructions, too large for any window here."""
    return instruction("packages/parser/AGENTS.md", 99, **members)


def test_instructions_that_apply_and_are_out__fire() -> None:
    claim = ask(file(SOURCE), lost())
    assert claim.result == FIRES
    assert roles(claim) == [("missing", LOCAL), ("applies to", f"file:{SOURCE}")]
    assert claim.detail == f"{LOCAL} is not in (budget-exceeded), applies to file:{SOURCE}"


@pytest.mark.parametrize(
    ("members", "why"),
    [
        ({"size": 99}, "budget-exceeded"),
        ({"decision_value": 0}, "no-decision-value"),
        ({"content": {"absent": "turned-away", "code": "chain-lost", "where": "x"}}, "chain-lost"),
        ({"content": {"absent": "denied", "rule": "host-deny:*"}}, "access-denied"),
        ({"content": {"absent": "unreadable"}}, "content-absent"),
        ({"lineage": ["sealed"]}, "sealed-lineage"),
        ({"freshness": [{"source": "x", "seen": DIGEST, "current": "b" * 64}]}, "stale"),
    ],
)
def test_any_loss__is_one(members: dict[str, Any], why: str) -> None:
    local = instruction("packages/parser/AGENTS.md", **members)
    claim = ask(file(SOURCE), local, seal={"lineage": ["sealed"]})
    assert claim.result == FIRES
    assert f"({why})" in claim.detail


@pytest.mark.parametrize(
    "code",
    ["override-hides", "other-name-used", "same-file-twice", "blank", "wrong-case-name"],
)
def test_file_that_the_rules_pass_over__is_not_due(code: str) -> None:
    content = {"absent": "turned-away", "code": code, "where": "x"}
    assert ask(file(SOURCE), lost(content=content)).result == HOLDS


def test_instructions_of_another_time__are_not_due() -> None:
    old = lost(valid_to="2026-01-01")
    assert ask(file(SOURCE), old, task={"as_of": ["2026-06-01"]}).result == HOLDS


def test_file_of_another_folder__is_not_below() -> None:
    assert ask(file("packages/web/x.ts"), lost()).result == HOLDS
    assert ask(file("packages/parser2/x.ts"), lost()).result == HOLDS


def test_folder_that_no_row_names__is_not_checked() -> None:
    claim = ask(failing_test(), lost())
    assert claim.result == NOT_CHECKED
    assert LOCAL in claim.detail


def test_scope_that_nobody_told__is_not_checked() -> None:
    unknown = item("team rules", 99, kind="instruction", section="policy", trust="authorized")
    unknown["id"] = "https://rules.example/team"
    claim = ask(file(SOURCE), unknown)
    assert claim.result == NOT_CHECKED


def test_no_instructions_at_all__are_not_checked() -> None:
    assert ask(file(SOURCE)).result == NOT_CHECKED


def test_root_and_user_instructions__apply_to_everything() -> None:
    for scope in ("/", "."):
        claim = ask(failing_test(), instruction("AGENTS.md", 99, scope=scope))
        assert claim.result == FIRES
        assert roles(claim)[1] == ("applies to", "test:1")


def test_run_without_evidence__is_about_no_folder() -> None:
    assert ask(lost(), instruction("AGENTS.md", 99)).result == HOLDS


def test_edit_target__counts_also_where_it_is_out() -> None:
    target = file(SOURCE, 99, decides="edit target")
    assert ask(target, lost(), failing_test()).result == FIRES
    assert ask(file(SOURCE, 99), lost(), failing_test()).result == NOT_CHECKED


@pytest.mark.parametrize("sealed", [True, False])
def test_target_that_may_not_enter__is_no_work(sealed: bool) -> None:
    members: dict[str, Any] = (
        {"lineage": ["s"]} if sealed else {"content": {"absent": "denied", "rule": "x"}}
    )
    target = file(SOURCE, decides="edit target", **members)
    claim = ask(target, lost(), failing_test(), seal={"lineage": ["s"]})
    assert claim.result == NOT_CHECKED


def test_scope_and_sources_of_a_summary__say_where_it_is() -> None:
    facts = {"kind": "summary", "trust": "derived", "discovered_by": "index"}
    same = [{"source": f"{SOURCE}#L1-L2", "seen": DIGEST, "current": DIGEST}]
    for more in (
        {"scope": "packages/parser"},
        {"freshness": same},
        {"lineage": [f"file:{SOURCE}"]},
    ):
        assert ask(item("summary:1", **facts, **more), lost()).result == FIRES


def test_instructions_under_another_name__are_in() -> None:
    text = {"text": "one text"}
    copy = file("docs/copy.md", content=text)
    assert ask(file(SOURCE), lost(content=text), copy).result == HOLDS


def test_whole_file_among_the_evidence__shows_the_instructions() -> None:
    content = {"absent": "turned-away", "code": "chain-lost", "where": "x"}
    path = "packages/parser/AGENTS.md"
    assert ask(file(SOURCE), lost(content=content), file(path)).result == HOLDS
    assert ask(file(SOURCE), lost(content=content), file(f"{path}#L1-L2")).result == FIRES


def test_newer_reading_of_the_instructions__stands_for_them() -> None:
    again = instruction("packages/parser/AGENTS.md", replaces=[LOCAL], content={"text": "new"})
    again["id"] = "policy:again"
    assert ask(file(SOURCE), lost(), again).result == HOLDS


def test_instruction_file_among_the_evidence__is_one() -> None:
    claim = ask(file(SOURCE), file("packages/parser/AGENTS.md", 99))
    assert roles(claim)[0] == ("missing", "file:packages/parser/AGENTS.md")
    fallback = [instruction("RULES.md"), file("packages/parser/RULES.md", 99)]
    assert ask(file(SOURCE), *fallback).result == FIRES


def test_instruction_file_among_the_evidence__that_is_not_there_hides_nothing() -> None:
    absent = file("packages/parser/AGENTS.md", content={"absent": "unreadable"})
    assert ask(file(SOURCE), absent, instruction("AGENTS.md")).result == HOLDS


def test_instruction_file__is_no_work_by_itself() -> None:
    only = file("packages/parser/AGENTS.md", 99, decides="proof")
    assert ask(file("a.py"), only, instruction("AGENTS.md")).result == HOLDS


def test_hidden_file__is_not_missed_among_the_evidence_either() -> None:
    content = {"absent": "turned-away", "code": "override-hides", "where": "x"}
    hit = file("packages/parser/AGENTS.md", decision_value=0)
    override = instruction("packages/parser/AGENTS.override.md")
    assert ask(file(SOURCE), lost(content=content), hit, override).result == HOLDS


def test_evidence_that_contradicts_policy__proves_it_without_a_folder() -> None:
    opponent = failing_test(conflicts_with=[LOCAL])
    claim = ask(opponent, lost())
    assert roles(claim) == [("missing", LOCAL), ("contradicted by", "test:1")]
    unknown = ask(opponent)
    assert unknown.result == FIRES
    assert unknown.proofs[0].item is None
    assert "not offered" in unknown.detail
    twice = ask(failing_test(conflicts_with=[LOCAL, "packages/parser/AGENTS.md"]))
    assert len(twice.proofs) == 2


def test_evidence_that_contradicts_policy_which_is_in__is_fine() -> None:
    inside = instruction("packages/parser/AGENTS.md")
    assert ask(failing_test(conflicts_with=[LOCAL]), inside).result == HOLDS


def test_source_of_a_summary__proves_that_instructions_exist() -> None:
    path = "packages/parser/AGENTS.md"
    freshness = [{"source": path, "seen": DIGEST, "current": DIGEST}]
    summary = item("summary:1", kind="summary", trust="derived", freshness=freshness)
    claim = ask(file(SOURCE), summary)
    assert claim.result == FIRES
    assert roles(claim) == [
        ("missing", path),
        ("applies to", f"file:{SOURCE}"),
        ("made from it", "summary:1"),
    ]
    assert ask(file(SOURCE), summary, {**summary, "id": "summary:2"}).detail == claim.detail
    assert ask(file(SOURCE), summary, instruction(path)).result == HOLDS
    gone = {**summary, "freshness": [{**freshness[0], "current": None}]}
    assert ask(file(SOURCE), gone).result == NOT_CHECKED


def test_each_missing_file__is_named_once() -> None:
    both = [lost(), instruction("packages/AGENTS.md", 99), file("packages/parser/AGENTS.md", 99)]
    claim = ask(file(SOURCE), *both)
    assert [proof.id for proof in claim.proofs if proof.role == "missing"] == [
        "policy:packages/AGENTS.md",
        LOCAL,
    ]

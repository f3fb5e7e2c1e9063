"""Selection on its edges: exactly full, one over, empty; and what decides among candidates."""

from __future__ import annotations

import pytest

from assembler.errors import (
    BudgetUnsatisfiableError,
    RequiredMissingError,
    RequiredRejectedError,
    SizeUndeclaredError,
)
from assembler.model.decision import Rejected, Selected
from tests.builders.inventories import compile_value, inventory_value, item, measured, reasons


def test_empty__nothing_offered_is_a_package() -> None:
    package = compile_value(inventory_value(window=0))
    assert package.selection.decisions == ()
    assert package.selection.budget.total == 0
    assert package.ledger_bytes == b""


def test_budget__exactly_full_fits_and_one_over_does_not() -> None:
    full = compile_value(inventory_value(item("a", 6), item("b", 4), window=10))
    assert reasons(full) == {"a": "fits", "b": "fits"}
    assert full.selection.budget.slack == 0
    over = compile_value(inventory_value(item("a", 6), item("b", 5), window=10))
    assert reasons(over) == {"a": "fits", "b": "budget-exceeded"}
    (decision,) = [d for d in over.selection.decisions if isinstance(d, Rejected)]
    assert decision.detail == {"cost": 5, "used_before": 6, "would_be": 11, "limit": 10}
    assert decision.cost == 5


def test_optional__trial_goes_on_past_one_that_does_not_fit() -> None:
    package = compile_value(inventory_value(item("a", 6), item("b", 9), item("c", 4), window=10))
    assert reasons(package) == {"a": "fits", "b": "budget-exceeded", "c": "fits"}


def test_required__exactly_full_is_made_and_one_over_refuses() -> None:
    value = inventory_value(item("a", 6), item("b", 4), window=10, required=("a", "b"))
    assert compile_value(value).selection.budget.used == 10
    value["budget"]["window"] = 9
    with pytest.raises(BudgetUnsatisfiableError) as caught:
        compile_value(value)
    assert caught.value.detail == {"required": 10, "limit": 9, "over": 1}
    assert "required 10 tokens exceed budget 9" in caught.value.message


def test_required__comes_before_optional_whatever_the_order() -> None:
    package = compile_value(inventory_value(item("a", 6), item("z", 5), window=10, required=("z",)))
    assert reasons(package) == {"a": "budget-exceeded", "z": "required"}


def test_residents__exactly_full_leave_no_room_and_one_over_refuses() -> None:
    value = inventory_value(
        item("policy", 10, section="policy", trust="authorized"),
        item("e", 1),
        window=10,
        required=("policy",),
    )
    package = compile_value(value)
    assert reasons(package) == {"policy": "required", "e": "budget-exceeded"}
    assert package.selection.budget.limit == 0
    value["budget"]["reserves"] = {"response": 1}
    with pytest.raises(BudgetUnsatisfiableError) as caught:
        compile_value(value)
    assert caught.value.code == "resident-unsatisfiable"
    assert caught.value.detail == {"resident": 10, "overhead": 0, "envelope": 9, "over": 1}


def test_required__never_offered_refuses_with_every_name() -> None:
    with pytest.raises(RequiredMissingError) as caught:
        compile_value(inventory_value(item("a"), required=("z", "y", "a")))
    assert caught.value.detail == {"ids": ["y", "z"]}


def test_required__sealed_refuses_and_names_list_and_lineage() -> None:
    value = inventory_value(
        item("a", lineage=["call-1", "call-2"]), required=("a",), seal={"calls": ["call-2"]}
    )
    with pytest.raises(RequiredRejectedError) as caught:
        compile_value(value)
    assert caught.value.detail == {
        "id": "a",
        "reason": "sealed-lineage",
        "detail": {"list": "calls", "lineage": ["call-2"]},
    }


def test_seal__own_id_in_lineage_list_alone_seals_nothing() -> None:
    package = compile_value(inventory_value(item("a"), seal={"lineage": ["a"]}))
    assert reasons(package) == {"a": "fits"}


def test_value_zero__is_out_although_there_is_room() -> None:
    package = compile_value(inventory_value(item("a", decision_value=0), window=100))
    assert reasons(package) == {"a": "no-decision-value"}


def test_duplicate__enters_once_and_names_its_twin() -> None:
    same = {"content": {"text": "same"}}
    package = compile_value(inventory_value(item("b", **same), item("a", **same)))
    assert reasons(package) == {"a": "fits", "b": "duplicate-content"}
    assert package.rows[1]["detail"] == {"as": "a"}


def test_resident__equal_content_is_not_retrieved_twice() -> None:
    same = {"content": {"text": "same"}}
    package = compile_value(
        inventory_value(
            item("p", section="policy", trust="authorized", **same),
            item("e", **same),
            required=("p",),
        )
    )
    assert reasons(package) == {"p": "required", "e": "already-resident"}


def test_group__enters_whole_or_not_at_all() -> None:
    group = {"group": "both"}
    fits = compile_value(inventory_value(item("a", 5, **group), item("b", 5, **group), window=10))
    assert reasons(fits) == {"a": "fits", "b": "fits"}
    over = compile_value(inventory_value(item("a", 5, **group), item("b", 6, **group), window=10))
    assert reasons(over) == {"a": "budget-exceeded", "b": "budget-exceeded"}
    assert over.rows[0]["detail"]["cost"] == 11
    broken = compile_value(
        inventory_value(item("a", 5, **group), item("b", 5, decision_value=0, **group))
    )
    assert reasons(broken) == {"a": "group-incomplete", "b": "no-decision-value"}
    assert broken.rows[0]["detail"] == {"group": "both", "missing": ["b"]}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (["2025-12-31"], {"v1": "fits", "v2": "not-valid-then"}),
        (["2026-01-01"], {"v1": "not-valid-then", "v2": "fits"}),
        (["2025-12-31", "2026-01-01"], {"v1": "fits", "v2": "fits"}),
    ],
)
def test_validity__is_half_open(asked: list[str], expected: dict[str, str]) -> None:
    package = compile_value(
        inventory_value(
            item("v1", valid_from="2025-01-01", valid_to="2026-01-01"),
            item("v2", valid_from="2026-01-01"),
            task={"as_of": asked},
        )
    )
    assert reasons(package) == expected


def test_expiry__holds_from_the_moment_itself() -> None:
    expires = {"expires_at": "2026-09-14T00:00:00Z"}
    value = inventory_value(item("a", **expires), task={"now": "2026-09-14T00:00:00Z"})
    assert reasons(compile_value(value)) == {"a": "expired"}
    value["task"]["now"] = "2026-09-13T23:59:59Z"
    assert reasons(compile_value(value)) == {"a": "fits"}


def test_turned_away__is_a_row_with_its_code_and_place() -> None:
    away = {"absent": "turned-away", "code": "tool-new", "where": "index/write_file"}
    package = compile_value(inventory_value(item("a", content=away)))
    assert reasons(package) == {"a": "turned-away"}
    row = package.rows[0]
    assert row["detail"] == {"code": "tool-new", "where": "index/write_file"}
    assert row["states"]["eligible"] is False
    assert row["access"] == "granted"
    assert row["content_sha256"] is None


def test_size__undeclared_refuses_only_when_it_is_needed() -> None:
    unsized = {"size": None}
    with pytest.raises(SizeUndeclaredError):
        compile_value(inventory_value(item("a", **unsized)))
    package = compile_value(inventory_value(item("a", decision_value=0, **unsized)))
    assert reasons(package) == {"a": "no-decision-value"}


def test_measured__total_is_the_count_of_the_rendered_bytes() -> None:
    value = inventory_value(item("a"), item("b"), budget=measured(10_000))
    package = compile_value(value)
    assert package.selection.budget.total == len(package.rendering.data)
    exactly = package.selection.budget.total
    value["budget"]["window"] = exactly
    assert reasons(compile_value(value)) == {"a": "fits", "b": "fits"}
    value["budget"]["window"] = exactly - 1
    assert reasons(compile_value(value)) == {"a": "fits", "b": "budget-exceeded"}


def test_decision_value__orders_trials_and_not_the_input() -> None:
    value = inventory_value(
        item("a", 6, decision_value=1), item("b", 6, decision_value=9), window=6
    )
    value["order"] = "decision-value"
    package = compile_value(value)
    assert reasons(package) == {"a": "budget-exceeded", "b": "fits"}
    assert [decision.candidate.id for decision in package.selection.decisions] == ["a", "b"]


def test_nothing_vanishes__offered_is_selected_plus_rejected() -> None:
    value = inventory_value(*(item(str(n), n) for n in range(12)), window=20)
    decisions = compile_value(value).selection.decisions
    assert len(decisions) == 12
    selected = [d for d in decisions if isinstance(d, Selected)]
    assert sum(d.cost for d in selected) <= 20

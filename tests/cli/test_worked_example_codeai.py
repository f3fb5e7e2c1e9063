"""The context compiler of an applied-AI course, by its own figures, through the command line.

Selection, refusals and the record; identities and bytes are in the file beside this one.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from assembler.front.inventories import compile_inventory_file
from tests.builders.codeai import candidate, changed, declared, inventory, names, payload, selected
from tests.builders.command_line import CommandLine, package_of
from tests.builders.runs import compiled, events, rows_of, run

NAMED_ORDERS = ("ABCDE", "DACBE", "CBDAE", "BDACE")
ALL_ORDERS = ["".join(order) for order in itertools.permutations("ABCDE")]


@pytest.fixture
def assembler(plain: CommandLine) -> CommandLine:
    return plain


# Selection under a budget


def test_budget_16__selects_a_b_d_and_says_why_c_and_e_stay_out(assembler: CommandLine) -> None:
    document = compiled(assembler, inventory(16))
    assert selected(document) == ["A", "B", "D"]
    assert document["budget"]["total"] == 13
    rows = rows_of(document)
    assert rows["C"]["reason"] == "budget-exceeded"
    assert rows["C"]["detail"]["used_before"] == 13
    assert rows["C"]["detail"]["would_be"] == 18
    assert rows["C"]["detail"]["limit"] == 16
    assert rows["E"]["reason"] == "sealed-lineage"
    assert rows["E"]["detail"]["lineage"] == ["sibling-call"]


def test_budget_16__shows_the_sum_and_the_lineage_to_a_person(assembler: CommandLine) -> None:
    text = run(assembler, inventory(16)).text
    assert "Assembled 13 of 16 tokens (declared)." in text
    assert "13 + 5 = 18 > 16" in text
    assert "sealed-lineage: calls sibling-call" in text


def test_budget_100__selects_all_but_the_sealed_one(assembler: CommandLine) -> None:
    document = compiled(assembler, inventory(100))
    assert selected(document) == ["A", "B", "C", "D"]
    assert document["budget"]["total"] == 18
    assert rows_of(document)["E"]["reason"] == "sealed-lineage"


def test_seal__sees_declared_lineage_only(assembler: CommandLine) -> None:
    document = compiled(assembler, changed("candidates.E.lineage", [], inventory(100)))
    assert selected(document) == ["A", "B", "C", "D", "E"]
    assert document["budget"]["total"] == 25


def test_budget_8__is_exactly_filled_by_a_and_b(assembler: CommandLine) -> None:
    document = compiled(assembler, inventory(8))
    assert selected(document) == ["A", "B"]
    assert (document["budget"]["total"], document["budget"]["slack"]) == (8, 0)


def test_arithmetic__is_declared_without_overhead_and_the_manifest_says_so(
    assembler: CommandLine, tmp_path: Path
) -> None:
    document = compiled(assembler, inventory(16), "--out", str(tmp_path / "out"))
    manifest = json.loads((tmp_path / "out/manifest.json").read_bytes())
    assert manifest["counter"] == {"name": "declared", "library": None, "vocabulary_sha256": None}
    assert manifest["budget"]["overhead"] == 0
    assert document["counter"]["basis"] == "declared"
    costs = [row["cost"] for row in document["ledger"] if row["decision"] == "selected"]
    assert sum(costs) == document["budget"]["total"] == 13


# Arrival order


def assert_one_package(packages: list[dict[str, bytes]]) -> None:
    assert len(packages) > 1
    for package in packages:
        assert package == packages[0]
    manifest = json.loads(packages[0]["manifest.json"])
    rows = [json.loads(line) for line in packages[0]["ledger.jsonl"].splitlines()]
    assert [row["id"] for row in rows if row["decision"] == "selected"] == ["B", "D", "A"]
    assert manifest["budget"]["total"] == 13


def through_the_command_line(
    assembler: CommandLine, tmp_path: Path, orders: list[str]
) -> list[dict[str, bytes]]:
    packages = []
    for order in orders:
        compiled(assembler, inventory(order=order), "--out", str(tmp_path / order))
        packages.append(package_of(tmp_path / order))
    return packages


def test_order_of_supply__changes_no_byte_through_the_command_line(
    assembler: CommandLine, tmp_path: Path
) -> None:
    orders = [*NAMED_ORDERS, "EDCBA", "ECADB", "AEBDC", "DEABC"]
    assert_one_package(through_the_command_line(assembler, tmp_path, orders))


def test_order_of_supply__changes_no_byte_in_any_of_120_orders(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path / "home")}
    packages = []
    assert len(ALL_ORDERS) == len(set(ALL_ORDERS)) == 120
    for order in ALL_ORDERS:
        recorded = compile_inventory_file(
            None, json.dumps(inventory(order=order)).encode(), cwd=tmp_path, environment=environment
        )
        files = recorded.files
        del files["head.json"]
        packages.append(files)
    assert_one_package(packages)


@pytest.mark.long
def test_order_of_supply__changes_no_byte_in_any_of_120_orders_through_the_command_line(
    assembler: CommandLine, tmp_path: Path
) -> None:
    assert_one_package(through_the_command_line(assembler, tmp_path, ALL_ORDERS))


# Refusals


def refused(
    assembler: CommandLine, tmp_path: Path, value: dict[str, Any], *, code: str, event: str
) -> str:
    """Exit 3, its two events, no package; what was said."""
    out = tmp_path / "refused"
    result = run(assembler, value, "--out", str(out))
    assert result.code == 3, result.talk
    assert result.out == b""
    assert f"({code})" in result.talk
    assert names(assembler) == ["context.compilation_requested", event]
    assert not out.exists()
    (found,) = assembler("log", "-f", "json").json["runs"]
    assert found["package_id"] is None
    assert found["failure"]["code"] == code
    return result.talk


def test_required_10__does_not_fit_9_and_nothing_is_trimmed(
    assembler: CommandLine, tmp_path: Path
) -> None:
    value = changed("candidates.A.size", declared(5), inventory(9))
    value = changed("candidates.B.size", declared(5), value)
    talk = refused(
        assembler, tmp_path, value, code="budget-unsatisfiable", event="context.compilation_failed"
    )
    assert "required 10 tokens exceed budget 9" in talk
    assert "short by 1" in talk


def test_required_9__fits_9(assembler: CommandLine) -> None:
    value = changed("candidates.A.size", declared(5), inventory(9))
    assert compiled(assembler, value)["budget"]["slack"] == 0


def test_required_id__that_was_never_offered_is_named(
    assembler: CommandLine, tmp_path: Path
) -> None:
    talk = refused(
        assembler,
        tmp_path,
        inventory(required=["A", "B", "never-offered"]),
        code="required-missing",
        event="context.compilation_failed",
    )
    assert "never-offered" in talk


def test_required_id__that_is_sealed_is_refused_with_the_lineage(
    assembler: CommandLine, tmp_path: Path
) -> None:
    talk = refused(
        assembler,
        tmp_path,
        inventory(required=["A", "B", "E"]),
        code="required-rejected",
        event="context.compilation_failed",
    )
    assert "E is rejected: sealed-lineage" in talk
    assert "sibling-call" in talk


def test_ghost__fails_before_anything_is_prepared(assembler: CommandLine, tmp_path: Path) -> None:
    value = inventory(required=["A", "B", "ghost-artifact"])
    ghost = candidate("ghost-artifact", "artifact", "repository", "", 1)
    value["candidates"].append({**ghost, "content": {"absent": "unread"}})
    talk = refused(
        assembler,
        tmp_path,
        value,
        code="content-unresolved",
        event="context.preparation_failed",
    )
    assert "ghost-artifact" in talk
    failure = payload(assembler, events(assembler)[-1])
    # It got as far as selection: the selection has its identities, and no request has a hash.
    assert set(failure["detail"]) == {"id", "package_id", "trace_id"}
    assert run(assembler, value, "-f", "request").out == b""


# The record


def test_record__is_reopened_by_another_process_and_looking_adds_nothing(
    assembler: CommandLine, tmp_path: Path
) -> None:
    first = compiled(assembler, inventory(8), "--out", str(tmp_path / "first"))
    recorded = events(assembler)
    assert [event["event"] for event in recorded] == [
        "context.compilation_requested",
        "context.compiled",
    ]
    for look in (("log",), ("log", "1"), ("explain", "A", "--run", "1"), ("verify", "1")):
        assert assembler(*look).code == 0
    assert assembler("log", "1", "--files", str(tmp_path / "second")).code == 0
    again = assembler("log", "1", "-f", "json").json
    assert again["identities"] == first["identities"]
    assert again["ledger"] == first["ledger"]
    assert package_of(tmp_path / "second") == package_of(tmp_path / "first")
    heads = [(tmp_path / name / "head.json").read_bytes() for name in ("first", "second")]
    assert heads[0] == heads[1]
    assert json.loads(heads[0])["events"] == recorded
    assert events(assembler) == recorded


def test_request__holds_the_whole_offered_inventory_also_of_a_failed_run(
    assembler: CommandLine, tmp_path: Path
) -> None:
    compiled(assembler, inventory(16))
    assert run(assembler, inventory(7)).code == 3
    assert names(assembler) == [
        "context.compilation_requested",
        "context.compiled",
        "context.compilation_requested",
        "context.compilation_failed",
    ]
    recorded = events(assembler)
    for requested, window in ((recorded[0], 16), (recorded[2], 7)):
        offered = payload(assembler, requested)
        assert offered["budget"]["window"] == window
        assert offered["required"] == ["A", "B"]
        facts = {
            item["id"]: (item["size"]["value"], item["lineage"]) for item in offered["candidates"]
        }
        assert facts == {
            "A": (4, []), "B": (4, []), "C": (5, []), "D": (5, []), "E": (7, ["sibling-call"]),
        }  # fmt: skip
    assert recorded[1]["request"] == recorded[0]["event_sha256"]
    assert recorded[3]["request"] == recorded[2]["event_sha256"]
    failure = payload(assembler, recorded[3])
    assert failure["code"] == "budget-unsatisfiable"
    assert failure["inventory_sha256"] == recorded[2]["payload_sha256"]


# Sizes say what they are


def test_estimated_size__is_never_shown_as_a_declared_one(assembler: CommandLine) -> None:
    value = changed("candidates.D.size", declared(5, "estimated"))
    document = compiled(assembler, value)
    assert document["counter"]["basis"] == "estimated"
    bases = {name: row["cost_basis"] for name, row in rows_of(document).items()}
    assert bases == {
        "A": "declared", "B": "declared", "C": "declared", "D": "estimated", "E": None,
    }  # fmt: skip
    text = run(assembler, value).text
    assert "(declared, for 1 of the items estimated)" in text
    (line,) = [line for line in text.splitlines() if line.split()[:2] == ["in", "D"]]
    assert "~5" in line
    assert "estimated" in line
    assert assembler("log", "1", "-f", "json").json["counter"]["basis"] == "estimated"


def test_measured_size__is_shown_as_measured(assembler: CommandLine) -> None:
    value = changed("budget", {"unit": "byte", "counter": "utf8-bytes", "window": 10_000})
    document = compiled(assembler, value)
    assert document["counter"]["basis"] == "measured"
    assert {row["cost_basis"] for row in document["ledger"]} == {"measured", None}
    text = run(assembler, value).text
    assert "bytes (utf8-bytes, counted on the final text)" in text
    assert "declared" not in text

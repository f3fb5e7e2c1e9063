"""Laws of whole runs, over inventories with every fact, form, layout, counter and adapter."""

from __future__ import annotations

import json
import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from assembler.model.decision import Reason
from assembler.record.package import Package
from assembler.render.envelope import shown_revision
from assembler.render.reader import ReadItem, read_input
from assembler_verifier import verify_package
from tests.builders.vectors import Outcome, compile_run
from tests.property.inventories import ADAPTERS, CONTRACT, COUNTERS, LAYOUTS, TEXT, Case, cases

SETTINGS = settings(
    max_examples=80, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def run(case: Case) -> Outcome:
    return compile_run(case.value, repository=case.repository, objects=case.objects)


def packaged(case: Case) -> Package:
    package = run(case).package
    assume(package is not None)
    assert package is not None
    return package


def shuffled(value: Any, chance: random.Random) -> Any:
    """The same inventory with every set, and the candidates, in another order and with repeats."""
    if isinstance(value, dict):
        members = list(value.items())
        chance.shuffle(members)
        return {name: _shuffled_member(name, inner, chance) for name, inner in members}
    return value


SETS = {
    "as_of", "topics", "lineage", "replaces", "conflicts_with", "required", "events", "artifacts",
    "calls",
}  # fmt: skip


def _shuffled_member(name: str, value: Any, chance: random.Random) -> Any:
    if name in SETS and isinstance(value, list):
        repeated = [*value, *value[:1]]
        chance.shuffle(repeated)
        return repeated
    if name in ("candidates", "freshness"):
        items = [shuffled(item, chance) for item in value]
        chance.shuffle(items)
        return items
    return shuffled(value, chance)


@SETTINGS
@given(cases(), st.randoms(use_true_random=False))
def test_order_of_supply__changes_no_byte_of_any_file(case: Case, chance: random.Random) -> None:
    first = run(case)
    second = run(case._replace(value=shuffled(case.value, chance)))
    assert first.inventory_bytes == second.inventory_bytes
    assert first.failure == second.failure
    if first.package is not None:
        assert first.files == second.files


@SETTINGS
@given(cases())
def test_nothing_vanishes__offered_is_selected_plus_rejected_once_each(case: Case) -> None:
    outcome = run(case)
    assume(outcome.package is not None)
    rows = [json.loads(line) for line in outcome.files["ledger.jsonl"].splitlines()]
    offered = sorted(item["id"] for item in case.value["candidates"])
    selected = [row["id"] for row in rows if row["decision"] == "selected"]
    rejected = [row["id"] for row in rows if row["decision"] == "rejected"]
    assert sorted(selected + rejected) == offered
    assert len(rows) == len(offered)
    for row in rows:
        assert row["reason"] in set(Reason)
        assert row["states"]["selected"] == (row["id"] in selected)
        assert (row["span"] is not None) == row["states"]["rendered"] == (row["id"] in selected)


@SETTINGS
@given(cases(layouts=(TEXT,)))
def test_input__of_a_run_reads_back_as_what_was_selected(case: Case) -> None:
    package = packaged(case)
    expected = []
    for item in package.selection.selected:
        candidate = item.candidate
        shows_revision = candidate.section in ("evidence", "work") and candidate.revision
        expected.append(
            ReadItem(
                section=candidate.section,
                kind=candidate.kind,
                id=candidate.id,
                source=None if candidate.source == candidate.id else candidate.source,
                revision=shown_revision(candidate.revision or "") if shows_revision else None,
                trust=candidate.trust,
                content=package.objects[candidate.sha256 or ""],
            )
        )
    assert list(read_input(package.rendering.data)) == expected


def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    assert len(dict(pairs)) == len(pairs), "a member stands twice"
    return dict(pairs)


@SETTINGS
@given(cases(layouts=(CONTRACT,)))
def test_contract__of_a_run_holds_exactly_its_fields_and_quotes(case: Case) -> None:
    package = packaged(case)
    text = package.rendering.data.decode("utf-8")
    contract = json.loads(text, object_pairs_hook=distinct)
    assert list(contract) == ["template", "instruction", "example", "evidence", "question"]
    selected = [item.candidate for item in package.selection.selected]
    evidence = [item for item in selected if item.section == "evidence"]
    assert contract["evidence"] == [
        {
            **(item.address._asdict() if item.address is not None else {}),
            "quote": package.objects[item.sha256 or ""].decode("utf-8"),
        }
        for item in evidence
    ]
    for field, section, kind in (
        ("instruction", "policy", None), ("question", "task", "question"),
    ):  # fmt: skip
        held = [i for i in selected if i.section == section and kind in (None, i.kind)]
        quotes = [package.objects[item.sha256 or ""].decode("utf-8") for item in held]
        assert [contract[field]] == (quotes or [""])


@SETTINGS
@given(cases())
def test_package__holds_for_the_verifier_and_compiles_to_itself(case: Case) -> None:
    outcome = run(case)
    assume(outcome.package is not None)
    files = outcome.files
    with tempfile.TemporaryDirectory() as folder:
        lay_out(files, Path(folder))
        report = verify_package(Path(folder), exported_head=outcome.events[-1].event_sha256)
    assert report.failed == []
    assert report.of("passed")
    objects = {
        name.removeprefix("objects/"): data
        for name, data in files.items()
        if name.startswith("objects/")
    }
    again = compile_run(json.loads(files["inventory.json"]), objects=objects)
    assert again.files == files


def lay_out(files: dict[str, bytes], folder: Path) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)


@SETTINGS
@given(cases())
def test_refusal__has_a_failure_and_no_package(case: Case) -> None:
    outcome = run(case)
    assert (outcome.package is None) == (outcome.failure is not None)
    word = outcome.events[-1].event
    if outcome.failure is None:
        assert word == "context.compiled"
        return
    assert word in ("context.compilation_failed", "context.preparation_failed")
    assert set(json.loads(outcome.failure)) == {"schema", "inventory_sha256", "code", "detail"}


def test_strategies__reach_every_reason_layout_counter_adapter_and_form() -> None:
    """The laws above say nothing of what their inventories never hold."""
    reached: Counter[str] = Counter()

    @settings(SETTINGS, max_examples=450, database=None)
    @given(cases())
    def collect(case: Case) -> None:
        outcome = run(case)
        if outcome.package is None:
            assert outcome.failure is not None
            reached["refused"] += 1
            return
        reached["compiled"] += 1
        inventory = outcome.package.inventory
        reached.update([inventory.layout, inventory.budget.counter, inventory.adapter.name])
        reached.update({item.reason.value for item in outcome.package.selection.decisions})
        reached.update({entry.span.form for entry in outcome.package.rendering.items})
        reached.update("tool" for segment in outcome.package.request.segments if segment.at is None)

    collect()
    forms = ("inline", "block", "quoted", "escaped", "json-string", "json-object")
    wanted = [reason.value for reason in Reason]
    wanted += [*LAYOUTS, *COUNTERS, *ADAPTERS, *forms, "tool", "refused"]
    assert [name for name in wanted if reached[name] < 2] == []
    assert reached["compiled"] > 2 * reached["refused"]

"""Every format vector, compiled by the producer."""

from __future__ import annotations

import json

import pytest

from assembler.adapters.vocabulary import open_counter
from assembler.assess.normal_form import normalise
from assembler.config.inventory import parse_inventory
from assembler.model.candidate import Absent
from assembler.model.canonical import canonical_bytes, canonical_line
from assembler.model.decision import decision_word
from assembler.model.digest import sha256_hex
from assembler.pipeline import compile_inventory
from tests.builders.vectors import compile_vector, load_vector, vector_names


@pytest.mark.parametrize("name", vector_names())
def test_producer__gives_the_bytes_of_the_vector(name: str) -> None:
    vector = load_vector(name)
    expected = vector["expected"]
    outcome = compile_vector(vector)
    assert sha256_hex(outcome.inventory_bytes) == expected["inventory_sha256"]
    assert [event.to_json() for event in outcome.events] == expected["events"]
    if "failure" in expected:
        assert outcome.failure == canonical_line(expected["failure"])
        assert outcome.package is None
        return
    package = outcome.package
    assert package is not None, outcome.failure
    assert outcome.inventory_bytes == canonical_line(expected["normal_inventory"])
    assert [item.candidate.id for item in package.selection.selected] == expected["selected"]
    decisions = [
        {
            "id": decision.candidate.id,
            "decision": decision_word(decision),
            "reason": decision.reason.value,
            "detail": decision.detail,
            "cost": decision.cost,
        }
        for decision in package.selection.decisions
    ]
    assert decisions == expected["decisions"]
    manifest = package.manifest
    for member in (
        "budget",
        "rendered",
        "request",
        "sections",
        "segments",
        "objects",
        "package_id",
        "trace_id",
        "content_id",
        "ledger_sha256",
    ):
        assert manifest[member] == expected[member], member
    assert sha256_hex(package.manifest_bytes) == expected["manifest_sha256"]
    spans = [
        {"id": row["id"], "span": row["span"], "bound": row["bound"]}
        for row in package.rows
        if row["decision"] == "selected"
    ]
    assert spans == expected["spans"]
    assert outcome.events[-1].event_sha256 == expected["head"]
    texts = {
        "rendered_text": package.rendering.file_name,
        "request_text": "request.json",
        "ledger_text": "ledger.jsonl",
        "manifest_text": "manifest.json",
        "head_text": "head.json",
    }
    files = outcome.files
    for member, file_name in texts.items():
        if member in expected:
            assert files[file_name] == expected[member].encode(), member


PACKAGES = [name for name in vector_names() if "failure" not in load_vector(name)["expected"]]


@pytest.mark.parametrize("name", PACKAGES)
def test_producer__compiles_a_normal_form_to_the_same_package(name: str) -> None:
    first = compile_vector(load_vector(name))
    assert first.package is not None
    objects = dict(first.package.objects)
    inventory, contents = normalise(
        parse_inventory(json.loads(first.inventory_bytes)),
        read_path=lambda *_: Absent("unreadable"),
        read_object=objects.get,
    )
    again = compile_inventory(inventory, contents, lambda name: open_counter(name, None))
    assert again.inventory_bytes == first.inventory_bytes
    assert again.manifest_bytes == first.files["manifest.json"]
    assert canonical_bytes(again.rows) == canonical_bytes(first.package.rows)

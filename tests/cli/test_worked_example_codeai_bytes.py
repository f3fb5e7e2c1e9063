"""The context compiler of an applied-AI course: what names a selection, and what bytes it made."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from assembler.bind.request import require_carried
from assembler.errors import RequestError
from assembler.front.inventories import compile_inventory_file
from tests.builders.codeai import B, E, candidate, changed, declared, inventory, selected
from tests.builders.command_line import CommandLine
from tests.builders.runs import compiled, rows_of, run


@pytest.fixture
def assembler(plain: CommandLine) -> CommandLine:
    return plain


# Identities


def test_package_id__is_the_hash_of_what_was_selected_for_whom(assembler: CommandLine) -> None:
    document = compiled(assembler, inventory(16))
    identity = {
        "type": "assembler/package-id/1",
        "task": "review-1",
        "actor": "reviewer",
        "prompt": {"name": "review", "version": "1"},
        "objective": "A",
        "budget": {
            "unit": "token",
            "counter": "declared",
            "window": 16,
            "reserves": {},
            "overhead": 0,
        },
        "seal": {"events": [], "artifacts": [], "calls": ["sibling-call"], "lineage": []},
        "selected": ["A", "B", "D"],
    }
    package_id = digest(identity)
    assert document["identities"]["package_id"] == package_id
    told = ("id", "decision", "reason", "detail")
    decisions = [{name: row[name] for name in told} for row in document["ledger"]]
    trace = {
        "type": "assembler/trace-id/1",
        "package_id": package_id,
        "decisions": sorted(decisions, key=lambda row: row["id"]),
    }
    assert document["identities"]["trace_id"] == digest(trace)


def digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


MOVES = {
    "task": ("task.id", "review-2"),
    "actor": ("task.actor", "another"),
    "prompt name": ("task.prompt.name", "survey"),
    "prompt version": ("task.prompt.version", "2"),
    "objective id": ("task.objective", "A2"),
    "window": ("budget.window", 17),
    "reserve of nothing": ("budget.reserves", {"response": 0}),
    "sealed call": ("seal.calls", ["sibling-call", "another-call"]),
    "sealed event": ("seal.events", ["another-event"]),
    "sealed artifact": ("seal.artifacts", ["another-artifact"]),
    "sealed lineage": ("seal.lineage", ["another-lineage"]),
    "selection": ("candidates.D.size", declared(9)),
}
STAYS = {
    "objective text": ("candidates.A.content", {"text": "Review it again, in other words."}),
    "payload": ("candidates.B.content", {"text": "SOURCE-B: rewritten."}),
    "payload of what stays out": ("candidates.C.content", {"text": "{}"}),
    "source": ("candidates.B.source", "elsewhere"),
    "revision": ("candidates.B.revision", "r42"),
    "version": ("candidates.B.version", "2"),
    "finder": ("candidates.B.discovered_by", "index"),
    "observation time": ("candidates.A.observed_at", "2026-09-14T00:00:00Z"),
    "trust": ("candidates.D.trust", "untrusted"),
    "smaller size": ("candidates.D.size", declared(4)),
    "size of what stays out": ("candidates.C.size", declared(6)),
    "size of what is sealed": ("candidates.E.size", declared(1)),
    "reference time": ("task.now", "2026-09-14T00:00:00Z"),
}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("original")
    return compiled(CommandLine(cwd=folder, home=folder / "home"), inventory())


@pytest.mark.parametrize(("path", "value"), MOVES.values(), ids=MOVES)
def test_package_id__moves_with_each_of_its_fields_alone(
    assembler: CommandLine, original: Any, path: str, value: Any
) -> None:
    document = compiled(assembler, changed(path, value))
    assert document["identities"]["package_id"] != original["identities"]["package_id"]
    assert document["identities"]["trace_id"] != original["identities"]["trace_id"]
    assert (selected(document) == ["A", "B", "D"]) == (path != "candidates.D.size")


@pytest.mark.parametrize(("path", "value"), STAYS.values(), ids=STAYS)
def test_package_id__stays_with_all_else(
    assembler: CommandLine, original: Any, path: str, value: Any
) -> None:
    document = compiled(assembler, changed(path, value))
    assert document["identities"]["package_id"] == original["identities"]["package_id"]
    # Sizes stand in the arithmetic of a reason, so they may move the trace.
    if not path.endswith("size"):
        assert document["identities"]["trace_id"] == original["identities"]["trace_id"]


def test_changed_size__moves_the_trace_and_never_the_selection_identity(
    assembler: CommandLine, original: Any
) -> None:
    document = compiled(assembler, changed("candidates.D.size", declared(4)))
    assert document["identities"]["package_id"] == original["identities"]["package_id"]
    assert document["identities"]["trace_id"] != original["identities"]["trace_id"]


def test_payload__rewritten_under_the_same_id_is_told_by_its_hash_alone(
    assembler: CommandLine, original: Any
) -> None:
    document = compiled(assembler, changed("candidates.B.content", {"text": "SOURCE-B: new."}))
    for name in ("package_id", "trace_id"):
        assert document["identities"][name] == original["identities"][name]
    before, after = rows_of(original), rows_of(document)
    differing = [i for i in before if before[i]["content_sha256"] != after[i]["content_sha256"]]
    assert differing == ["B"]
    assert document["identities"]["content_id"] != original["identities"]["content_id"]
    for name in ("rendered", "request"):
        assert document[name]["sha256"] != original[name]["sha256"]


# States, rendering and binding


def test_states__say_how_far_each_came(assembler: CommandLine) -> None:
    rows = rows_of(compiled(assembler, inventory(16)))
    steps = ("available", "eligible", "selected", "rendered", "bound")
    reached = {name: [row["states"][step] for step in steps] for name, row in rows.items()}
    assert reached == {
        "A": [True] * 5,
        "B": [True] * 5,
        "C": [True, True, False, False, False],
        "D": [True] * 5,
        "E": [True, False, False, False, False],
    }
    assert {row["states"]["received"] for row in rows.values()} == {"not-observable"}


def test_b__stands_in_the_request_at_its_recorded_offsets(
    assembler: CommandLine, tmp_path: Path
) -> None:
    document = compiled(assembler, inventory(16), "--out", str(tmp_path / "out"))
    row = rows_of(document)["B"]
    assert len(B.encode()) == 86
    assert B.startswith("SOURCE-B:")
    text = json.loads((tmp_path / "out/request.json").read_bytes())
    assert row["bound"]["pointer"] == "/text"
    bound = text["text"].encode()[row["bound"]["start"] : row["bound"]["end"]]
    rendered = (tmp_path / "out/input.txt").read_bytes()
    assert bound == B.encode()
    assert rendered[row["span"]["body_start"] : row["span"]["body_end"]] == B.encode()
    assert row["content_sha256"] == hashlib.sha256(B.encode()).hexdigest()


def test_each_rendered_item__has_kind_id_hash_and_place(
    assembler: CommandLine, tmp_path: Path
) -> None:
    document = compiled(assembler, inventory(16), "--out", str(tmp_path / "out"))
    rendered = (tmp_path / "out/input.txt").read_bytes()
    for name in selected(document):
        row = rows_of(document)[name]
        item = rendered[row["span"]["start"] : row["span"]["end"]].decode()
        digest_words = row["content_sha256"][:8]
        assert item.startswith(f"[[{row['kind']} {name} {row['trust']} ")
        assert digest_words in item.partition("]]")[0]
    for section in document["sections"]:
        part = rendered[section["start"] : section["end"]].decode()
        assert part.startswith("[[")
    sections = {section["section"]: section for section in document["sections"]}
    assert sections["evidence"]["items"] == 3
    for name, file in (("rendered", "input.txt"), ("request", "request.json")):
        data = (tmp_path / "out" / file).read_bytes()
        assert document[name]["sha256"] == hashlib.sha256(data).hexdigest()


def test_sealed_e__stands_nowhere_in_the_input_and_the_package_still_holds_it(
    assembler: CommandLine, tmp_path: Path
) -> None:
    compiled(assembler, inventory(100), "--out", str(tmp_path / "out"))
    for name in ("input.txt", "request.json"):
        data = (tmp_path / "out" / name).read_bytes()
        assert b"SIBLING-E" not in data
        assert b"sibling-call" not in data
        assert b"SOURCE-B" in data
    # A seal is no access control.
    kept = tmp_path / "out/objects" / hashlib.sha256(E.encode()).hexdigest()
    assert kept.read_bytes() == E.encode()


def test_body__that_lost_b_or_gained_e_is_refused_before_any_send(tmp_path: Path) -> None:
    recorded = compile_inventory_file(
        None,
        json.dumps(inventory()).encode(),
        cwd=tmp_path,
        environment={"HOME": str(tmp_path / "home")},
    )
    package = recorded.package
    honest = package.request.body
    for body in (
        honest.replace(B.encode(), b""),
        honest.replace(B.encode(), B.encode() + E.encode()),
        honest[:-1] + b',"more":1}',
    ):
        assert body != honest
        with pytest.raises(RequestError) as caught:
            require_carried(
                package.request._replace(body=body),
                package.rendering,
                adapter=package.inventory.adapter,
                contents=package.objects,
            )
        assert caught.value.code == "request-mismatch"


def test_control__sends_exactly_instruction_and_query(assembler: CommandLine) -> None:
    value = inventory(layout="control/1", required=[])
    value["candidates"] += [
        candidate("instruction", "instruction", "authorized", "Use the source.", 3)
        | {"section": "policy"},
        candidate("query", "question", "authorized", "When was it opened?", 3)
        | {"section": "task"},
    ]
    body = json.loads(run(assembler, value, "-f", "request").out)
    assert body == {"text": "Use the source.\n\nWhen was it opened?"}
    assert run(assembler, value, "-f", "input").out.decode() == body["text"]

"""The worked example of a context compiler: five pieces of material with declared sizes.

A the objective's event, B an artifact, C an event, D a claim, E an artifact that another call
made; a seal forbids what that other call made.
"""

from __future__ import annotations

import copy
import json
from typing import Any

from assembler.adapters.store import Store
from tests.builders.command_line import CommandLine
from tests.builders.runs import events

A = '{"event":"objective","text":"Review the paragraph using its source."}'
B = "SOURCE-B: the ledger was opened on 4 March, before the first audit question was filed."
C = '{"event":"observation","text":"The paragraph was edited twice."}'
D = '{"claim":"The ledger predates the audit.","evidence":["B"]}'
E = "SIBLING-E: conclusion of the other call."


def declared(value: int, basis: str = "declared") -> dict[str, Any]:
    return {"value": value, "unit": "token", "basis": basis}


def candidate(
    identifier: str, kind: str, trust: str, text: str, size: int, **members: Any
) -> dict[str, Any]:
    return {
        "id": identifier,
        "kind": kind,
        "section": "evidence",
        "trust": trust,
        "content": {"text": text},
        "size": declared(size),
        **members,
    }


def inventory(window: int = 16, order: str = "ABCDE", **members: Any) -> dict[str, Any]:
    offered = {
        "A": candidate("A", "event", "observed", A, 4),
        "B": candidate("B", "artifact", "repository", B, 4),
        "C": candidate("C", "event", "observed", C, 5),
        "D": candidate("D", "claim", "derived", D, 5),
        "E": candidate("E", "artifact", "repository", E, 7, lineage=["sibling-call"]),
    }
    return {
        "schema": "assembler/inventory/1",
        "task": {
            "id": "review-1",
            "actor": "reviewer",
            "prompt": {"name": "review", "version": "1"},
            "objective": "A",
        },
        "budget": {"unit": "token", "counter": "declared", "window": window},
        "seal": {"calls": ["sibling-call"]},
        "required": ["A", "B"],
        "candidates": [offered[name] for name in order],
        **members,
    }


def changed(path: str, value: Any, base: dict[str, Any] | None = None) -> dict[str, Any]:
    """The inventory with one member set; `path` names it by dots, a candidate by its id."""
    whole = copy.deepcopy(base or inventory())
    *steps, last = path.split(".")
    place: Any = whole
    for step in steps:
        if isinstance(place, list):
            place = next(item for item in place if item["id"] == step)
        else:
            place = place.setdefault(step, {})
    place[last] = value
    return whole


def selected(document: Any) -> list[str]:
    return sorted(row["id"] for row in document["ledger"] if row["decision"] == "selected")


def names(assembler: CommandLine) -> list[str]:
    return [event["event"] for event in events(assembler)]


def payload(assembler: CommandLine, event: Any) -> Any:
    """What the record keeps of an event, read by another reader than the command."""
    with Store(assembler.home / ".local/state/assembler") as store:
        data = store.read_object(event["payload_sha256"])
    assert data is not None
    return json.loads(data)

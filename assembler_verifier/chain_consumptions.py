"""The rules of consumptions in a chain.

A payload that is missing or altered is passed over, because another check names it.
Rules: FORMATS 9.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from assembler_verifier import schema
from assembler_verifier.events import COMPILED, CONSUMED, name_of, text_member
from assembler_verifier.inventory_schema import ID, TEXT
from assembler_verifier.payloads import Payloads
from assembler_verifier.record_shapes import shape_problem
from assembler_verifier.report import printable
from assembler_verifier.strict_json import JsonObject

CONSUMPTION_SCHEMA = "assembler/consumption/1"

_CONSUMPTION = schema.exact(
    {
        "schema": schema.word(CONSUMPTION_SCHEMA),
        "compiled": schema.digest,
        "id": ID,
        "decision": TEXT,
    }
)


@dataclass(frozen=True, slots=True)
class Consumptions:
    """What is wrong with the consumptions of a chain, and what could not be told."""

    problems: list[str] = field(default_factory=list)
    not_visible: list[str] = field(default_factory=list)
    untold: list[str] = field(default_factory=list)


def judge_consumptions(events: Sequence[JsonObject], store: Payloads) -> Consumptions:
    """Look whether each names an earlier run, a candidate of it, and one that was rendered."""
    found = Consumptions()
    compiled: dict[str, JsonObject] = {}
    for number, event in enumerate(events, 1):
        own_hash = text_member(event, "event_sha256")
        if name_of(event) == COMPILED and own_hash is not None:
            compiled[own_hash] = event
        payload = store.members(event)
        if name_of(event) != CONSUMED or payload is None:
            continue
        problem = shape_problem(_CONSUMPTION, payload, "payload")
        run = compiled.get(text_member(payload, "compiled") or "")
        if problem is None and run is None:
            problem = "it names no earlier compiled package"
        if problem is not None or run is None:
            found.problems.append(f"event {number}: {problem}")
        else:
            _judge(found, f"event {number}", payload, run, store)
    return found


def _judge(
    found: Consumptions, where: str, payload: JsonObject, run: JsonObject, store: Payloads
) -> None:
    name = text_member(payload, "id") or ""
    manifest = store.members(run)
    offered = None if manifest is None else store.candidate_ids(manifest)
    rendered = None if manifest is None else store.rendered_ids(manifest)
    if offered is not None and name not in offered:
        found.problems.append(f"{where}: {printable(name)} is no candidate of that package")
    elif rendered is None:
        found.untold.append(f"{where}: the ledger of its run is not at hand")
    elif name not in rendered:
        found.not_visible.append(f"{where}: {printable(name)} was not rendered in that run")

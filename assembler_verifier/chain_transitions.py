"""The rules of transitions in a chain.

A payload that is missing or altered is passed over, because another check names it.
Rules: FORMATS 9.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assembler_verifier import schema
from assembler_verifier.events import COMPILED, REQUESTED, TRANSITIONED, name_of, text_member
from assembler_verifier.inventory_schema import KIND_PATTERN, TEXT
from assembler_verifier.payloads import Payloads
from assembler_verifier.record_shapes import shape_problem
from assembler_verifier.strict_json import JsonObject

TRANSITION_SCHEMA = "assembler/transition/1"

_CHANGE = schema.exact(
    {
        "what": schema.pattern(KIND_PATTERN),
        "name": schema.anything,
        "old_sha256": schema.nullable(schema.digest),
        "new_sha256": schema.nullable(schema.digest),
    }
)
_TRANSITION = schema.exact(
    {
        "schema": schema.word(TRANSITION_SCHEMA),
        "from": schema.digest,
        "to": schema.digest,
        "changes": schema.array(_CHANGE),
        "reason": TEXT,
    }
)


def transition_problems(events: Sequence[JsonObject], store: Payloads) -> Iterator[str]:
    """What is wrong with the transitions of a chain."""
    nexts = _next_requests(events, store)
    compiled: dict[str, str] = {}
    for number, event in enumerate(events, 1):
        payload = store.members(event)
        if payload is None:
            continue
        if name_of(event) == COMPILED:
            inventory = text_member(payload, "inventory_sha256") or ""
            task = store.task(inventory)
            if task is not None:
                compiled[task] = inventory
        elif name_of(event) == TRANSITIONED:
            problem = shape_problem(_TRANSITION, payload, "payload")
            problem = problem or _changes_problem(payload)
            problem = problem or _ends_problem(payload, store, compiled, nexts.get(number))
            if problem is not None:
                yield f"event {number}: {problem}"


def _next_requests(events: Sequence[JsonObject], store: Payloads) -> dict[int, str]:
    """For each transition the inventory that its task requests next, before a further one."""
    nexts: dict[int, str] = {}
    coming: dict[str, str | None] = {}
    for number in range(len(events), 0, -1):
        event = events[number - 1]
        if name_of(event) == REQUESTED:
            digest = text_member(event, "payload_sha256") or ""
            task = store.task(digest)
            if task is not None:
                coming[task] = digest
        elif name_of(event) == TRANSITIONED:
            source = text_member(store.members(event) or {}, "from") or ""
            task = store.task(source)
            following = None if task is None else coming.get(task)
            if following is not None:
                nexts[number] = following
            if task is not None:
                coming[task] = None
    return nexts


def _changes_problem(payload: JsonObject) -> str | None:
    listed = payload["changes"]
    changes = (
        [change for change in listed if isinstance(change, dict)]
        if isinstance(listed, list)
        else []
    )
    keys = [(str(change["what"]), str(change["name"])) for change in changes]
    if not changes:
        return "it changes nothing"
    if any(change["what"] == "end" for change in changes):
        return "a change is of a kind that there is not"
    if any(not isinstance(change["name"], str) or not change["name"] for change in changes):
        return "a change has no name"
    if keys != sorted(set(keys)):
        return "its changes are not sorted or come twice"
    if any(change["old_sha256"] == change["new_sha256"] for change in changes):
        return "a change changes no digest"
    return None


def _ends_problem(
    payload: JsonObject, store: Payloads, compiled: dict[str, str], following: str | None
) -> str | None:
    source, target = text_member(payload, "from") or "", text_member(payload, "to")
    task = store.task(source)
    if task is None or compiled.get(task) != source:
        return "from is not the inventory last compiled for its task"
    if target == source:
        return "to is the inventory it comes from"
    if following is not None and target != following:
        return "to is not the next request of its task"
    return None

"""The rules of failures, transitions and consumptions in a chain.

Each function yields what is wrong; a payload that is missing or altered is passed over, because
another check names it.
Rules: FORMATS 9, and the failures of FORMATS 5.4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assembler_verifier import schema
from assembler_verifier.costs import MissingCostError
from assembler_verifier.derivation import derive
from assembler_verifier.events import (
    COMPILATION_FAILED,
    COMPILED,
    CONSUMED,
    FAILURES,
    PREPARATION_FAILED,
    REQUESTED,
    TRANSITIONED,
    name_of,
    text_member,
)
from assembler_verifier.identities import TooLargeError
from assembler_verifier.inventory_schema import ID, KIND_PATTERN, TEXT
from assembler_verifier.objects import BrokenObjectError, Objects
from assembler_verifier.payloads import Payloads
from assembler_verifier.record_shapes import shape_problem
from assembler_verifier.report import printable
from assembler_verifier.static_checks import RefusedError
from assembler_verifier.strict_json import JsonObject, same

FAILURE_SCHEMA = "assembler/failure/1"
TRANSITION_SCHEMA = "assembler/transition/1"
CONSUMPTION_SCHEMA = "assembler/consumption/1"

_FAILURE_CODES = {
    "required-missing": (COMPILATION_FAILED, ("ids",)),
    "required-rejected": (COMPILATION_FAILED, ("id", "reason", "detail")),
    "layout-cannot-hold": (COMPILATION_FAILED, ("ids",)),
    "counter-unavailable": (PREPARATION_FAILED, ("name",)),
    "size-undeclared": (COMPILATION_FAILED, ("id",)),
    "resident-unsatisfiable": (COMPILATION_FAILED, ("resident", "overhead", "envelope", "over")),
    "budget-unsatisfiable": (COMPILATION_FAILED, ("required", "limit", "over")),
    "content-unresolved": (PREPARATION_FAILED, ("id",)),
    "tool-content-unfit": (PREPARATION_FAILED, ("id",)),
    "tool-name-unfit": (PREPARATION_FAILED, ("id",)),
    "tool-name-collision": (PREPARATION_FAILED, ("id", "name")),
    "count-mismatch": (PREPARATION_FAILED, ("sum", "whole")),
    "adapter-incomplete": (PREPARATION_FAILED, ("adapter",)),
    "output-over-reserve": (PREPARATION_FAILED, ("max_output", "reserve")),
    "request-mismatch": (PREPARATION_FAILED, ("pointer",)),
}
_UNRESOLVED_LATE = frozenset({"id", "package_id", "trace_id"})
"""Members of the detail of `content-unresolved` once the ids are known (step 8)."""

_LATE_CODES = frozenset(
    {
        "content-unresolved",
        "tool-content-unfit",
        "tool-name-unfit",
        "tool-name-collision",
        "count-mismatch",
        "adapter-incomplete",
        "output-over-reserve",
        "request-mismatch",
    }
)
"""Refusals of steps 8 to 12, after every decision."""

_FAILURE = schema.exact(
    {
        "schema": schema.word(FAILURE_SCHEMA),
        "inventory_sha256": schema.digest,
        "code": schema.word(*_FAILURE_CODES),
        "detail": schema.mapping("[a-z_]{1,32}", schema.anything),
    }
)
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
_CONSUMPTION = schema.exact(
    {
        "schema": schema.word(CONSUMPTION_SCHEMA),
        "compiled": schema.digest,
        "id": ID,
        "decision": TEXT,
    }
)


def failure_problems(events: Sequence[JsonObject], store: Payloads) -> Iterator[str]:
    """What is wrong with the failures of a chain."""
    requests = {
        text_member(event, "event_sha256"): event for event in events if name_of(event) == REQUESTED
    }
    for number, event in enumerate(events, 1):
        payload = store.members(event)
        if name_of(event) not in FAILURES or payload is None:
            continue
        problem = shape_problem(_FAILURE, payload, "payload") or _code_problem(event, payload)
        request = requests.get(text_member(event, "request"))
        if problem is not None:
            yield f"event {number}: {problem}"
        elif request and payload.get("inventory_sha256") != request.get("payload_sha256"):
            yield f"event {number}: another inventory than its request"
        elif not _refuses_so(payload, store):
            yield f"event {number}: its inventory does not refuse like this"


def _code_problem(event: JsonObject, payload: JsonObject) -> str | None:
    code = text_member(payload, "code") or ""
    kind, names = _FAILURE_CODES[code]
    detail = payload["detail"]
    given = detail.keys() if isinstance(detail, dict) else frozenset()
    if name_of(event) != kind:
        return f"{code} belongs to {kind}"
    if given == set(names) or (code == "content-unresolved" and given == _UNRESOLVED_LATE):
        return None
    return f"the detail of {code} has other members"


def _refuses_so(payload: JsonObject, store: Payloads) -> bool:
    inventory = store.inventory(text_member(payload, "inventory_sha256") or "")
    if inventory is None or payload["code"] == "counter-unavailable":
        return True
    try:
        derive(inventory, Objects({}), {}, None)
    except RefusedError as error:
        return same(payload["code"], error.code) and same(payload["detail"], error.detail)
    except (BrokenObjectError, MissingCostError, TooLargeError):
        # A chain stores no contents, so most of what comes later cannot be run again.
        return True
    return payload["code"] in _LATE_CODES


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


def consumption_problems(events: Sequence[JsonObject], store: Payloads) -> Iterator[str]:
    """What is wrong with the consumptions of a chain."""
    compiled: dict[str, JsonObject] = {}
    for number, event in enumerate(events, 1):
        own_hash = text_member(event, "event_sha256")
        if name_of(event) == COMPILED and own_hash is not None:
            compiled[own_hash] = event
        payload = store.members(event)
        if name_of(event) != CONSUMED or payload is None:
            continue
        problem = shape_problem(_CONSUMPTION, payload, "payload")
        problem = problem or _consumed_problem(payload, store, compiled)
        if problem is not None:
            yield f"event {number}: {problem}"


def _consumed_problem(
    payload: JsonObject, store: Payloads, compiled: dict[str, JsonObject]
) -> str | None:
    event = compiled.get(text_member(payload, "compiled") or "")
    if event is None:
        return "it names no earlier compiled package"
    manifest = store.members(event)
    digest = None if manifest is None else text_member(manifest, "inventory_sha256")
    inventory = None if digest is None else store.inventory(digest)
    if inventory is None:
        return None
    name = text_member(payload, "id") or ""
    if any(candidate.id == name for candidate in inventory.candidates):
        return None
    return f"{printable(name)} is no candidate of that package"

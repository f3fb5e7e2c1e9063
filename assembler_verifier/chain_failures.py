"""The rules of failures in a chain: each inventory is compiled again and has to refuse likewise.

A payload that is missing or altered is passed over, because another check names it.
Rules: FORMATS 9, and the failures of FORMATS 5.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from assembler_verifier import schema
from assembler_verifier.costs import MissingCostError
from assembler_verifier.derivation import Derived, check_adapter, derive, render
from assembler_verifier.events import (
    COMPILATION_FAILED,
    FAILURES,
    PREPARATION_FAILED,
    REQUESTED,
    name_of,
    text_member,
)
from assembler_verifier.identities import TooLargeError
from assembler_verifier.inventory import Inventory
from assembler_verifier.objects import BrokenObjectError, Objects
from assembler_verifier.payloads import Payloads
from assembler_verifier.record_shapes import shape_problem
from assembler_verifier.rerun import uses_vocabulary
from assembler_verifier.static_checks import RefusedError
from assembler_verifier.strict_json import JsonObject, same

FAILURE_SCHEMA = "assembler/failure/1"

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
_UNDERIVABLE_CODES = frozenset({"count-mismatch", "request-mismatch"})
"""Refusals that no inventory causes, so that none can be compiled to them again."""

_OTHERWISE = "its inventory does not refuse like this"


@dataclass(frozen=True, slots=True)
class Failures:
    """What is wrong with the failures of a chain, and what could not be told."""

    problems: list[str] = field(default_factory=list)
    untold: list[str] = field(default_factory=list)


class _UntoldError(Exception):
    """What is at hand does not tell whether an inventory refuses.

    Attributes:
        why: what is not at hand.
    """

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def judge_failures(events: Sequence[JsonObject], store: Payloads) -> Failures:
    """Look whether each failure is that of its request, and of its inventory."""
    found = Failures()
    requests = {
        text_member(event, "event_sha256"): event for event in events if name_of(event) == REQUESTED
    }
    for number, event in enumerate(events, 1):
        payload = store.members(event)
        if name_of(event) not in FAILURES or payload is None:
            continue
        request = requests.get(text_member(event, "request"))
        try:
            problem = _problem(event, payload, request, store)
        except _UntoldError as error:
            found.untold.append(f"event {number}: {error.why}")
            continue
        if problem is not None:
            found.problems.append(f"event {number}: {problem}")
    return found


def _problem(
    event: JsonObject, payload: JsonObject, request: JsonObject | None, store: Payloads
) -> str | None:
    problem = shape_problem(_FAILURE, payload, "payload") or _code_problem(event, payload)
    if problem is not None:
        return problem
    if request and payload.get("inventory_sha256") != request.get("payload_sha256"):
        return "another inventory than its request"
    digest = text_member(payload, "inventory_sha256") or ""
    inventory = store.inventory(digest)
    if inventory is None:
        return None
    try:
        return _refusal_problem(payload, inventory, store.contents(digest, inventory))
    except TooLargeError as error:
        raise _UntoldError(f"{error.what} are more than this verifier takes on") from None


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


def _refusal_problem(payload: JsonObject, inventory: Inventory, objects: Objects) -> str | None:
    code = text_member(payload, "code") or ""
    try:
        derived = _derive(payload, inventory, objects)
        # Only a refusal after every decision is left, and it may need bytes that are not here.
        if code not in _LATE_CODES:
            return _OTHERWISE
        _render(inventory, derived, objects)
    except RefusedError as error:
        fits = same(payload["code"], error.code) and same(payload["detail"], error.detail)
        return None if fits else _OTHERWISE
    if code in _UNDERIVABLE_CODES and not (
        code == "count-mismatch" and inventory.counter == "declared"
    ):
        raise _UntoldError(f"{code} is a fault of the producer, which no inventory causes")
    return _OTHERWISE


def _derive(payload: JsonObject, inventory: Inventory, objects: Objects) -> Derived:
    counter_missed = payload["code"] == "counter-unavailable" and uses_vocabulary(inventory)
    try:
        derived = derive(inventory, objects, {}, None)
    except BrokenObjectError:
        raise _UntoldError("a content is missing or altered") from None
    except MissingCostError:
        if not counter_missed:
            raise _UntoldError("its vocabulary is not at hand") from None
    else:
        # `control/1` over nothing that costs anything asks for no cost, and for the counter.
        if not counter_missed:
            return derived
    if same(payload["detail"], {"name": inventory.counter}):
        raise _UntoldError("which vocabularies were at hand is not known")
    raise RefusedError("counter-unavailable", {"name": inventory.counter})


def _render(inventory: Inventory, derived: Derived, objects: Objects) -> None:
    try:
        render(inventory, derived, objects)
    except BrokenObjectError:
        raise _UntoldError("a content is missing or altered") from None
    check_adapter(inventory)

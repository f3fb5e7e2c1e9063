"""Verify a chain of events with its store of payloads.

In: the events in their order, and payloads by digest. Out: a `Report`.
Rules: FORMATS 9.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from assembler_verifier.chain_consumptions import judge_consumptions
from assembler_verifier.chain_failures import judge_failures
from assembler_verifier.chain_transitions import transition_problems
from assembler_verifier.check_head import check_exported
from assembler_verifier.events import (
    COMPILED,
    CONSUMED,
    FAILURES,
    OUTCOMES,
    REQUESTED,
    TRANSITIONED,
    event_problem,
    hash_holds,
    members_of,
    name_of,
    seq_of,
    text_member,
)
from assembler_verifier.payloads import Payloads
from assembler_verifier.report import Claims, Report
from assembler_verifier.strict_json import JsonObject, JsonValue

CHAIN_CHECKS = (
    "event-shape",
    "event-chain",
    "event-hash",
    "event-payload",
    "event-request",
    "failure",
    "transition",
    "consumption",
    "consumed-not-visible",
    "exported-head",
)
"""Every check of a chain, in the order of the report."""


def verify_chain(
    events: Sequence[JsonValue],
    payloads: Mapping[str, bytes],
    *,
    exported_head: str | None = None,
) -> Report:
    """Check order, links, payloads and the rules of each kind of event.

    Args:
        events: the whole chain, from its first event.
        payloads: the bytes of payloads, by their digest. Where ledgers and contents stand there
            too, what was consumed and how a run failed is judged with them.
        exported_head: the hash of the last event as it was kept elsewhere.

    Returns:
        One claim for each of `CHAIN_CHECKS`.
    """
    claims = Claims()
    numbered = [_Numbered(number, members_of(event)) for number, event in enumerate(events, 1)]
    shapes = [event_problem(event, f"event {number}") for number, event in enumerate(events, 1)]
    claims.judge("event-shape", [problem for problem in shapes if problem is not None])
    claims.judge("event-chain", list(_link_problems(numbered)))
    claims.judge(
        "event-hash",
        [
            f"event {item.number} has another hash"
            for item in numbered
            if not hash_holds(item.event)
        ],
    )
    store = Payloads(payloads)
    problems = [
        f"event {item.number}: {problem}"
        for item in numbered
        if (problem := store.problem(item.event)) is not None
    ]
    claims.judge("event-payload", problems)
    claims.judge("event-request", list(_request_problems(numbered, store)))
    _check_rules(claims, [item.event for item in numbered], store)
    last = numbered[-1].event.get("event_sha256") if numbered else None
    check_exported(claims, last, exported_head)
    return Report(f"Chain of {len(events)} events", None, claims.in_order(CHAIN_CHECKS))


@dataclass(frozen=True, slots=True)
class _Numbered:
    """An event with its place in the list, counted from 1."""

    number: int
    event: JsonObject


def _link_problems(numbered: Sequence[_Numbered]) -> Iterator[str]:
    previous: JsonValue = None
    for item in numbered:
        if seq_of(item.event) != item.number:
            yield f"event {item.number} has another seq"
        if item.event.get("previous") != previous:
            yield f"event {item.number} does not link to the one before it"
        previous = item.event.get("event_sha256")


def _request_problems(numbered: Sequence[_Numbered], store: Payloads) -> Iterator[str]:
    requests: dict[str, JsonObject] = {}
    answered: set[str] = set()
    for item in numbered:
        event, name = item.event, name_of(item.event)
        own_hash = text_member(event, "event_sha256")
        if name == REQUESTED and own_hash is not None:
            requests.setdefault(own_hash, event)
        named = text_member(event, "request")
        if name not in OUTCOMES:
            if event.get("request") is not None:
                yield f"event {item.number} names a request and is no outcome"
        elif named is None or named not in requests:
            yield f"event {item.number} names no earlier request"
        elif named in answered:
            yield f"event {item.number} is a second outcome of its request"
        else:
            answered.add(named)
            if name == COMPILED and not _names_inventory(event, requests[named], store):
                yield f"event {item.number} names another inventory than its request"


def _names_inventory(event: JsonObject, request: JsonObject, store: Payloads) -> bool:
    manifest = store.members(event)
    return manifest is None or manifest.get("inventory_sha256") == request.get("payload_sha256")


def _check_rules(claims: Claims, events: Sequence[JsonObject], store: Payloads) -> None:
    failures = judge_failures(events, store)
    consumptions = judge_consumptions(events, store)
    transitions = list(transition_problems(events, store))
    _judge(claims, "failure", failures.problems, failures.untold + _lost(events, store, FAILURES))
    _judge(claims, "transition", transitions, _lost(events, store, {TRANSITIONED}))
    lost = _lost(events, store, {CONSUMED})
    _judge(claims, "consumption", consumptions.problems, lost)
    untold = consumptions.untold + lost
    _judge(claims, "consumed-not-visible", consumptions.not_visible, untold)


def _lost(events: Sequence[JsonObject], store: Payloads, names: Collection[str]) -> list[str]:
    """Events of some names whose payload cannot be read, which another check names."""
    return [
        f"event {number}: its payload is missing or altered"
        for number, event in enumerate(events, 1)
        if name_of(event) in names and not store.has(event)
    ]


def _judge(claims: Claims, check: str, problems: list[str], untold: list[str]) -> None:
    if untold and not problems:
        more = len(untold) - 1
        claims.unchecked(check, untold[0] + (f" (and {more} more)" if more else ""))
    else:
        claims.judge(check, problems)

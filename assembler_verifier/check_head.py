"""Checks on the two events of a package, read alone.

Checks: event-shape, event-payload, event-hash, event-chain, event-request, exported-head.
Rules: FORMATS 9, the paragraph on `head.json`.
"""

from __future__ import annotations

from collections.abc import Iterator

from assembler_verifier.events import (
    COMPILED,
    REQUESTED,
    event_problem,
    hash_holds,
    members_of,
    name_of,
    seq_of,
)
from assembler_verifier.folder import HEAD, INVENTORY, MANIFEST
from assembler_verifier.identities import sha256
from assembler_verifier.package import Package
from assembler_verifier.report import Claims
from assembler_verifier.strict_json import JsonObject, JsonValue

_EVENT_CHECKS = ("event-shape", "event-payload", "event-hash", "event-chain", "event-request")
_NAMES = (REQUESTED, COMPILED)


def check_head(claims: Claims, package: Package, exported_head: str | None) -> None:
    """Run every check of this module."""
    head = package.head
    if head is None:
        for name in (*_EVENT_CHECKS, "exported-head"):
            claims.unchecked(name, package.why_not(HEAD))
        return
    check_exported(claims, head.get("head"), exported_head)
    listed = head.get("events")
    events = [members_of(event) for event in listed] if isinstance(listed, list) else []
    claims.judge("event-shape", list(_shape_problems(listed)))
    wrong = [number for number, event in enumerate(events, 1) if not hash_holds(event)]
    claims.judge("event-hash", [f"event {number} has another hash" for number in wrong])
    if len(events) != len(_NAMES):
        why = f"{HEAD} holds {len(events)} events, not the request and the outcome"
        claims.failed("event-chain", why)
        claims.unchecked("event-payload", why)
        claims.unchecked("event-request", why)
        return
    first, second = events
    claims.judge("event-chain", list(_chain_problems(first, second, head.get("head"))))
    _check_payloads(claims, package, first, second)
    claims.judge("event-request", list(_request_problems(first, second)))


def check_exported(claims: Claims, head: JsonValue, exported_head: str | None) -> None:
    """Compare a head with one that was kept elsewhere."""
    if exported_head is None:
        claims.unchecked("exported-head", "no head kept elsewhere was given (--head HEX)")
    else:
        fits = head == exported_head
        claims.judge("exported-head", [] if fits else ["the head is not the one kept elsewhere"])


def _shape_problems(listed: JsonValue) -> Iterator[str]:
    events = listed if isinstance(listed, list) else []
    for number, event in enumerate(events, 1):
        problem = event_problem(event, f"event {number}")
        name = name_of(members_of(event))
        if problem is not None:
            yield problem
        elif name not in _NAMES:
            yield f"event {number} belongs to no package"
        elif len(events) == len(_NAMES) and name != _NAMES[number - 1]:
            yield f"event {number} should be {_NAMES[number - 1]}"


def _chain_problems(first: JsonObject, second: JsonObject, head: JsonValue) -> Iterator[str]:
    for number, event in enumerate((first, second), 1):
        if (event.get("previous") is None) != (seq_of(event) == 1):
            yield f"event {number}: previous is null exactly if seq is 1"
    one, two = seq_of(first), seq_of(second)
    if one is None or two is None or two <= one:
        yield "the outcome does not come after the request"
    elif (two == one + 1) != (second.get("previous") == first.get("event_sha256")):
        yield "the outcome names the request as previous exactly if no event came between"
    if head is None or head != second.get("event_sha256"):
        yield "the head is not the hash of the outcome"


def _check_payloads(
    claims: Claims, package: Package, first: JsonObject, second: JsonObject
) -> None:
    problems = []
    unread = []
    for event, name in ((first, INVENTORY), (second, MANIFEST)):
        data = package.folder.files.get(name)
        if data is None:
            unread.append(name)
        elif event.get("payload_sha256") != sha256(data):
            problems.append(f"{name} is not the payload of its event")
    if unread and not problems:
        claims.unchecked("event-payload", f"{unread[0]} was not read")
    else:
        claims.judge("event-payload", problems)


def _request_problems(first: JsonObject, second: JsonObject) -> Iterator[str]:
    if first.get("request") is not None:
        yield "the request names a request"
    named = second.get("request")
    if named is None or named != first.get("event_sha256"):
        yield "the outcome does not name its request"

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from assembler_verifier import verify_chain
from assembler_verifier.chain import CHAIN_CHECKS
from assembler_verifier.identities import sha256
from assembler_verifier.strict_json import JsonValue, canonical
from tests.verifier.vectors import (
    chain_with_contents,
    contents,
    event,
    ledgers_of,
    load,
    normal_inventory,
)

CORRUPTIONS = [item for item in load("corruptions")["corruptions"] if item["base"] == "chain"]
TASK_A, TASK_B = "review-1", "other"


def store() -> dict[str, bytes]:
    return {digest: text.encode() for digest, text in load("chain")["payloads"].items()}


def test_verify_chain__holds_for_the_vector() -> None:
    chain = load("chain")
    report = verify_chain(chain["events"], store(), exported_head=chain["head"])
    assert report.failed == []
    assert [claim.id for claim in report.claims] == list(CHAIN_CHECKS)
    # Without contents and ledgers neither can be told.
    assert [claim.id for claim in report.of("unchecked")] == ["failure", "consumed-not-visible"]
    assert report.to_text().startswith("Chain of 13 events holds: 10 claims, 0 failed, 2 not")


def test_verify_chain__judges_everything_with_ledgers_and_contents() -> None:
    chain = chain_with_contents()
    report = verify_chain(chain["events"], chain["payloads"], exported_head=load("chain")["head"])
    assert {claim.result for claim in report.claims} == {"passed"}


def test_verify_chain__does_not_trust_a_forged_ledger() -> None:
    chain = chain_with_contents()
    ledgers = [data for run in load("chain")["runs"] for data in ledgers_of(run)]
    forged = {sha256(data): data.replace(b'"span":null', b'"span":{}') for data in ledgers}
    report = verify_chain(chain["events"], chain["payloads"] | forged)
    assert [claim.id for claim in report.of("unchecked")] == [
        "consumed-not-visible",
        "exported-head",
    ]


@pytest.mark.parametrize("corruption", CORRUPTIONS, ids=lambda item: item["id"])
def test_verify_chain__finds_every_corruption(corruption: Any) -> None:
    payloads = store()
    for digest, text in corruption["payloads"].items():
        if text is None:
            del payloads[digest]
        else:
            payloads[digest] = text.encode()
    events = corruption["events"]
    with_head = verify_chain(events, payloads, exported_head=load("chain")["head"])
    assert corruption["must_fail"] in with_head.failed
    assert verify_chain(events, payloads).failed == sorted(corruption["failed"])


def test_verify_chain__holds_for_no_events() -> None:
    assert verify_chain([], {}).holds
    assert verify_chain([], {}, exported_head="0" * 64).failed == ["exported-head"]


def rebuilt(changes: Mapping[int, JsonValue]) -> tuple[list[JsonValue], dict[str, bytes]]:
    """The chain with other payloads for some events, and every hash computed again."""
    payloads = store()
    events: list[JsonValue] = []
    hashes: dict[Any, JsonValue] = {None: None}
    for old in load("chain")["events"]:
        digest = old["payload_sha256"]
        text = payloads[digest].decode()
        for before, after in hashes.items():
            text = text.replace(str(before), str(after)) if before else text
        if old["seq"] in changes:
            text = canonical(changes[old["seq"]]).decode() + "\n"
        data = text.encode()
        payloads[sha256(data)] = data
        new = event(
            seq=old["seq"],
            event=old["event"],
            recorded_at=old["recorded_at"],
            previous=hashes[old["previous"]],
            request=hashes[old["request"]],
            payload_sha256=sha256(data),
        )
        hashes[old["event_sha256"]] = new["event_sha256"]
        events.append(new)
    return events, payloads


def test_rebuilt__is_the_chain_if_nothing_changes() -> None:
    assert rebuilt({})[0] == load("chain")["events"]


FAILURE: dict[str, JsonValue] = {
    "schema": "assembler/failure/1",
    "inventory_sha256": "aa2ba999193a351a30d13ca41689ad4a14d3c8403636949041014e23c7b1c73a",
    "code": "budget-unsatisfiable",
    "detail": {"limit": 9, "over": 1, "required": 10},
}


@pytest.mark.parametrize(
    "change",
    [
        {"code": "no-such-code"},
        {"code": "tool-name-unfit", "detail": {"id": "A"}},
        {"code": "resident-unsatisfiable"},
        {"code": "required-missing", "detail": {"ids": ["A"]}},
        {"detail": {"limit": 9, "over": 1, "required": 11}},
        {"detail": {}},
        {"detail": None},
        {"more": 1},
    ],
)
def test_verify_chain__compiles_a_failed_inventory_again(change: dict[str, JsonValue]) -> None:
    assert verify_chain(*rebuilt({11: FAILURE})).failed == []
    assert verify_chain(*rebuilt({11: FAILURE | change})).failed == ["failure"]


@pytest.mark.parametrize("value", [None, 1, "x", [], {}, {"seq": [], "event": {}, "request": {}}])
def test_verify_chain__survives_any_event(value: JsonValue) -> None:
    events = [*load("chain")["events"][:3], value]
    assert "event-shape" in verify_chain(events, store()).failed


@pytest.mark.parametrize("data", [b"", b"\xff", b"{}\n", b"[]\n", b"[" * 100_000, b'{"a": 1}\n'])
@pytest.mark.parametrize("number", range(1, 14))
def test_verify_chain__survives_any_payload(number: int, data: bytes) -> None:
    events = load("chain")["events"]
    payloads = store() | {events[number - 1]["payload_sha256"]: data}
    assert "event-payload" in verify_chain(events, payloads).failed


def test_verify_chain__takes_on_no_endless_work(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = chain_with_contents()
    named = {item["payload_sha256"] for item in chain["events"]}
    enough = sum(len(chain["payloads"][digest]) for digest in named)
    monkeypatch.setattr("assembler_verifier.payloads.MAX_READ_BYTES", enough)
    report = verify_chain(chain["events"], chain["payloads"])
    assert report.failed == []
    # Nothing is left to compile the failures again, or to look into the ledger.
    untold = {claim.id: claim.detail for claim in report.of("unchecked")}
    assert "more than this verifier takes on" in untold["failure"]
    assert "consumed-not-visible" in untold
    monkeypatch.setattr("assembler_verifier.payloads.MAX_READ_BYTES", enough - 1)
    assert verify_chain(chain["events"], chain["payloads"]).failed == ["event-payload"]


def test_verify_chain__reads_again_what_it_has_no_room_to_keep(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chain = chain_with_contents()
    monkeypatch.setattr("assembler_verifier.payloads.MAX_KEPT_BYTES", 1)
    report = verify_chain(chain["events"], chain["payloads"])
    assert {claim.result for claim in report.claims} == {"passed", "unchecked"}
    assert [claim.id for claim in report.of("unchecked")] == ["exported-head"]


COUNTER_UNAVAILABLE: dict[str, JsonValue] = {
    "schema": "assembler/failure/1",
    "code": "counter-unavailable",
}


@pytest.mark.parametrize(
    ("counter", "unit", "named", "result"),
    [
        ("o200k_base", "token", "o200k_base", "unchecked"),
        ("o200k_base", "token", "another", "failed"),
        ("code-points", "code-point", "code-points", "failed"),
    ],
)
def test_verify_chain__doubts_a_counter_that_is_always_at_hand(
    counter: str, unit: str, named: str, result: str
) -> None:
    inventory = load("raj-o200k")["expected"].get("normal_inventory")
    inventory = inventory or normal_inventory(load("raj-o200k")).members
    budget = {**inventory["budget"], "counter": counter, "unit": unit, "window": 10**6}
    requested = canonical({**inventory, "budget": budget}) + b"\n"
    digest = sha256(requested)
    detail: JsonValue = {"name": named}
    payload = canonical(COUNTER_UNAVAILABLE | {"inventory_sha256": digest, "detail": detail})
    first = event(
        seq=1,
        event="context.compilation_requested",
        recorded_at="2026-09-14T00:00:00Z",
        previous=None,
        request=None,
        payload_sha256=digest,
    )
    second = event(
        seq=2,
        event="context.preparation_failed",
        recorded_at="2026-09-14T00:00:00Z",
        previous=first["event_sha256"],
        request=first["event_sha256"],
        payload_sha256=sha256(payload + b"\n"),
    )
    stored = {digest: requested, sha256(payload + b"\n"): payload + b"\n"}
    stored |= contents(load("raj-o200k"))
    report = verify_chain([first, second], stored)
    claims = {claim.id: claim.result for claim in report.claims}
    assert claims["failure"] == result
    assert report.failed == (["failure"] if result == "failed" else [])

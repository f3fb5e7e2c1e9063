"""Kinds of corruption of a chain and of its store: events, links, payloads, requests.

The chain: 1, 2 a run; 3 a transition; 4, 7 and 5, 6 two runs that interleave; 8 an interrupted
request; 9 a consumption; 10, 11 a run that fails in compilation; 12, 13 one in preparation.
"""

from __future__ import annotations

from typing import Any

from assembler_verifier.identities import event_hash
from assembler_verifier.self_test.bases import CHAIN
from assembler_verifier.self_test.chain_changes import with_event, with_payload
from assembler_verifier.self_test.chain_draft import ChainDraft
from assembler_verifier.self_test.kind import ChainChange, Kind

_OTHER = "0" * 64
_TRANSITION, _CONSUMPTION = 3, 9
_COMPILATION_FAILED, _PREPARATION_FAILED = 11, 13


def _unlinked(number: int, **members: Any) -> ChainChange:
    def apply(draft: ChainDraft) -> None:
        draft.event(number).update(members)

    return apply


def _bytes(number: int, data: bytes | None) -> ChainChange:
    def apply(draft: ChainDraft) -> None:
        digest = draft.event(number)["payload_sha256"]
        if data is None:
            del draft.payloads[digest]
        else:
            draft.payloads[digest] = data

    return apply


def _removed(number: int) -> ChainChange:
    def apply(draft: ChainDraft) -> None:
        del draft.events[number - 1]

    return apply


def _removed_and_linked(number: int) -> ChainChange:
    def apply(draft: ChainDraft) -> None:
        del draft.events[number - 1]
        for place, event in enumerate(draft.events, 1):
            event["seq"] = place
        draft.relink()

    return apply


def _exchanged(draft: ChainDraft) -> None:
    events = draft.events
    events[7], events[8] = events[8], events[7]


def _skipped(draft: ChainDraft) -> None:
    for event in draft.events[7:]:
        event["seq"] += 1
    draft.relink()


def _answered_twice(draft: ChainDraft) -> None:
    last = draft.events[-1]
    again = {**last, "seq": last["seq"] + 1, "previous": last["event_sha256"]}
    draft.events.append({**again, "event_sha256": event_hash(again)})


def _results_exchanged(draft: ChainDraft) -> None:
    one, other = draft.event(6), draft.event(7)
    one["request"], other["request"] = other["request"], one["request"]
    draft.relink()


def _tail_cut(draft: ChainDraft) -> None:
    del draft.events[-2:]


LINK_KINDS = (
    Kind(
        name="chain-event-member-added",
        base=CHAIN,
        what="An event of the chain has a member more.",
        why="Its hash does not cover the member, so it could say anything.",
        fails=("event-shape",),
        change=_unlinked(5, note="approved"),
    ),
    Kind(
        name="chain-time-malformed",
        base=CHAIN,
        what="The time of an event is no time, and the chain is linked again.",
        why="Times have one spelling.",
        fails=("event-shape",),
        change=with_event(8, recorded_at="yesterday"),
    ),
    Kind(
        name="chain-event-removed",
        base=CHAIN,
        what="The interrupted request is taken out of the middle.",
        why="The event after it names it.",
        fails=("event-chain",),
        change=_removed(8),
    ),
    Kind(
        name="chain-events-exchanged",
        base=CHAIN,
        what="Two events stand in another order.",
        why="Each event names the one before it.",
        fails=("event-chain",),
        change=_exchanged,
    ),
    Kind(
        name="chain-number-skipped",
        base=CHAIN,
        what="A number is skipped, and the chain is linked again.",
        why="A gap is where an event was.",
        fails=("event-chain",),
        change=_skipped,
    ),
    Kind(
        name="chain-time-altered",
        base=CHAIN,
        what="The time of an event is another, and its hash is not mended.",
        why="The hash of an event covers its time.",
        fails=("event-hash",),
        change=_unlinked(5, recorded_at="2026-09-15T00:00:00Z"),
    ),
    Kind(
        name="chain-payload-missing",
        base=CHAIN,
        what="The payload of the interrupted request is not in the store.",
        why="An event without its payload says nothing.",
        fails=("event-payload",),
        change=_bytes(8, None),
    ),
    Kind(
        name="chain-payload-altered",
        base=CHAIN,
        what="The stored bytes of a consumption are others.",
        why="A payload is what its digest names.",
        fails=("event-payload",),
        change=_bytes(_CONSUMPTION, b'{"schema":"assembler/consumption/1"}\n'),
    ),
    Kind(
        name="chain-payload-no-manifest",
        base=CHAIN,
        what="The payload of an outcome has a member more, and the chain is linked again.",
        why="The payload of a compiled run is its manifest.",
        fails=("event-payload",),
        change=with_payload(6, approved=True),
    ),
    Kind(
        name="chain-answered-twice",
        base=CHAIN,
        what="The last outcome is appended again, with a hash of its own.",
        why="A request has at most one outcome.",
        fails=("event-request",),
        change=_answered_twice,
    ),
    Kind(
        name="chain-results-exchanged",
        base=CHAIN,
        what="Two outcomes name each other's requests, and the chain is linked again.",
        why="An outcome is that of its request's inventory.",
        fails=("event-request",),
        change=_results_exchanged,
    ),
    Kind(
        name="chain-result-without-request",
        base=CHAIN,
        what="An outcome names no request, and the chain is linked again.",
        why="An outcome belongs to its own request.",
        fails=("event-request",),
        change=with_event(6, request=None),
    ),
    Kind(
        name="chain-transition-of-a-request",
        base=CHAIN,
        what="A transition names a request, and the chain is linked again.",
        why="Only outcomes name one.",
        fails=("event-request",),
        change=lambda draft: with_event(3, request=draft.event(1)["event_sha256"])(draft),
    ),
    Kind(
        name="chain-tail-cut",
        base=CHAIN,
        what="The last run is cut off.",
        why="A cut chain is consistent; only a head kept elsewhere tells it apart.",
        fails=("exported-head",),
        change=_tail_cut,
        exported=True,
    ),
    Kind(
        name="chain-interrupted-request-removed",
        base=CHAIN,
        what="The interrupted request is taken out, and the chain is linked again.",
        why="It is consistent in itself; only a head kept elsewhere tells it apart.",
        fails=("exported-head",),
        change=_removed_and_linked(8),
        exported=True,
    ),
    Kind(
        name="chain-reason-reworded",
        base=CHAIN,
        what="A transition gives another reason, and the chain is linked again.",
        why="It is consistent in itself; only a head kept elsewhere tells it apart.",
        fails=("exported-head",),
        change=with_payload(_TRANSITION, reason="nobody had to agree"),
        exported=True,
    ),
)

"""Kinds of corruption of the two events of a package."""

from __future__ import annotations

from typing import Any

from assembler_verifier.folder import HEAD, INVENTORY
from assembler_verifier.identities import event_hash
from assembler_verifier.self_test.changes import edit, other_digit, put, put_row
from assembler_verifier.self_test.draft import Draft, relink_events
from assembler_verifier.self_test.kind import Change, Kind

_BOUND = "codeai-16-bound"
_OTHER = "0" * 64


def _linked(change: Any) -> Change:
    """Change the events and hash them again; their payloads stay as they are named."""

    def apply(draft: Draft) -> None:
        head = draft.read(HEAD)
        change(*head["events"])
        relink_events(head)
        draft.write(HEAD, head)

    return apply


def _set(number: int, **members: Any) -> Change:
    def change(*events: Any) -> None:
        events[number].update(members)

    return _linked(change)


def _gap(first: Any, second: Any) -> None:
    second["seq"] = first["seq"] + 2


def _backwards(first: Any, second: Any) -> None:
    first["seq"], second["seq"] = 3, 2
    first["previous"] = _OTHER
    second["previous"] = _OTHER


def _outcome_of_another(draft: Draft) -> None:
    head = draft.read(HEAD)
    second = head["events"][1]
    second["request"] = _OTHER
    head["head"] = second["event_sha256"] = event_hash(second)
    draft.write(HEAD, head)


def _renamed_task(draft: Draft) -> None:
    inventory = draft.read(INVENTORY)
    inventory["candidates"][0]["version"] = "2"
    draft.write(INVENTORY, inventory)
    put_row("A", ("version",), "2")(draft)
    draft.mend()


EVENT_KINDS = (
    Kind(
        name="event-name",
        base=_BOUND,
        what="The outcome is called a consumption, and the event hashes are mended.",
        why="A package is that of a run that compiled.",
        fails=("event-shape",),
        change=_set(1, event="context.consumed"),
    ),
    Kind(
        name="event-time-malformed",
        base=_BOUND,
        what="The time of the request is no time, and the event hashes are mended.",
        why="Times have one spelling.",
        fails=("event-shape",),
        change=_set(0, recorded_at="2026-09-14 00:00"),
    ),
    Kind(
        name="event-member-added",
        base=_BOUND,
        what="An event has a member more.",
        why="Its hash does not cover the member, so it could say anything.",
        fails=("event-shape",),
        change=put(HEAD, ("events", 0, "note"), "approved"),
    ),
    Kind(
        name="event-payload-request",
        base=_BOUND,
        what="The request names another inventory, and the event hashes are mended.",
        why="The payload of a request is its inventory.",
        fails=("event-payload",),
        change=_set(0, payload_sha256=_OTHER),
    ),
    Kind(
        name="event-payload-outcome",
        base="tool-numbers",
        what="The outcome names another manifest, and the event hashes are mended.",
        why="The payload of an outcome is its manifest.",
        fails=("event-payload",),
        change=_set(1, payload_sha256=_OTHER),
    ),
    Kind(
        name="event-time",
        base=_BOUND,
        what="The time of the request is another, and its hash is not mended.",
        why="The hash of an event covers its time.",
        fails=("event-hash",),
        change=put(HEAD, ("events", 0, "recorded_at"), "2026-09-15T00:00:00Z"),
    ),
    Kind(
        name="event-outcome-time",
        base="ka2-2026-09-14",
        what="The time of the outcome is another, and its hash is not mended.",
        why="The hash of an event covers its time.",
        fails=("event-hash",),
        change=put(HEAD, ("events", 1, "recorded_at"), "2026-09-15T00:00:00Z"),
    ),
    Kind(
        name="head-replaced",
        base=_BOUND,
        what="The head is another digest.",
        why="The head is the hash of the outcome.",
        fails=("event-chain",),
        change=edit(HEAD, ("head",), other_digit),
    ),
    Kind(
        name="sequence-gap",
        base=_BOUND,
        what="A number is skipped between request and outcome; event hashes are mended.",
        why="The outcome follows the request exactly if no event came between.",
        fails=("event-chain",),
        change=_linked(_gap),
    ),
    Kind(
        name="sequence-backwards",
        base=_BOUND,
        what="The outcome comes before its request, and the event hashes are mended.",
        why="A request is appended before compiling.",
        fails=("event-chain",),
        change=_linked(_backwards),
    ),
    Kind(
        name="first-event-with-a-past",
        base="slots-group",
        what="The first event of a chain names one before it, and the event hashes are mended.",
        why="Nothing comes before number 1.",
        fails=("event-chain",),
        change=_set(0, previous=_OTHER),
    ),
    Kind(
        name="request-link",
        base=_BOUND,
        what="The outcome names another request, and its hash is mended.",
        why="An outcome belongs to its own request.",
        fails=("event-request",),
        change=_outcome_of_another,
    ),
    Kind(
        name="request-of-a-request",
        base=_BOUND,
        what="The request names a request, and the event hashes are mended.",
        why="Only outcomes name one.",
        fails=("event-request",),
        change=_set(0, request=_OTHER),
    ),
    Kind(
        name="recorded-later",
        base=_BOUND,
        what="Both events have another time, and all hashes are mended.",
        why="It is consistent in itself; only a head kept elsewhere tells it apart.",
        fails=("exported-head",),
        change=_linked(
            lambda *events: [event.update(recorded_at="2026-09-15T00:00:00Z") for event in events]
        ),
        exported=True,
    ),
    Kind(
        name="forged-whole",
        base=_BOUND,
        what="An item is given another version in inventory and ledger; everything is mended.",
        why="It is consistent in itself; only a head kept elsewhere tells it apart.",
        fails=("exported-head",),
        change=_renamed_task,
        exported=True,
    ),
)

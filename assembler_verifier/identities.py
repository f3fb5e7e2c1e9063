"""The hashes that name a selection, its reasons, its contents and an event.

Rules: FORMATS 10.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from assembler_verifier.inventory import Candidate, Inventory
from assembler_verifier.selection import Decision
from assembler_verifier.strict_json import JsonObject, JsonValue, canonical

EVENT_MEMBERS = ("seq", "event", "recorded_at", "previous", "request", "payload_sha256")
"""What `event_sha256` covers."""


def sha256(data: bytes) -> str:
    """The digest of bytes, in hex."""
    return hashlib.sha256(data).hexdigest()


MAX_DETAIL_ITEMS = 2_000_000
"""List items in all details together; a list that every detail repeats could grow without end."""


_ALL_DETAILS = "the details of all decisions"


class TooLargeError(Exception):
    """More work than this verifier takes on.

    Attributes:
        what: what is too large.
    """

    def __init__(self, what: str) -> None:
        """Keep what it is."""
        super().__init__(what)
        self.what = what


def package_id(inventory: Inventory, selected: Iterable[str]) -> str:
    """The identity of the selection."""
    return _hash(
        {
            "type": "assembler/package-id/1",
            "task": inventory.task("id"),
            "actor": inventory.task("actor"),
            "prompt": inventory.task("prompt"),
            "objective": inventory.task("objective"),
            "budget": inventory.members["budget"],
            "seal": inventory.members["seal"],
            "selected": [*sorted(selected)],
        }
    )


def trace_id(package: str, decisions: Mapping[str, Decision]) -> str:
    """The identity of every decision with its reason.

    Raises:
        TooLargeError: the details hold more than `MAX_DETAIL_ITEMS` list items.
    """
    if sum(_list_items(decision.detail) for decision in decisions.values()) > MAX_DETAIL_ITEMS:
        raise TooLargeError(_ALL_DETAILS)
    listed: list[JsonValue] = [
        {
            "id": name,
            "decision": decisions[name].word,
            "reason": decisions[name].reason,
            "detail": decisions[name].detail,
        }
        for name in sorted(decisions)
    ]
    return _hash({"type": "assembler/trace-id/1", "package_id": package, "decisions": listed})


def content_id(package: str, selected: Iterable[Candidate]) -> str:
    """The identity of the selected contents."""
    listed: list[JsonValue] = [
        {"id": candidate.id, "sha256": candidate.digest}
        for candidate in sorted(selected, key=lambda candidate: candidate.id)
    ]
    return _hash({"type": "assembler/content-id/1", "package_id": package, "content": listed})


def event_hash(event: Mapping[str, JsonValue]) -> str:
    """The hash of an event, which has to have every member that is hashed."""
    covered: JsonObject = {name: event[name] for name in EVENT_MEMBERS}
    return _hash({"type": "assembler/event/1", **covered})


def _list_items(detail: JsonObject) -> int:
    return sum(len(value) for value in detail.values() if isinstance(value, list))


def _hash(value: JsonObject) -> str:
    return sha256(canonical(value))

"""Payloads of events, and the package's head.

Rules: docs/formats/events.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from assembler.model.canonical import canonical_record
from assembler.model.event import Event

FAILURE_SCHEMA: Final = "assembler/failure/1"
HEAD_SCHEMA: Final = "assembler/head/1"
CONSUMPTION_SCHEMA: Final = "assembler/consumption/1"


def write_failure(inventory_sha256: str, code: str, detail: dict[str, Any]) -> bytes:
    """The payload of a failed run."""
    return canonical_record(
        {
            "schema": FAILURE_SCHEMA,
            "inventory_sha256": inventory_sha256,
            "code": code,
            "detail": detail,
        }
    )


def write_consumption(compiled: str, identifier: str, decision: str) -> bytes:
    """The payload of `context.consumed`: which item of which run a later decision used.

    Args:
        compiled: the `event_sha256` of that run's `context.compiled`.
        identifier: the id of one of its candidates.
        decision: in words.
    """
    return canonical_record(
        {
            "schema": CONSUMPTION_SCHEMA,
            "compiled": compiled,
            "id": identifier,
            "decision": decision,
        }
    )


def write_head(events: Sequence[Event]) -> bytes:
    """The bytes of `head.json`: the run's two events and the last one's hash."""
    return canonical_record(
        {
            "schema": HEAD_SCHEMA,
            "events": [event.to_json() for event in events],
            "head": events[-1].event_sha256,
        }
    )

"""Events: append-only, each hashed with the one before it.

Rules: docs/formats/events.md. The payload is bytes that stand elsewhere by digest.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from assembler.model.canonical import canonical_bytes
from assembler.model.digest import sha256_hex

REQUESTED: Final = "context.compilation_requested"
COMPILED: Final = "context.compiled"
TRANSITIONED: Final = "context.transitioned"
CONSUMED: Final = "context.consumed"


class Event(NamedTuple):
    """One link of a chain."""

    seq: int
    event: str
    recorded_at: str
    previous: str | None
    request: str | None
    payload_sha256: str

    @property
    def event_sha256(self) -> str:
        """The link's identity."""
        return sha256_hex(canonical_bytes({"type": "assembler/event/1", **self._members()}))

    def to_json(self) -> dict[str, Any]:
        """The members of a stored event."""
        return {**self._members(), "event_sha256": self.event_sha256}

    def _members(self) -> dict[str, Any]:
        return {
            "seq": self.seq,
            "event": self.event,
            "recorded_at": self.recorded_at,
            "previous": self.previous,
            "request": self.request,
            "payload_sha256": self.payload_sha256,
        }

"""What a host's session saw of one server's catalog, one event after the other.

Rules: docs/formats/catalog-events.md.
"""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple, TypeAlias

SCHEMA: Final = "assembler/catalog-event/1"
EventName: TypeAlias = Literal["catalog.listed", "catalog.unavailable", "catalog.transitioned"]
Cause: TypeAlias = Literal["start", "list-changed", "reconnect", "asked", "transition"]


class KeptOut(NamedTuple):
    """A tool that is listed, pinned or allowed, and not admitted."""

    name: str
    code: str
    """The slug that a ledger row of the same reason has."""
    digest: str | None
    """Of the definition as it is listed; None: it is not."""


class CatalogState(NamedTuple):
    """Which tools of a server may be offered to a model now."""

    admitted: tuple[str, ...]
    """Names, sorted."""
    kept_out: tuple[KeptOut, ...]
    """By name."""
    listed: str | None
    """`sha256:…` of the catalog as it is listed; None: it could not be read."""
    instructions: str | None
    """`sha256:…` of the server's text for the model."""


class CatalogEvent(NamedTuple):
    """One event of a session."""

    seq: int
    event: EventName
    recorded_at: str
    previous: str | None
    """`event_sha256` of the event before it in the same log."""
    server: str
    cause: Cause
    pinned: str
    """`sha256:…` of the pinned catalog that decides from this event on."""
    listed: str | None
    instructions_differ: bool
    """Whether the server's text for the model is not the pinned one."""
    admitted: tuple[str, ...]
    entered: tuple[str, ...]
    """Admitted now, and not before."""
    left: tuple[str, ...]
    """Admitted before, and not now."""
    kept_out: tuple[KeptOut, ...]
    code: str | None
    """Of `catalog.unavailable`: why it could not be read."""
    from_pinned: str | None
    """Of a transition: the pinned catalog that decided until now."""
    reason: str | None
    """Of a transition: in words."""
    event_sha256: str

    def to_json(self) -> dict[str, Any]:
        """The members as a log has them."""
        return {
            "schema": SCHEMA,
            **self._asdict(),
            "admitted": list(self.admitted),
            "entered": list(self.entered),
            "left": list(self.left),
            "kept_out": [kept._asdict() for kept in self.kept_out],
        }

"""Catalog events in bytes, each bound to the one before it.

In: what happened. Out: a line, or the events of a log whose chain holds. Rules:
docs/formats/catalog-events.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from assembler.errors import ConfigError
from assembler.model.canonical import (
    StrictJsonError,
    canonical_bytes,
    canonical_record,
    read_strict,
)
from assembler.model.catalog_event import SCHEMA, CatalogEvent, KeptOut
from assembler.model.digest import sha256_hex

TYPE: Final = "assembler/catalog-event/1"
_MEMBERS: Final = frozenset({"schema", *CatalogEvent._fields})


def seal_event(event: CatalogEvent) -> CatalogEvent:
    """The event with its hash: over everything else in it, the hash of the one before included."""
    return event._replace(event_sha256=_hash(event.to_json()))


def write_event(event: CatalogEvent) -> bytes:
    """The line of an event."""
    return canonical_record(event.to_json())


def read_events(data: bytes, *, where: str) -> tuple[CatalogEvent, ...]:
    """The events of a log, oldest first.

    Raises:
        ConfigError: `event-log-broken`: a line is none, or does not follow the one before it.
    """
    events: list[CatalogEvent] = []
    lines = data.split(b"\n")
    if lines[-1]:
        raise _broken(where, len(lines), "is cut")
    for number, line in enumerate(lines[:-1], start=1):
        event = _read_line(line, where, number)
        if event.previous != (events[-1].event_sha256 if events else None) or event.seq != number:
            raise _broken(where, number, "does not follow the one before it")
        events.append(event)
    return tuple(events)


def _read_line(line: bytes, where: str, number: int) -> CatalogEvent:
    try:
        value = read_strict(line)
    except StrictJsonError:
        raise _broken(where, number, "is no strict JSON") from None
    if not isinstance(value, dict) or set(value) != _MEMBERS or value["schema"] != SCHEMA:
        raise _broken(where, number, "is no catalog event")
    if _hash(value) != value["event_sha256"]:
        raise _broken(where, number, "is not what its hash says")
    try:
        return _from_json(value)
    except (TypeError, ValueError):
        raise _broken(where, number, "is no catalog event") from None


def _from_json(value: dict[str, Any]) -> CatalogEvent:
    members = {name: value[name] for name in CatalogEvent._fields}
    lists: Sequence[str] = ("admitted", "entered", "left")
    return CatalogEvent(
        **{
            **members,
            **{name: tuple(value[name]) for name in lists},
            "kept_out": tuple(KeptOut(**kept) for kept in value["kept_out"]),
        }
    )


def _hash(value: dict[str, Any]) -> str:
    kept = {name: member for name, member in value.items() if name != "event_sha256"}
    return sha256_hex(canonical_bytes({"type": TYPE, **kept}))


def _broken(where: str, number: int, problem: str) -> ConfigError:
    return ConfigError(
        "event-log-broken",
        f"event {number:,} of {where} {problem}",
        where=f"{where}:{number}",
        next_step="keep the file as it is, and start another log",
    )

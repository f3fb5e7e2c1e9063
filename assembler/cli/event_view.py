"""Events for people and programs: the chained record, and what consumed items of a run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assembler.cli.output import envelope, escape, write_out
from assembler.errors import EXIT_OK
from assembler.model.event import CONSUMED, TRANSITIONED
from assembler.model.failure import spell_failure

if TYPE_CHECKING:
    from assembler.adapters.store import Store
    from assembler.front.consuming import Consumption
    from assembler.front.records import StoredRun
    from assembler.model.event import Event

_SMALL_PAYLOADS = frozenset(
    {TRANSITIONED, CONSUMED, "context.compilation_failed", "context.preparation_failed"}
)
"""Events whose payload says something that stands nowhere else."""


def events_of_run(store: Store, events: Sequence[Event], run: StoredRun) -> list[Event]:
    """A run's two events, the transition that led to it, and the decisions that used it."""
    own = {run.requested.event_sha256}
    own |= set() if run.outcome is None else {run.outcome.event_sha256}
    found = []
    for event in events:
        payload = _read_payload(store, event)
        leads_to = event.event == TRANSITIONED and payload["to"] == run.requested.payload_sha256
        uses = event.event == CONSUMED and payload["compiled"] in own
        if event.event_sha256 in own or uses or (leads_to and event.seq < run.requested.seq):
            found.append(event)
    return found


def show_events(store: Store, events: Sequence[Event], output_format: str) -> int:
    """Print events in the asked form; looking adds none."""
    documents = [(event, _read_payload(store, event)) for event in events]
    if output_format == "json":
        head = events[-1].event_sha256 if events else None
        body = {"events": [_document(*each) for each in documents], "head": head}
        write_out(envelope("assembler/events/1", EXIT_OK, {}, body))
    elif output_format == "jsonl":
        write_out(
            "".join(json.dumps(_document(*each), sort_keys=True) + "\n" for each in documents)
        )
    else:
        lines = [_line(*each) + "\n" for each in documents]
        lines += [f"head   {events[-1].event_sha256}\n"] if events else []
        write_out("".join(lines) or "No event on record.\n")
    return EXIT_OK


def consumption_lines(consumptions: Sequence[Consumption]) -> Iterator[str]:
    """What later decisions used, one line each."""
    for item in consumptions:
        word = "consumed" if item.visible else "consumed-not-visible"
        yield f"{word}  {escape(item.id)}  by event {item.seq}: {escape(item.decision)}"


def _read_payload(store: Store, event: Event) -> Mapping[str, Any]:
    if event.event not in _SMALL_PAYLOADS:
        return {}
    from assembler.front.records import require_object

    payload: dict[str, Any] = json.loads(require_object(store, event.payload_sha256))
    return payload


def _document(event: Event, payload: Mapping[str, Any]) -> dict[str, Any]:
    return {**event.to_json(), **({"payload": payload} if payload else {})}


def _line(event: Event, payload: Mapping[str, Any]) -> str:
    request = "" if event.request is None else f"  of {event.request[:12]}"
    line = f"{event.seq:>5}  {event.recorded_at}  {event.event_sha256[:12]}  {event.event}{request}"
    words = _words(event, payload)
    return f"{line}  {escape(words)}" if words else line


def _words(event: Event, payload: Mapping[str, Any]) -> str:
    if not payload:
        return ""
    match event.event:
        case "context.transitioned":
            names = ", ".join(change["name"] for change in payload["changes"])
            return f"{names}: {payload['reason']}"
        case "context.consumed":
            return f"{payload['id']}: {payload['decision']}"
        case _:
            return spell_failure(payload)

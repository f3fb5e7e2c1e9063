"""Which later decision consumed which item of a run: appended afterwards, joined on reading."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from assembler.adapters.store import Store
from assembler.errors import UsageError
from assembler.front.records import (
    RunRecord,
    find_run,
    list_runs,
    not_offered,
    read_run,
    require_compiled,
    require_object,
)
from assembler.model.event import CONSUMED, Event
from assembler.model.finding import Finding, make_finding
from assembler.model.limits import MAX_WORDS_BYTES, are_words
from assembler.record.events import write_consumption


class Consumption(NamedTuple):
    """One item of a run and the decision that used it."""

    id: str
    decision: str
    seq: int
    """Of its event."""
    visible: bool
    """Whether the item stood in the input of that run."""


def consume(
    store: Store,
    chain: str,
    name: str,
    *,
    identifiers: Sequence[str],
    decision: str,
    clock: Callable[[], str],
) -> tuple[Consumption, ...]:
    """Append one event an item: a decision used it. All of them, or none.

    Args:
        store: the record.
        chain: the repository's key in it.
        name: the run's number, or `last`.
        identifiers: ids of its candidates; a repeated one counts once.
        decision: in words.
        clock: gives the time of each event.

    Raises:
        UsageError: the run has no package, it was not offered an id, or the decision is no
            text that an event can hold; nothing was appended.
    """
    if not are_words(decision):
        raise UsageError(
            "decision-invalid",
            f"a decision has 1 to {MAX_WORDS_BYTES:,} bytes",
            next_step="say in a sentence what was decided",
        )
    run = find_run(list_runs(store, chain), name)
    compiled = require_compiled(run)
    rendered = _rendered(read_run(store, run))
    wanted = list(dict.fromkeys(identifiers))
    for identifier in wanted:
        if identifier not in rendered:
            raise not_offered(
                identifier, str(run.number), sorted(rendered), "; nothing was recorded"
            )
    consumptions = []
    with store.appending(chain) as writer:
        for identifier in wanted:
            event = writer.append(
                CONSUMED,
                recorded_at=clock(),
                request=None,
                payload=write_consumption(compiled.event_sha256, identifier, decision),
                objects={},
            )
            visible = rendered[identifier]
            consumptions.append(Consumption(identifier, decision, event.seq, visible))
    return tuple(consumptions)


def consumptions_of(
    store: Store, events: Sequence[Event], compiled: Event, record: RunRecord
) -> tuple[Consumption, ...]:
    """What decisions used of one run, in the order of the record."""
    rendered = _rendered(record)
    found = []
    for event in events:
        if event.event != CONSUMED:
            continue
        payload = json.loads(require_object(store, event.payload_sha256))
        if payload["compiled"] == compiled.event_sha256:
            visible = rendered.get(payload["id"], False)
            found.append(Consumption(payload["id"], payload["decision"], event.seq, visible))
    return tuple(found)


def find_unseen(consumptions: Sequence[Consumption]) -> tuple[Finding, ...]:
    """A finding for each item that was consumed and had not been in the input."""
    return tuple(
        make_finding(
            "ASM404",
            None,
            f"{item.id} was consumed (event {item.seq}) and was not in the input of the run",
            fix="read it again before deciding, or correct the record of what was used",
            data={"id": item.id, "seq": item.seq},
        )
        for item in consumptions
        if not item.visible
    )


def _rendered(record: RunRecord) -> Mapping[str, bool]:
    return {row["id"]: _is_rendered(row) for row in record.rows}


def _is_rendered(row: Mapping[str, Any]) -> bool:
    return bool(row["states"]["rendered"])

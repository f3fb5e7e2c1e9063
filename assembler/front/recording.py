"""Compile an inventory on the record: the request before, the outcome after, nothing between.

A refusal is an event too. A package folder appears whole or not at all. Each step that a kill
could cut off has a name (`CHECKPOINTS`), and tests kill a process at each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from assembler.adapters.clock import utc_now
from assembler.adapters.store import Checkpoint, Store, pass_on
from assembler.errors import RefusedError, UsageError
from assembler.front.package_folder import require_free_folder, staged_folder, write_folder
from assembler.model.digest import sha256_hex
from assembler.model.event import COMPILED, REQUESTED, TRANSITIONED, Event
from assembler.model.inventory import Inventory
from assembler.pipeline import compile_inventory, write_inventory
from assembler.ports import Counter, Sender
from assembler.record.events import write_failure, write_head
from assembler.record.package import Package

if TYPE_CHECKING:
    from assembler.front.continuing import Continuation

CHECKPOINTS: Final = (
    "event-written", "event-committed", "compiled", "staged",
    "event-written", "event-committed", "published",
)  # fmt: skip
"""What a run with a package folder passes, in order; the store's own twice, once an event."""


class Wanted(NamedTuple):
    """What the invoker wants of a run beside its record, whichever door it comes through."""

    out: Path | None = None
    """A folder for the package, new or empty; None: the record alone keeps it."""
    variants: Path | None = None
    """A folder for variants of a contract, new or empty."""
    continued: Continuation | None = None
    """The run whose pins are kept."""
    sender: Sender | None = None
    """Gets the request once the run is on record, and never where it is not."""
    clock: Callable[[], str] = utc_now
    """Gives the time of each event."""
    checkpoint: Checkpoint = pass_on
    """Told the name of each point that is passed."""


NOTHING_MORE: Final = Wanted()


class Terms(NamedTuple):
    """Under what a run is recorded."""

    store: Store
    chain: str
    """The repository's key in the store."""
    open_counter: Callable[[str], Counter]
    wanted: Wanted


class RecordedRun(NamedTuple):
    """A compiled run and its two events."""

    number: int
    """Of the repository's runs, from 1."""
    package: Package
    events: tuple[Event, Event]
    transition: Event | None = None
    """What let the changed pins of a continued run in."""
    answer: object = None
    """What the sender gave back."""

    @property
    def files(self) -> dict[str, bytes]:
        """The package's files by name."""
        return self.package.files(write_head(self.events))


def compile_on_record(
    inventory: Inventory, contents: Mapping[str, bytes], terms: Terms
) -> RecordedRun:
    """Compile a normal form, keep it, and hand the request to the sender, where there is one.

    Args:
        inventory: in normal form.
        contents: bytes by digest.
        terms: under what it is recorded.

    Raises:
        RefusedError: with `recorded_seq` where the run had been requested; there is no
            package, `out` is untouched, and nothing was sent.
        UsageError: `out`, the record or the run to continue can't be used.
    """
    wanted = terms.wanted
    _require_places(inventory, wanted)
    inventory_bytes = write_inventory(inventory)
    transition, requested = _request(inventory, inventory_bytes, contents, terms)
    try:
        package = compile_inventory(
            inventory, contents, terms.open_counter, inventory_bytes=inventory_bytes
        )
    except RefusedError as error:
        error.recorded_seq = _record_failure(error, inventory_bytes, requested, terms).seq
        raise
    wanted.checkpoint("compiled")
    with _staged(package, wanted.out) as publish:
        wanted.checkpoint("staged")
        compiled = terms.store.append(
            terms.chain,
            COMPILED,
            recorded_at=wanted.clock(),
            request=requested.event_sha256,
            payload=package.manifest_bytes,
            objects={
                sha256_hex(data): data
                for data in (package.ledger_bytes, package.rendering.data, package.request.body)
            },
        )
        publish(write_head((requested, compiled)))
    wanted.checkpoint("published")
    if wanted.variants is not None:
        from assembler.front.variants import variant_files

        counter = terms.open_counter(inventory.budget.counter)
        write_folder(wanted.variants, variant_files(package, counter))
    number = terms.store.count_requests(terms.chain, requested.seq)
    return RecordedRun(
        number=number,
        package=package,
        events=(requested, compiled),
        transition=transition,
        answer=_send(wanted.sender, package.request.body, number),
    )


def _send(sender: Sender | None, body: bytes, number: int) -> object:
    """What the host's sender gives back; what it raises is its own, with the run named."""
    if sender is None:
        return None
    try:
        return sender.send(body)
    except Exception as error:
        error.add_note(f"assembler: run {number} is whole and on record")
        raise


def _require_places(inventory: Inventory, wanted: Wanted) -> None:
    """Refuse before the request what could not be written after it."""
    if wanted.out is not None:
        require_free_folder(wanted.out)
    if wanted.variants is not None:
        from assembler.front.variants import require_contract

        require_contract(inventory.layout)
        if wanted.out is not None and _overlap(wanted.out.resolve(), wanted.variants.resolve()):
            raise UsageError(
                "option-conflict",
                "a package and variants go to folders of their own",
                where=str(wanted.out),
                next_step="name another folder for the variants",
            )
        require_free_folder(wanted.variants)


def _overlap(one: Path, other: Path) -> bool:
    return one.is_relative_to(other) or other.is_relative_to(one)


def _request(
    inventory: Inventory, inventory_bytes: bytes, contents: Mapping[str, bytes], terms: Terms
) -> tuple[Event | None, Event]:
    """Append the request, and before it the transition of a continued run; both or none."""
    wanted = terms.wanted
    with terms.store.appending(terms.chain) as writer:
        transition = None
        if wanted.continued is not None:
            from assembler.front.continuing import plan_transition

            payload = plan_transition(writer, wanted.continued, inventory, inventory_bytes)
            if payload is not None:
                transition = writer.append(
                    TRANSITIONED,
                    recorded_at=wanted.clock(),
                    request=None,
                    payload=payload,
                    objects={},
                )
        requested = writer.append(
            REQUESTED,
            recorded_at=wanted.clock(),
            request=None,
            payload=inventory_bytes,
            objects=contents,
        )
    return transition, requested


def _record_failure(
    error: RefusedError, inventory_bytes: bytes, requested: Event, terms: Terms
) -> Event:
    assert error.event_name is not None  # the compiler raises no other
    return terms.store.append(
        terms.chain,
        error.event_name,
        recorded_at=terms.wanted.clock(),
        request=requested.event_sha256,
        payload=write_failure(sha256_hex(inventory_bytes), error.code, error.detail),
        objects={},
    )


@contextmanager
def _staged(package: Package, out: Path | None) -> Iterator[Callable[[bytes], None]]:
    """What lets the package's folder appear, if one is wanted."""
    if out is None:
        yield lambda head: None
        return
    with staged_folder(out, package.files(b"")) as publish:
        yield publish

"""Recorded runs: found by number, `last` or a package folder; read, never changed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from assembler.adapters.filesystem import read_host_file
from assembler.adapters.store import ChainWriter, Store
from assembler.errors import UsageError
from assembler.model.canonical import StrictJsonError, read_strict
from assembler.model.digest import sha256_hex
from assembler.model.event import COMPILED, REQUESTED, Event
from assembler.record.events import write_head

MAX_FILE_BYTES: Final = 64 * 1024 * 1024
LAST: Final = "last"


class StoredRun(NamedTuple):
    """One run of the record: its request, and its outcome where it has one."""

    number: int
    requested: Event
    outcome: Event | None

    @property
    def state(self) -> str:
        """`compiled`, `failed`, or `interrupted` where no outcome was recorded."""
        if self.outcome is None:
            return "interrupted"
        return "compiled" if self.outcome.event == COMPILED else "failed"


class RunRecord(NamedTuple):
    """What a run left: manifest and rows where it compiled, else the failure."""

    number: int | None
    """None where it is a package folder."""
    manifest: dict[str, Any] | None
    rows: tuple[dict[str, Any], ...]
    failure: dict[str, Any] | None


def runs_of(events: Sequence[Event]) -> tuple[StoredRun, ...]:
    """The runs of a chain, oldest first; a later event may stand between their two."""
    outcomes = {event.request: event for event in events if event.request is not None}
    requests = [event for event in events if event.event == REQUESTED]
    return tuple(
        StoredRun(number=number, requested=event, outcome=outcomes.get(event.event_sha256))
        for number, event in enumerate(requests, start=1)
    )


def list_runs(store: Store, chain: str) -> tuple[StoredRun, ...]:
    """The runs of a repository, oldest first."""
    return runs_of(store.events(chain))


def is_run_name(name: str) -> bool:
    """Whether a RUN is a number or `last`, and no folder without a manifest."""
    return name == LAST or (name.isascii() and name.isdecimal())


def find_run(runs: Sequence[StoredRun], name: str) -> StoredRun:
    """The run of a number, or the last one.

    Raises:
        UsageError: `run-missing`.
    """
    if name == LAST and runs:
        return runs[-1]
    if is_run_name(name) and name != LAST and 1 <= int(name) <= len(runs):
        return runs[int(name) - 1]
    known = f"runs 1 to {len(runs)}" if runs else "no run"
    raise UsageError(
        "run-missing",
        f"no such run: {name}; {known} of this repository on record",
        where=name,
        next_step="assembler log",
    )


def require_compiled(run: StoredRun) -> Event:
    """The outcome of a run that compiled.

    Raises:
        UsageError: `run-without-package`.
    """
    if run.outcome is None or run.state != "compiled":
        raise UsageError(
            "run-without-package",
            f"run {run.number} {run.state}: it has no package",
            where=str(run.number),
            next_step=f"assembler log {run.number}",
        )
    return run.outcome


def read_run(store: Store, run: StoredRun) -> RunRecord:
    """What the run left in the record.

    Raises:
        UsageError: `store-corrupt` where something of it is missing or damaged.
    """
    if run.outcome is None:
        return RunRecord(number=run.number, manifest=None, rows=(), failure=None)
    payload = require_object(store, run.outcome.payload_sha256)
    if run.state == "failed":
        failure = json.loads(payload)
        return RunRecord(number=run.number, manifest=None, rows=(), failure=failure)
    manifest = json.loads(payload)
    ledger = require_object(store, manifest["ledger_sha256"])
    return RunRecord(number=run.number, manifest=manifest, rows=_rows(ledger), failure=None)


def read_inventory(store: Store | ChainWriter, run: StoredRun) -> dict[str, Any]:
    """The inventory that a run was requested with.

    Raises:
        UsageError: `store-corrupt` where it is missing or damaged.
    """
    inventory: dict[str, Any] = json.loads(require_object(store, run.requested.payload_sha256))
    return inventory


def package_files(store: Store, run: StoredRun) -> dict[str, bytes]:
    """The files of the run's package, as they were when it was made.

    Raises:
        UsageError: `run-without-package`, or `store-corrupt`.
    """
    outcome = require_compiled(run)
    manifest_bytes = require_object(store, outcome.payload_sha256)
    manifest = json.loads(manifest_bytes)
    return {
        "inventory.json": require_object(store, run.requested.payload_sha256),
        "ledger.jsonl": require_object(store, manifest["ledger_sha256"]),
        "manifest.json": manifest_bytes,
        "head.json": write_head((run.requested, outcome)),
        "request.json": require_object(store, manifest["request"]["sha256"]),
        manifest["rendered"]["file"]: require_object(store, manifest["rendered"]["sha256"]),
        **{f"objects/{digest}": require_object(store, digest) for digest in manifest["objects"]},
    }


def read_package_folder(folder: Path) -> RunRecord:
    """Manifest and rows of a package folder, taken as they are: `verify` is another command.

    Raises:
        UsageError: it is none, or its files are not what a package holds.
    """
    try:
        manifest = read_strict(read_host_file(folder / "manifest.json", limit_bytes=MAX_FILE_BYTES))
        ledger = read_host_file(folder / "ledger.jsonl", limit_bytes=MAX_FILE_BYTES)
        rows = _rows(ledger)
    except StrictJsonError:
        raise _no_package(folder) from None
    if not isinstance(manifest, dict) or manifest.get("ledger_sha256") != sha256_hex(ledger):
        raise _no_package(folder)
    # Most runs are of the record, which nobody else wrote.
    from assembler.front.package_shapes import has_package_shape

    if not has_package_shape(manifest, rows):
        raise _no_package(folder)
    return RunRecord(number=None, manifest=manifest, rows=rows, failure=None)


def read_rendered(manifest: Mapping[str, Any], place: Store | Path) -> bytes:
    """The rendered bytes that a manifest speaks of.

    Args:
        manifest: of the run.
        place: the record, or the package's folder.

    Raises:
        UsageError: they are missing, or other ones.
    """
    digest = manifest["rendered"]["sha256"]
    if isinstance(place, Store):
        return require_object(place, digest)
    data = read_host_file(place / manifest["rendered"]["file"], limit_bytes=MAX_FILE_BYTES)
    if sha256_hex(data) != digest:
        raise _no_package(place)
    return data


def read_folder_objective(folder: Path) -> str | None:
    """The id of a package's objective, where its inventory can be read."""
    try:
        data = read_host_file(folder / "inventory.json", limit_bytes=MAX_FILE_BYTES)
        return str(read_strict(data)["task"]["objective"])
    except (UsageError, StrictJsonError, KeyError, TypeError):
        return None


def is_package_folder(name: str, base: Path) -> bool:
    """Whether a RUN names a folder with a manifest."""
    return (base / name / "manifest.json").is_file()


def find_rows(rows: tuple[dict[str, Any], ...], name: str) -> list[dict[str, Any]]:
    """The rows that a name means: the id, else a path's or source's unique suffix."""
    exact = [row for row in rows if row["id"] == name]
    if exact:
        return exact
    whole = [row for row in rows if name in _spellings(row)]
    if whole:
        return whole
    return [row for row in rows if _is_suffix(name, row)]


def not_offered(identifier: str, run: str, known: Sequence[str], more: str = "") -> UsageError:
    """The failure for an id that a run was not offered, with the nearest one it was.

    Args:
        identifier: what was asked for.
        run: as the invoker or the record calls it.
        known: ids that were offered.
        more: what else there is to say.
    """
    import difflib

    near = difflib.get_close_matches(identifier, known, n=1, cutoff=0.4)
    return UsageError(
        "item-missing",
        f"run {run} was not offered {identifier}{more}",
        where=identifier,
        next_step=f"did you mean {near[0]}?" if near else f"assembler log {run}",
    )


def _spellings(row: Mapping[str, Any]) -> set[str]:
    """What a person may call a row: its id without the kind, its source, and their paths."""
    texts = [row["id"].partition(":")[2], row["source"] or ""]
    return {text for text in (*texts, *(text.partition("#")[0] for text in texts)) if text}


def _is_suffix(name: str, row: Mapping[str, Any]) -> bool:
    return any(text.endswith(f"/{name}") for text in _spellings(row))


def _rows(ledger: bytes) -> tuple[dict[str, Any], ...]:
    rows = tuple(read_strict(line) for line in ledger.split(b"\n") if line)
    if not all(isinstance(row, dict) for row in rows):
        raise StrictJsonError("a row is no object")
    return rows


def require_object(store: Store | ChainWriter, digest: str) -> bytes:
    """Bytes that the record speaks of.

    Raises:
        UsageError: `store-corrupt` where they are missing or damaged.
    """
    data = store.read_object(digest)
    if data is None:
        raise UsageError(
            "store-corrupt",
            f"the record has no bytes of {digest[:12]}",
            where=digest,
            next_step="restore the state folder from a backup",
        )
    return data


def _no_package(folder: Path) -> UsageError:
    return UsageError(
        "package-unreadable",
        f"{folder} is not a package that can be read",
        where=str(folder),
        next_step=f"assembler verify {folder}",
    )

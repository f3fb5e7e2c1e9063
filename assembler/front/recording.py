"""Compile an inventory on the record: the request before, the outcome after, nothing between.

A refusal is an event too. A package folder appears whole or not at all.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from assembler.adapters.store import Store
from assembler.errors import RefusedError, UsageError
from assembler.model.digest import sha256_hex
from assembler.model.event import COMPILED, REQUESTED, Event
from assembler.model.inventory import Inventory
from assembler.pipeline import compile_inventory, write_inventory
from assembler.ports import Counter
from assembler.record.events import write_failure, write_head
from assembler.record.package import Package


class RecordedRun(NamedTuple):
    """A compiled run and its two events."""

    number: int
    """Of the repository's runs, from 1."""
    package: Package
    events: tuple[Event, Event]

    @property
    def files(self) -> dict[str, bytes]:
        """The package's files by name."""
        return self.package.files(write_head(self.events))


def compile_on_record(
    inventory: Inventory,
    contents: Mapping[str, bytes],
    *,
    store: Store,
    chain: str,
    open_counter: Callable[[str], Counter],
    clock: Callable[[], str],
    out: Path | None,
) -> RecordedRun:
    """Compile a normal form and keep it.

    Args:
        inventory: in normal form.
        contents: bytes by digest.
        store: the record.
        chain: the repository's key in it.
        open_counter: gives a counter by name.
        clock: gives the time of each event.
        out: a folder for the package, new or empty; None: the record alone keeps it.

    Raises:
        RefusedError: with `recorded_seq`; there is no package, and `out` is untouched.
        UsageError: `out` or the record can't be used.
    """
    if out is not None:
        require_free_folder(out)
    inventory_bytes = write_inventory(inventory)
    requested = store.append(
        chain,
        REQUESTED,
        recorded_at=clock(),
        request=None,
        payload=inventory_bytes,
        objects=contents,
    )
    try:
        package = compile_inventory(
            inventory, contents, open_counter, inventory_bytes=inventory_bytes
        )
    except RefusedError as error:
        assert error.event_name is not None  # the compiler raises no other
        failed = store.append(
            chain,
            error.event_name,
            recorded_at=clock(),
            request=requested.event_sha256,
            payload=write_failure(sha256_hex(inventory_bytes), error.code, error.detail),
            objects={},
        )
        error.recorded_seq = failed.seq
        raise
    with _staged(package, out) as publish:
        compiled = store.append(
            chain,
            COMPILED,
            recorded_at=clock(),
            request=requested.event_sha256,
            payload=package.manifest_bytes,
            objects={
                sha256_hex(data): data
                for data in (package.ledger_bytes, package.rendering.data, package.request.body)
            },
        )
        publish(write_head((requested, compiled)))
    return RecordedRun(
        number=store.count_requests(chain, requested.seq),
        package=package,
        events=(requested, compiled),
    )


def require_free_folder(out: Path) -> None:
    """Refuse a folder that holds something: nothing is ever overwritten.

    Raises:
        UsageError: `out-not-empty`, `out-not-a-folder` or `path-missing`.
    """
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise UsageError("out-not-a-folder", f"{out} is no folder", where=str(out))
    if out.is_dir() and any(out.iterdir()):
        raise UsageError(
            "out-not-empty",
            f"{out} is not empty",
            where=str(out),
            next_step="name a new folder; nothing is overwritten",
        )
    if not out.parent.is_dir():
        raise UsageError("path-missing", f"no such folder: {out.parent}", where=str(out))


def write_folder(out: Path, files: Mapping[str, bytes]) -> None:
    """Write a package folder as a whole.

    Raises:
        UsageError: `out-unwritable`; nothing is left behind.
    """
    require_free_folder(out)
    staging = _stage(out, files)
    _publish(staging, out)


@contextmanager
def _staged(package: Package, out: Path | None) -> Iterator[Callable[[bytes], None]]:
    """Everything but the head is on disk before the outcome is; the folder appears after."""
    if out is None:
        yield lambda head: None
        return
    files = {name: data for name, data in package.files(b"").items() if name != "head.json"}
    staging = _stage(out, files)

    def publish(head: bytes) -> None:
        _write(staging / "head.json", head)
        _publish(staging, out)

    try:
        yield publish
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _stage(out: Path, files: Mapping[str, bytes]) -> Path:
    staging = out.parent / f".{out.name}.{os.getpid()}.partial"
    try:
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir()
        if any(name.startswith("objects/") for name in files):
            (staging / "objects").mkdir()
        for name, data in files.items():
            _write(staging / name, data)
    except OSError as error:
        shutil.rmtree(staging, ignore_errors=True)
        raise _unwritable(out, error) from None
    return staging


def _write(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _publish(staging: Path, out: Path) -> None:
    try:
        # An empty folder of that name gives way; a full one does not.
        staging.rename(out)
    except OSError as error:
        shutil.rmtree(staging, ignore_errors=True)
        raise _unwritable(out, error) from None


def _unwritable(out: Path, error: OSError) -> UsageError:
    return UsageError(
        "out-unwritable",
        f"can't write {out}: {error.strerror or 'input/output error'}",
        where=str(out),
        next_step="free space, or name a folder you can write to",
    )

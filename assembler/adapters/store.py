"""The durable record: events in one chain a repository, contents by digest, in one SQLite file.

Append only: a trigger refuses every update and delete. Each append reads the head and writes
under one lock (BEGIN IMMEDIATE), and is on disk when it returns (synchronous FULL).
Contents are checked against their digest on every read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from assembler.adapters.store_file import FILE_NAME, StoreFile
from assembler.model.digest import sha256_hex
from assembler.model.event import REQUESTED, Event

__all__ = ["FILE_NAME", "ChainWriter", "Store"]

_EVENT_MEMBERS: Final = (
    "seq", "event", "recorded_at", "previous", "request", "payload_sha256",
)  # fmt: skip
_EVENT_COLUMNS: Final = ", ".join((*_EVENT_MEMBERS, "event_sha256"))

Checkpoint = Callable[[str], None]
"""Told the name of each point that is passed; where a process may be killed."""


def pass_on(_: str) -> None:
    """The checkpoint of every real run: nothing happens there."""


class Store:
    """One user's record of every run. Use as a context manager."""

    def __init__(self, folder: Path, *, checkpoint: Checkpoint = pass_on) -> None:
        """Name the folder; nothing is opened.

        Args:
            folder: the state folder.
            checkpoint: told of `event-written` before and `event-committed` after each commit.
        """
        self._file = StoreFile(folder)
        self._checkpoint = checkpoint
        self._reading: sqlite3.Connection | None = None
        self._writing: sqlite3.Connection | None = None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        for connection in (self._reading, self._writing):
            if connection is not None:
                connection.close()
        self._reading = self._writing = None

    @contextmanager
    def appending(self, chain: str) -> Iterator[ChainWriter]:
        """Append events that stand together: all of them, or none, and nothing in between.

        Raises:
            UsageError: `store-unwritable`, `store-newer` or `store-corrupt`; nothing was added.
        """
        with self._file.translated():
            if self._writing is None:
                self._writing = self._file.open_to_write()
            connection = self._writing
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield ChainWriter(connection, chain, self._file)
                self._checkpoint("event-written")
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.rollback()
                raise
        self._checkpoint("event-committed")

    def append(
        self,
        chain: str,
        name: str,
        *,
        recorded_at: str,
        request: str | None,
        payload: bytes,
        objects: Mapping[str, bytes],
    ) -> Event:
        """Append one event with its payload and the contents it speaks of, or nothing at all.

        Raises:
            UsageError: as `appending`.
        """
        with self.appending(chain) as writer:
            return writer.append(
                name, recorded_at=recorded_at, request=request, payload=payload, objects=objects
            )

    def events(self, chain: str) -> tuple[Event, ...]:
        """Every event of a chain, in order. Looking adds nothing.

        Raises:
            UsageError: `store-corrupt` where an event is not what its hash says.
        """
        with self._file.translated():
            connection = self._open()
            return () if connection is None else _read_events(connection, chain, self._file)

    def chains(self) -> tuple[str, ...]:
        """The keys of all chains, sorted."""
        with self._file.translated():
            connection = self._open()
            if connection is None:
                return ()
            rows = connection.execute("SELECT DISTINCT chain FROM events ORDER BY chain")
            return tuple(row[0] for row in rows)

    def count_requests(self, chain: str, seq: int) -> int:
        """How many runs a chain had requested up to an event: that run's number."""
        with self._file.translated():
            connection = self._open()
            if connection is None:
                return 0
            (number,) = connection.execute(
                "SELECT count(*) FROM events WHERE chain = ? AND seq <= ? AND event = ?",
                (chain, seq, REQUESTED),
            ).fetchone()
            return int(number)

    def read_object(self, digest: str) -> bytes | None:
        """The bytes of a digest, checked; None where the store does not have them.

        Raises:
            UsageError: `store-corrupt`.
        """
        with self._file.translated():
            connection = self._open()
            return None if connection is None else _read_object(connection, digest, self._file)

    def _open(self) -> sqlite3.Connection | None:
        """A connection to read by, or None where there is no record yet."""
        if self._writing is not None:
            return self._writing
        if self._reading is None and self._file.exists:
            connection = self._file.open_to_read()
            (tables,) = connection.execute(
                "SELECT count(*) FROM sqlite_master WHERE name IN ('events', 'objects')"
            ).fetchone()
            if tables != 2:
                # A process that was killed while it made the file leaves one without tables.
                connection.close()
                return None
            self._reading = connection
        return self._reading


class ChainWriter:
    """Appends to one chain inside one transaction, and sees what stands there under its lock."""

    def __init__(self, connection: sqlite3.Connection, chain: str, file: StoreFile) -> None:
        self._connection = connection
        self._chain = chain
        self._file = file

    def events(self) -> tuple[Event, ...]:
        """As `Store.events`, under the lock."""
        return _read_events(self._connection, self._chain, self._file)

    def read_object(self, digest: str) -> bytes | None:
        """As `Store.read_object`, under the lock."""
        return _read_object(self._connection, digest, self._file)

    def append(
        self,
        name: str,
        *,
        recorded_at: str,
        request: str | None,
        payload: bytes,
        objects: Mapping[str, bytes],
    ) -> Event:
        """Append one event, its payload and the contents it speaks of.

        Raises:
            UsageError: `store-corrupt` where the chain's head, or a content of the same digest
                that is on record already, is damaged: nothing may be built upon it.
        """
        last = self._head()
        event = Event(
            seq=1 if last is None else last.seq + 1,
            event=name,
            recorded_at=recorded_at,
            previous=None if last is None else last.event_sha256,
            request=request,
            payload_sha256=sha256_hex(payload),
        )
        for digest, data in sorted({**objects, event.payload_sha256: payload}.items()):
            self._keep(digest, data)
        self._connection.execute(
            f"INSERT INTO events (chain, {_EVENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self._chain,
                event.seq,
                event.event,
                event.recorded_at,
                event.previous,
                event.request,
                event.payload_sha256,
                event.event_sha256,
            ),
        )
        return event

    def _head(self) -> Event | None:
        row = self._connection.execute(
            f"SELECT {_EVENT_COLUMNS} FROM events WHERE chain = ? ORDER BY seq DESC LIMIT 1",
            (self._chain,),
        ).fetchone()
        return None if row is None else _read_event(row, self._file)

    def _keep(self, digest: str, data: bytes) -> None:
        added = self._connection.execute(
            "INSERT INTO objects VALUES (?, ?) ON CONFLICT (sha256) DO NOTHING", (digest, data)
        ).rowcount
        if added:
            return
        (is_same,) = self._connection.execute(
            "SELECT data = ? FROM objects WHERE sha256 = ?", (data, digest)
        ).fetchone()
        if not is_same:
            raise self._file.corrupt(f"object {digest[:12]}")


def _read_events(connection: sqlite3.Connection, chain: str, file: StoreFile) -> tuple[Event, ...]:
    rows = connection.execute(
        f"SELECT {_EVENT_COLUMNS} FROM events WHERE chain = ? ORDER BY seq", (chain,)
    )
    events: list[Event] = []
    previous: str | None = None
    for row in rows:
        event = _read_event(row, file)
        if event.seq != len(events) + 1 or event.previous != previous:
            raise file.corrupt(f"event {len(events) + 1}")
        events.append(event)
        previous = event.event_sha256
    return tuple(events)


def _read_event(row: tuple[object, ...], file: StoreFile) -> Event:
    *members, event_sha256 = row
    event = Event(**dict(zip(_EVENT_MEMBERS, members, strict=True)))  # type: ignore[arg-type]
    try:
        is_whole = event.event_sha256 == event_sha256
    except (TypeError, ValueError):
        is_whole = False
    if not is_whole:
        raise file.corrupt(f"event {event.seq}")
    return event


def _read_object(connection: sqlite3.Connection, digest: str, file: StoreFile) -> bytes | None:
    row = connection.execute("SELECT data FROM objects WHERE sha256 = ?", (digest,)).fetchone()
    if row is None:
        return None
    data = bytes(row[0]) if isinstance(row[0], bytes) else b""
    if sha256_hex(data) != digest:
        raise file.corrupt(f"object {digest[:12]}")
    return data

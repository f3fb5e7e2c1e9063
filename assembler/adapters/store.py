"""The durable record: events in one chain a repository, contents by digest, in one SQLite file.

Append only: a trigger refuses every update and delete. Each append reads the head and writes
under one lock (BEGIN IMMEDIATE), and is on disk when it returns (synchronous FULL).
Contents are checked against their digest on every read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from assembler.errors import UsageError
from assembler.model.digest import sha256_hex
from assembler.model.event import REQUESTED, Event

SCHEMA_VERSION: Final = 1
BUSY_TIMEOUT_SECONDS: Final = 30.0
"""With none, eight writers lose most of their appends to lock errors (measured)."""
FILE_NAME: Final = "assembler.sqlite3"

_SCHEMA: Final = (
    "CREATE TABLE objects (sha256 TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE events ("
    " chain TEXT NOT NULL, seq INTEGER NOT NULL, event TEXT NOT NULL, recorded_at TEXT NOT NULL,"
    " previous TEXT, request TEXT, payload_sha256 TEXT NOT NULL, event_sha256 TEXT NOT NULL,"
    " PRIMARY KEY (chain, seq), UNIQUE (chain, event_sha256)) WITHOUT ROWID",
    *(
        f"CREATE TRIGGER no_{verb}_{table} BEFORE {verb} ON {table}"
        " BEGIN SELECT RAISE(ABORT, 'append only'); END"
        for table in ("events", "objects")
        for verb in ("UPDATE", "DELETE")
    ),
    f"PRAGMA user_version = {SCHEMA_VERSION}",
)


class Store:
    """One user's record of every run. Use as a context manager."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._connection: sqlite3.Connection | None = None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

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
            UsageError: `store-unwritable`, `store-newer` or `store-corrupt`.
        """
        with self._translate(), self._writing() as connection:
            row = connection.execute(
                "SELECT seq, event_sha256 FROM events WHERE chain = ? ORDER BY seq DESC LIMIT 1",
                (chain,),
            ).fetchone()
            event = Event(
                seq=1 if row is None else row[0] + 1,
                event=name,
                recorded_at=recorded_at,
                previous=None if row is None else row[1],
                request=request,
                payload_sha256=sha256_hex(payload),
            )
            for digest, data in sorted({**objects, event.payload_sha256: payload}.items()):
                connection.execute(
                    "INSERT INTO objects VALUES (?, ?) ON CONFLICT (sha256) DO NOTHING",
                    (digest, data),
                )
            connection.execute(
                "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    chain,
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

    def events(self, chain: str) -> tuple[Event, ...]:
        """Every event of a chain, in order. Looking adds nothing.

        Raises:
            UsageError: `store-corrupt` where an event is not what its hash says.
        """
        if not self._path.is_file():
            return ()
        with self._translate():
            rows = self._open().execute(
                "SELECT seq, event, recorded_at, previous, request, payload_sha256, event_sha256"
                " FROM events WHERE chain = ? ORDER BY seq",
                (chain,),
            )
            events: list[Event] = []
            for *members, event_sha256 in rows:
                names = ("seq", "event", "recorded_at", "previous", "request", "payload_sha256")
                event = Event(**dict(zip(names, members, strict=True)))
                last = events[-1] if events else None
                follows = event.seq == len(events) + 1 and event.previous == (
                    None if last is None else last.event_sha256
                )
                if not follows or event.event_sha256 != event_sha256:
                    raise self._corrupt(f"event {len(events) + 1}")
                events.append(event)
        return tuple(events)

    def chains(self) -> tuple[str, ...]:
        """The keys of all chains, sorted."""
        if not self._path.is_file():
            return ()
        with self._translate():
            rows = self._open().execute("SELECT DISTINCT chain FROM events ORDER BY chain")
            return tuple(row[0] for row in rows)

    def count_requests(self, chain: str, seq: int) -> int:
        """How many runs a chain had requested up to an event: that run's number."""
        with self._translate():
            (number,) = (
                self._open()
                .execute(
                    "SELECT count(*) FROM events WHERE chain = ? AND seq <= ? AND event = ?",
                    (chain, seq, REQUESTED),
                )
                .fetchone()
            )
            return int(number)

    def read_object(self, digest: str) -> bytes | None:
        """The bytes of a digest, checked; None where the store does not have them.

        Raises:
            UsageError: `store-corrupt`.
        """
        if not self._path.is_file():
            return None
        with self._translate():
            row = (
                self._open()
                .execute("SELECT data FROM objects WHERE sha256 = ?", (digest,))
                .fetchone()
            )
        if row is None:
            return None
        data = bytes(row[0])
        if sha256_hex(data) != digest:
            raise self._corrupt(f"object {digest[:12]}")
        return data

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        connection = self._open()
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
        except BaseException:
            connection.rollback()
            raise
        connection.execute("COMMIT")

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            connection = sqlite3.connect(
                self._path, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None
            )
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version == 0:
            connection.execute("BEGIN IMMEDIATE")
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version == 0:
                (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
                if tables:
                    raise self._corrupt("the file is another program's and")
                for statement in _SCHEMA:
                    connection.execute(statement)
            connection.execute("COMMIT")
        elif version > SCHEMA_VERSION:
            raise UsageError(
                "store-newer",
                f"the record was written by a newer version (schema {version})",
                where=str(self._path),
                next_step="upgrade assembler, or set ASSEMBLER_STATE to another folder",
            )

    @contextmanager
    def _translate(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            unreadable = not isinstance(error, sqlite3.OperationalError)
            if unreadable:
                raise self._corrupt("the file") from None
            raise self._unwritable(str(error)) from None
        except OSError as error:
            raise self._unwritable(error.strerror or "input/output error") from None

    def _unwritable(self, problem: str) -> UsageError:
        return UsageError(
            "store-unwritable",
            f"the record can't be used: {problem}; nothing was made",
            where=str(self._path),
            next_step="free space or set ASSEMBLER_STATE to a folder you can write to",
        )

    def _corrupt(self, what: str) -> UsageError:
        return UsageError(
            "store-corrupt",
            f"the record is damaged: {what} is not what its digest says",
            where=str(self._path),
            next_step="keep the file for inspection and set ASSEMBLER_STATE to another folder",
        )

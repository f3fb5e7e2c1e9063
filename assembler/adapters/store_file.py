"""The SQLite file of the record: made, opened for writing, opened for reading, and its failures.

Reading never makes a file. On a read-only place SQLite can't open a file in WAL mode in the
usual way, so it is opened as immutable there, and only if its journal holds nothing more
(measured: facts of the store in docs/decisions/0007).
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import quote

from assembler.errors import UsageError

SCHEMA_VERSION: Final = 1
BUSY_TIMEOUT_SECONDS: Final = 30.0
"""With none, eight writers lose most of their appends to lock errors (measured)."""
FILE_NAME: Final = "assembler.sqlite3"
_RETRY_SECONDS: Final = 0.02

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
_Answer = TypeVar("_Answer")


class StoreFile:
    """One user's file, and what can be wrong with it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME

    @property
    def exists(self) -> bool:
        """Whether there is a record at all.

        Raises:
            UsageError: `store-unwritable` where nobody can tell.
        """
        try:
            return self.path.is_file()
        except OSError as error:
            raise self._unusable(error.strerror or "input/output error") from None

    def open_to_write(self) -> sqlite3.Connection:
        """A connection on the file, which is made where there is none.

        Raises:
            sqlite3.Error, OSError, UsageError: it can't be used; `translated` says how.
        """
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        connection = self._connect(str(self.path), uri=False)
        try:
            _wait_for_the_lock(lambda: connection.execute("PRAGMA journal_mode = WAL"))
            connection.execute("PRAGMA synchronous = FULL")
            if self._version(connection) == 0:
                self._make(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def open_to_read(self) -> sqlite3.Connection:
        """A connection that adds nothing; the file is there.

        Raises:
            sqlite3.Error, UsageError: it can't be used; `translated` says how.
        """
        place = f"file:{quote(str(self.path), errors='surrogateescape')}"
        try:
            return self._checked(self._connect(f"{place}?mode=rw", uri=True))
        except sqlite3.OperationalError as error:
            if not _means_read_only(error):
                raise
        journal = self.path.with_name(f"{FILE_NAME}-wal")
        if journal.is_file() and journal.stat().st_size:
            raise UsageError(
                "store-unreadable",
                "the record lies in a read-only place and its last events are still in its journal",
                where=str(self.path),
                next_step="copy the folder to a place you can write to, and set ASSEMBLER_STATE",
            )
        return self._checked(self._connect(f"{place}?immutable=1", uri=True))

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Say what SQLite or the system refuses in our words, never with a content.

        Raises:
            UsageError: `store-unwritable` or `store-corrupt`.
        """
        try:
            yield
        except sqlite3.OperationalError as error:
            raise self._unusable(str(error)) from None
        except sqlite3.DatabaseError:
            raise self.corrupt("the file") from None
        except OSError as error:
            raise self._unusable(error.strerror or "input/output error") from None

    def corrupt(self, what: str) -> UsageError:
        """The failure for a record that is not what its digests say."""
        return UsageError(
            "store-corrupt",
            f"the record is damaged: {what} is not what its digest says",
            where=str(self.path),
            next_step="keep the file for inspection and set ASSEMBLER_STATE to another folder",
        )

    def _connect(self, place: str, *, uri: bool) -> sqlite3.Connection:
        return sqlite3.connect(place, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None, uri=uri)

    def _checked(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        try:
            self._version(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _version(self, connection: sqlite3.Connection) -> int:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > SCHEMA_VERSION:
            raise UsageError(
                "store-newer",
                f"the record was written by a newer version (schema {version})",
                where=str(self.path),
                next_step="upgrade assembler, or set ASSEMBLER_STATE to another folder",
            )
        return int(version)

    def _make(self, connection: sqlite3.Connection) -> None:
        """Lay out a new file; of two that start at once, the second finds it done."""
        connection.execute("BEGIN IMMEDIATE")
        if self._version(connection) == 0:
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if tables:
                raise self.corrupt("the file is another program's and")
            for statement in _SCHEMA:
                connection.execute(statement)
        connection.execute("COMMIT")

    def _unusable(self, problem: str) -> UsageError:
        return UsageError(
            "store-unwritable",
            f"the record can't be used: {problem}; nothing was made",
            where=str(self.path),
            next_step="free space or set ASSEMBLER_STATE to a folder you can write to",
        )


def _wait_for_the_lock(attempt: Callable[[], _Answer]) -> _Answer:
    """Changing the journal mode fails at once where another process holds the file (measured)."""
    deadline = time.monotonic() + BUSY_TIMEOUT_SECONDS
    while True:
        try:
            return attempt()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
        time.sleep(_RETRY_SECONDS)


def _means_read_only(error: sqlite3.OperationalError) -> bool:
    return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)

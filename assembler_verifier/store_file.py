"""Read a producer's store, one SQLite file, and write nothing in it or beside it.

In: a path. Out: a `Store` with its chains of events and its objects, or `NoStoreError`.
The file is of unknown origin: what is read is bounded in size, in rows and in steps.
Rules: docs/formats/events.md, "The store".
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import TypeAlias, TypeVar

from assembler_verifier.folder import MAX_FILE_BYTES, NoStoreError
from assembler_verifier.schema import HEX_DIGEST
from assembler_verifier.strict_json import INTEGER_BOUND, JsonObject, JsonValue

USER_VERSION = 1
MAX_EVENTS = 500_000
MAX_EVENTS_CHARACTERS = 2**29
"""Characters of all events together: what is held in memory at once."""
MAX_OBJECT_BYTES = MAX_FILE_BYTES
MAX_STEP_GROUPS = 50_000
"""Groups of `_STEPS` instructions of SQLite's machine, over a whole verification."""

_STEPS = 100_000
_ROW_BYTES = 2**20
"""Room for the rest of a row that holds an object of the largest size."""
_ATTEMPTS = 3
_EVENT_COLUMNS = (
    "seq",
    "event",
    "recorded_at",
    "previous",
    "request",
    "payload_sha256",
    "event_sha256",
)
_COLUMNS = {"objects": ("sha256", "data"), "events": ("chain", *_EVENT_COLUMNS)}
_SAFE_IN_URI = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
_NO_VALUE: JsonValue = []
"""Stands for a value that no event can have, so that it fails as one of another shape."""

_Stamp: TypeAlias = tuple[tuple[int, ...] | None, ...]
_Answer = TypeVar("_Answer")


class StoredObjects(Mapping[str, bytes]):
    """Objects by digest, each read when it is asked for; what is no blob or too large is absent."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Take an open store."""
        self._connection = connection

    def __getitem__(self, digest: str) -> bytes:
        if not self._fits(digest):
            raise KeyError(digest)
        found = self._connection.execute("SELECT data FROM objects WHERE sha256 = ?", (digest,))
        return bytes(found.fetchone()[0])

    def __contains__(self, digest: object) -> bool:
        return self._fits(digest)

    def __iter__(self) -> Iterator[str]:
        return (digest for digest, problem in self.keys_with_problems() if problem is None)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def size(self, digest: str) -> int:
        """Bytes of an object, without reading it; 0 if there is none."""
        query = "SELECT length(data) FROM objects WHERE sha256 = ? AND typeof(data) = 'blob'"
        row = self._connection.execute(query, (digest,)).fetchone()
        return 0 if row is None else int(row[0])

    def keys_with_problems(self) -> Iterator[tuple[str, str | None]]:
        """Each key, with what keeps its row from being an object."""
        query = "SELECT sha256, typeof(sha256), typeof(data), length(data) FROM objects"
        for key, key_type, data_type, size in self._connection.execute(query):
            if key_type != "text" or HEX_DIGEST.fullmatch(key) is None:
                yield "", "a key of objects is no digest"
            elif data_type != "blob":
                yield key, "it holds no bytes"
            elif size > MAX_OBJECT_BYTES:
                yield key, f"it holds more than {MAX_OBJECT_BYTES} bytes"
            else:
                yield key, None

    def _fits(self, digest: object) -> bool:
        if not isinstance(digest, str):
            return False
        query = (
            "SELECT 1 FROM objects WHERE sha256 = ? AND typeof(data) = 'blob' AND length(data) <= ?"
        )
        row = self._connection.execute(query, (digest, MAX_OBJECT_BYTES)).fetchone()
        return row is not None


class Store:
    """An open store."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Read the events; objects are read later."""
        self.objects = StoredObjects(connection)
        self.chains = _read_chains(connection)

    def chosen(self, chain: str | None) -> dict[str, list[JsonObject]]:
        """The events of one chain by its key, or of all.

        Raises:
            NoStoreError: there is no event to verify.
        """
        if not self.chains:
            raise NoStoreError("empty-store", "the store holds no event")
        if chain is None:
            return self.chains
        if chain not in self.chains:
            raise NoStoreError("no-such-chain", "the store holds no chain of that key")
        return {chain: self.chains[chain]}


def with_store(path: Path, use: Callable[[Store], _Answer]) -> _Answer:
    """Open a store, let a function read it, close it.

    The function is called again if the file was written to meanwhile.

    Raises:
        NoStoreError: there is no such file, it is no store, or its owner keeps writing to it.
    """
    path = _resolved(path)
    for _ in range(_ATTEMPTS):
        before = _stamp(path)
        try:
            answer = _use_once(path, use)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            # The module decodes SQLite's messages, which may quote a damaged schema.
            if _stamp(path) == before:
                raise _unreadable(error) from None
            continue
        if _stamp(path) == before:
            return answer
    raise NoStoreError("store-busy", "the store was written to while it was read")


def _resolved(path: Path) -> Path:
    """The file itself: SQLite keeps the log beside it, and not beside a link to it."""
    try:
        return path.resolve()
    except (OSError, ValueError, RuntimeError):
        raise _no_such_store() from None


def _no_such_store() -> NoStoreError:
    return NoStoreError("no-such-store", "there is no such file, or it is closed")


def _use_once(path: Path, use: Callable[[Store], _Answer]) -> _Answer:
    with closing(sqlite3.connect(_uri(path), uri=True, isolation_level=None)) as connection:
        _set_bounds(connection)
        connection.execute("BEGIN")
        _check_schema(connection)
        return use(Store(connection))


def _unreadable(error: Exception) -> NoStoreError:
    code = getattr(error, "sqlite_errorcode", None)
    if code == sqlite3.SQLITE_INTERRUPT:
        return NoStoreError("store-too-large", "the store asks for more work than is taken on")
    if code == sqlite3.SQLITE_NOTADB:
        return NoStoreError("not-a-store", "this is no SQLite database")
    return NoStoreError("unreadable-store", "SQLite cannot read the store")


def _uri(path: Path) -> str:
    """How the file can be opened without a lock, a log or an index being written beside it.

    Opening a file in WAL mode with `mode=ro` alone makes both side files and leaves them there.
    """
    _check_regular(path)
    log, index, journal = (_size(path, ending) for ending in ("-wal", "-shm", "-journal"))
    if journal:
        raise NoStoreError("store-in-recovery", "the store was left in the middle of a write")
    whole = os.fsencode(path)
    name = "".join(chr(byte) if byte in _SAFE_IN_URI else f"%{byte:02X}" for byte in whole)
    if not log:
        return f"file:{name}?mode=ro&immutable=1"
    if index is None:
        why = "the store has a write-ahead log without its index; its owner has to open it once"
        raise NoStoreError("store-in-recovery", why)
    return f"file:{name}?mode=ro&readonly_shm=1"


def _check_regular(path: Path) -> None:
    try:
        status = path.stat()
    except (OSError, ValueError):
        raise _no_such_store() from None
    if not stat.S_ISREG(status.st_mode):
        raise NoStoreError("not-a-store", "this is no regular file")


def _size(path: Path, ending: str) -> int | None:
    try:
        return Path(f"{path}{ending}").stat().st_size
    except OSError:
        return None


def _stamp(path: Path) -> _Stamp:
    """What changes when the store is written to, seen from outside."""
    return tuple(_stamp_of(Path(f"{path}{ending}")) for ending in ("", "-wal"))


def _stamp_of(path: Path) -> tuple[int, ...] | None:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _set_bounds(connection: sqlite3.Connection) -> None:
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_OBJECT_BYTES + _ROW_BYTES)
    groups = iter(range(MAX_STEP_GROUPS))
    connection.set_progress_handler(lambda: next(groups, None) is None, _STEPS)
    # Text that is no UTF-8 is replaced, so that it equals nothing and is found by a check.
    connection.text_factory = lambda data: data.decode(errors="replace")
    for pragma in ("trusted_schema = OFF", "query_only = ON", "temp_store = MEMORY"):
        connection.execute(f"PRAGMA {pragma}")


def _check_schema(connection: sqlite3.Connection) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > USER_VERSION:
        raise NoStoreError("newer-store", f"the store has version {version}, newer than is read")
    if version != USER_VERSION:
        raise NoStoreError("not-a-store", f"the database has version {version}, which is no store")
    for table, columns in _COLUMNS.items():
        query = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?"
        row = connection.execute(query, (table,)).fetchone()
        # A virtual table is a table by type, and runs code; a view is none.
        if row is None or not str(row[0]).upper().startswith("CREATE TABLE"):
            raise NoStoreError("not-a-store", f"the database has no table {table}")
        _check_columns(connection, table, columns)


def _check_columns(connection: sqlite3.Connection, table: str, columns: tuple[str, ...]) -> None:
    query = "SELECT name, hidden, pk FROM pragma_table_xinfo(?)"
    found = connection.execute(query, (table,)).fetchmany(len(columns) + 1)
    names = tuple(name for name, _, _ in found)
    # A column that is computed, and not stored, could ask for any work.
    if names != columns or any(hidden for _, hidden, _ in found):
        raise NoStoreError("not-a-store", f"table {table} has other columns")
    if found[0][2] != 1:
        raise NoStoreError("not-a-store", f"table {table} has another primary key")


def _read_chains(connection: sqlite3.Connection) -> dict[str, list[JsonObject]]:
    chains: dict[str, list[JsonObject]] = {}
    left = MAX_EVENTS_CHARACTERS
    columns = ", ".join(_EVENT_COLUMNS)
    query = f"SELECT chain, {columns} FROM events ORDER BY chain, seq LIMIT {MAX_EVENTS + 1}"
    for number, (key, *values) in enumerate(connection.execute(query)):
        if not isinstance(key, str):
            raise NoStoreError("unreadable-store", "the key of a chain is no text")
        left -= len(key) + sum(len(value) for value in values if isinstance(value, (str, bytes)))
        if number >= MAX_EVENTS or left < 0:
            raise NoStoreError("store-too-large", "the store holds more events than are taken on")
        event = dict(zip(_EVENT_COLUMNS, map(_value, values), strict=True))
        chains.setdefault(key, []).append(event)
    return chains


def _value(value: object) -> JsonValue:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int) and abs(value) < INTEGER_BOUND:
        return value
    return _NO_VALUE

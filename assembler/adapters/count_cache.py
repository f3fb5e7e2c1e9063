"""A memory of counts in the user's cache folder: losing it costs time, never an answer.

One SQLite file. New counts are written once, at the end of a command. A cache that can't be
opened, read or written is as good as none: looking must work on a read-only machine.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

_SCHEMA = "CREATE TABLE IF NOT EXISTS counts (key TEXT PRIMARY KEY, count INTEGER) WITHOUT ROWID"


class CountCache:
    """Counts by key; a key names text, vocabulary and library by digest and version."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._new: dict[str, int] = {}
        self._connection: sqlite3.Connection | None = None
        self._opened = False

    def get(self, key: str) -> int | None:
        """The count, or None where it is not known."""
        if key in self._new:
            return self._new[key]
        connection = self._open()
        if connection is None:
            return None
        try:
            row = connection.execute("SELECT count FROM counts WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error:
            return None
        return row[0] if row is not None and isinstance(row[0], int) and row[0] >= 0 else None

    def put(self, key: str, count: int) -> None:
        """Remember a count; written by `close`."""
        self._new[key] = count

    def close(self) -> None:
        """Write what is new and let go of the file."""
        if self._new:
            self._write()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection | None:
        if not self._opened:
            self._opened = True
            if self._path.is_file():
                try:
                    self._connection = sqlite3.connect(self._path, timeout=1.0)
                except sqlite3.Error:
                    self._connection = None
        return self._connection

    def _write(self) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with sqlite3.connect(self._path, timeout=1.0) as connection:
                connection.execute(_SCHEMA)
                connection.executemany(
                    "INSERT OR REPLACE INTO counts VALUES (?, ?)", sorted(self._new.items())
                )
            connection.close()
        except (OSError, sqlite3.Error):
            return
        self._new.clear()

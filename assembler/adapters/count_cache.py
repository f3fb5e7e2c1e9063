"""A memory of counts in the user's cache folder: losing it costs time, never an answer.

One SQLite file. New counts are written once, at the end of a command. A cache that can't be
opened, read or written is as good as none: looking must work on a read-only machine.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_SCHEMA = "CREATE TABLE IF NOT EXISTS counts (key TEXT PRIMARY KEY, count INTEGER) WITHOUT ROWID"

MAX_KEYS_A_QUESTION: Final = 500
"""Below the number of variables that any SQLite takes in one statement."""


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
        return row[0] if row is not None and _is_count(row[0]) else None

    def get_all(self, keys: Sequence[str]) -> dict[str, int]:
        """The counts of those that are known: one question for many costs a tenth of many."""
        known = {key: self._new[key] for key in keys if key in self._new}
        connection = self._open()
        if connection is None:
            return known
        wanted = [key for key in dict.fromkeys(keys) if key not in known]
        for start in range(0, len(wanted), MAX_KEYS_A_QUESTION):
            part = wanted[start : start + MAX_KEYS_A_QUESTION]
            marks = ",".join("?" * len(part))
            question = f"SELECT key, count FROM counts WHERE key IN ({marks})"
            try:
                rows = connection.execute(question, part).fetchall()
            except sqlite3.Error:
                return known
            known.update((key, count) for key, count in rows if _is_count(count))
        return known

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


def _is_count(value: object) -> bool:
    return isinstance(value, int) and value >= 0

"""Stores as a producer keeps them, written by code of the tests."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Mapping
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from assembler_verifier import verify_store
from assembler_verifier.identities import sha256
from assembler_verifier.self_test.bases import chain_base
from assembler_verifier.self_test.chain_draft import ChainDraft
from assembler_verifier.strict_json import canonical
from tests.verifier.vectors import load, run_files

SCRIPT = Path(__file__).parents[2] / "assembler_verifier" / "__main__.py"
KEY = "a repository"
SCHEMA = """
CREATE TABLE objects (sha256 TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE events (
  chain TEXT NOT NULL, seq INTEGER NOT NULL, event TEXT NOT NULL, recorded_at TEXT NOT NULL,
  previous TEXT, request TEXT, payload_sha256 TEXT NOT NULL, event_sha256 TEXT NOT NULL,
  PRIMARY KEY (chain, seq)) WITHOUT ROWID;
CREATE TRIGGER no_update_events BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'append only'); END;
PRAGMA user_version = 1;
"""
COLUMNS = (
    "seq",
    "event",
    "recorded_at",
    "previous",
    "request",
    "payload_sha256",
    "event_sha256",
)


def whole_chain() -> ChainDraft:
    """The chain of the vectors with everything that its runs left in a store."""
    events, payloads = chain_base()
    return ChainDraft(events, payloads | left_by_runs())


@cache
def left_by_runs() -> dict[str, bytes]:
    """The files of the compiled runs of the chain, by digest."""
    runs = [run for run in load("chain")["runs"] if "code" not in run]
    return {sha256(data): data for run in runs for data in run_files(run).values()}


def write_store(path: Path, chains: Mapping[str, ChainDraft], *, schema: str = SCHEMA) -> Path:
    """Write a store that was closed in an orderly way."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")
        connection.executescript(schema)
        for key, draft in chains.items():
            fill(connection, key, draft)
    return path


def fill(connection: sqlite3.Connection, key: Any, draft: ChainDraft) -> None:
    """Append the events of a chain and its objects."""
    connection.executemany(
        "INSERT OR IGNORE INTO objects (sha256, data) VALUES (?, ?)", draft.payloads.items()
    )
    add_events(connection, key, draft.events)


def add_events(connection: sqlite3.Connection, key: Any, events: Iterable[Any]) -> None:
    """Append events."""
    columns = ", ".join(("chain", *COLUMNS))
    connection.executemany(
        f"INSERT INTO events ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [(key, *(event[name] for name in COLUMNS)) for event in events],
    )


def package_of(draft: ChainDraft, request: int, outcome: int) -> dict[str, bytes]:
    """The package of a compiled run of the chain, by the numbers of its events."""
    manifest = draft.payload(outcome)
    stored = draft.payloads
    events = [draft.event(request), draft.event(outcome)]
    head = {"schema": "assembler/head/1", "events": events, "head": events[1]["event_sha256"]}
    return {
        "inventory.json": stored[manifest["inventory_sha256"]],
        "ledger.jsonl": stored[manifest["ledger_sha256"]],
        "manifest.json": stored[draft.event(outcome)["payload_sha256"]],
        "request.json": stored[manifest["request"]["sha256"]],
        manifest["rendered"]["file"]: stored[manifest["rendered"]["sha256"]],
        "head.json": canonical(head) + b"\n",
        **{f"objects/{digest}": stored[digest] for digest in manifest["objects"]},
    }


def with_row_changed(draft: ChainDraft, outcome: int, item: str, **members: Any) -> ChainDraft:
    """Change a row of a run's ledger and mend every digest from there to the last event."""
    manifest = draft.payload(outcome)
    rows = [json.loads(line) for line in draft.payloads[manifest["ledger_sha256"]].splitlines()]
    for row in rows:
        if row["id"] == item:
            row.update(members)
    data = b"".join(canonical(row) + b"\n" for row in rows)
    del draft.payloads[manifest["ledger_sha256"]]
    draft.payloads[sha256(data)] = data
    draft.write_payload(outcome, {**manifest, "ledger_sha256": sha256(data)})
    draft.relink()
    return draft


def failed(tmp_path: Path, draft: ChainDraft) -> list[str]:
    return verify_store(write_store(tmp_path / "s.sqlite3", {KEY: draft})).failed


def claim(report: Any, name: str) -> Any:
    return next(claim for claim in report.claims if claim.id == name)


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-I", "-S", str(SCRIPT), *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, timeout=60, check=False, env={})

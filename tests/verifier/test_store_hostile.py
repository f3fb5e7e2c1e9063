"""Stores that are none, and stores that somebody made to do harm."""

from __future__ import annotations

import json
import os
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from assembler_verifier import NoStoreError, store_file, verify_store
from tests.verifier.stores import (
    COLUMNS,
    KEY,
    SCHEMA,
    add_events,
    claim,
    run,
    whole_chain,
    write_store,
)


def code_of(path: Path) -> str:
    with pytest.raises(NoStoreError) as caught:
        verify_store(path)
    return caught.value.code


def test_verify_store__refuses_what_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "text").write_bytes(b"no database, but longer than a header would be\n" * 40)
    os.mkfifo(tmp_path / "pipe")
    assert code_of(tmp_path / "none") == "no-such-store"
    assert code_of(tmp_path / "empty") == "not-a-store"
    assert code_of(tmp_path / "text") == "not-a-store"
    assert code_of(tmp_path / "pipe") == "not-a-store"
    assert code_of(tmp_path) == "not-a-store"
    assert code_of(Path("a\0b")) == "no-such-store"


def test_verify_store__refuses_a_store_without_events(tmp_path: Path) -> None:
    assert code_of(write_store(tmp_path / "s", {})) == "empty-store"


@pytest.mark.parametrize(("version", "code"), [(2, "newer-store"), (0, "not-a-store")])
def test_verify_store__refuses_another_version(version: int, code: str, tmp_path: Path) -> None:
    schema = SCHEMA.replace("user_version = 1", f"user_version = {version}")
    assert code_of(write_store(tmp_path / "s", {KEY: whole_chain()}, schema=schema)) == code


OBJECTS = "CREATE TABLE objects (sha256 TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;"
HOSTILE = {
    "view of events": SCHEMA.replace("CREATE TABLE events", "CREATE TABLE other").replace(
        "ON events", "ON other"
    )
    + "CREATE VIEW events AS WITH RECURSIVE endless(chain) AS (SELECT 1 UNION ALL SELECT chain + 1"
    " FROM endless) SELECT chain, 1 AS seq, '' AS event, '' AS recorded_at, '' AS previous,"
    " '' AS request, '' AS payload_sha256, '' AS event_sha256 FROM endless;",
    "view of objects": SCHEMA.replace(
        OBJECTS, "CREATE VIEW objects AS SELECT '' AS sha256, zeroblob(1000000000) AS data;"
    ),
    "computed column": SCHEMA.replace(
        OBJECTS,
        "CREATE TABLE objects (sha256 TEXT PRIMARY KEY, data BLOB AS (zeroblob(1000000000)));",
    ),
    "computed column more": SCHEMA.replace(
        OBJECTS,
        "CREATE TABLE objects (sha256 TEXT PRIMARY KEY, data BLOB, more AS (hex(data)));",
    ),
    "column more": SCHEMA.replace("event_sha256 TEXT NOT NULL,", "event_sha256 TEXT, more TEXT,"),
    "no objects": SCHEMA.replace(OBJECTS, ""),
    "no key": SCHEMA.replace(OBJECTS, "CREATE TABLE objects (sha256 TEXT, data BLOB);"),
    "virtual table": SCHEMA.replace(
        OBJECTS, "CREATE VIRTUAL TABLE objects USING fts5(sha256, data);"
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_verify_store__refuses_a_schema_that_could_run_anything(name: str, tmp_path: Path) -> None:
    assert HOSTILE[name] != SCHEMA
    assert code_of(write_store(tmp_path / "s", {}, schema=HOSTILE[name])) == "not-a-store"


LOOSE = """
CREATE TABLE objects (sha256 PRIMARY KEY, data);
CREATE TABLE events (chain, seq, event, recorded_at, previous, request, payload_sha256,
  event_sha256, PRIMARY KEY (chain, seq));
PRAGMA user_version = 1;
"""
ODD: list[Any] = [
    None,
    1.5,
    float("inf"),
    -1,
    2**62,
    b"\xff",
    "",
    "x" * 10_000,
    "\ud7ff",
    b"1" * 64,
]


@pytest.mark.parametrize("column", range(7))
@pytest.mark.parametrize("value", ODD, ids=range(len(ODD)))
def test_verify_store__survives_any_value_in_an_event(
    column: int, value: Any, tmp_path: Path
) -> None:
    draft = whole_chain()
    event = draft.event(7)
    name = COLUMNS[column]
    event[name] = value
    path = write_store(tmp_path / "s", {KEY: draft}, schema=LOOSE)
    assert verify_store(path).failed != []


@pytest.mark.parametrize(
    "row",
    [
        (None, b"x"),
        (b"\xff", b"x"),
        (5, b"x"),
        ("short", b"x"),
        ("0" * 64, None),
        ("0" * 64, "text"),
        ("0" * 64, 1.5),
        ("0" * 64, b"x"),
    ],
    ids=str,
)
def test_verify_store__finds_an_object_that_is_none(row: tuple[Any, Any], tmp_path: Path) -> None:
    path = write_store(tmp_path / "s", {KEY: whole_chain()}, schema=LOOSE)
    assert verify_store(path).failed == []
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO objects VALUES (?, ?)", row)
    assert verify_store(path).failed == ["object-hash"]


@pytest.mark.parametrize("key", [None, 1, b"\xff"])
def test_verify_store__refuses_a_chain_without_a_name(key: Any, tmp_path: Path) -> None:
    path = write_store(tmp_path / "s", {}, schema=LOOSE)
    with closing(sqlite3.connect(path)) as connection, connection:
        add_events(connection, key, whole_chain().events[:1])
    assert code_of(path) == "unreadable-store"


def test_verify_store__reads_no_huge_object(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    largest = max(len(data) for data in whole_chain().payloads.values())
    monkeypatch.setattr(store_file, "MAX_OBJECT_BYTES", largest)
    assert verify_store(store).failed == []
    monkeypatch.setattr(store_file, "MAX_OBJECT_BYTES", largest - 1)
    assert "object-hash" in verify_store(store).failed


def test_verify_store__refuses_too_many_events(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_file, "MAX_EVENTS", 13)
    assert verify_store(store).holds
    monkeypatch.setattr(store_file, "MAX_EVENTS", 12)
    assert code_of(store) == "store-too-large"


def test_verify_store__refuses_endless_work(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_file, "MAX_STEP_GROUPS", 1)
    monkeypatch.setattr(store_file, "_STEPS", 10)
    assert code_of(store) == "store-too-large"


def test_verify_store__leaves_packages_unchecked_beyond_its_limit(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assembler_verifier.store.MAX_PACKAGES_BYTES", 1)
    report = verify_store(store)
    assert report.holds
    assert claim(report, "decision").result == "unchecked"
    assert "more packages than this verifier takes on" in claim(report, "decision").detail


def test_verify_store__survives_any_changed_byte_of_the_file(store: Path) -> None:
    data = store.read_bytes()
    chance = random.Random(1)
    found: dict[str, int] = {}
    for number in range(120):
        changed = bytearray(data)
        # Half of them in the first page, which holds the schema.
        limit = 4_096 if number % 2 else len(data)
        changed[chance.randrange(limit)] ^= chance.randrange(1, 256)
        store.write_bytes(changed)
        try:
            result = str(verify_store(store).holds)
        except NoStoreError as error:
            result = error.code
        found[result] = found.get(result, 0) + 1
    assert {"True", "False", "unreadable-store"} <= found.keys()


def test_command__exits_2_without_a_store(tmp_path: Path) -> None:
    make: list[Callable[[Path], object]] = [
        lambda path: path.write_bytes(b"x" * 5_000),
        lambda path: write_store(path, {}, schema=HOSTILE["view of events"]),
    ]
    for number, build in enumerate(make):
        path = tmp_path / str(number)
        build(path)
        done = run("--store", path)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("error: ")
        assert len(done.stderr.splitlines()) == 1
        answer = json.loads(run("--store", path, "--format", "json").stdout)
        assert (answer["code"], answer["where"]) == ("not-a-store", str(path))

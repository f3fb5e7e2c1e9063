"""The durable record, on a real file and with real processes."""

from __future__ import annotations

import itertools
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from assembler.adapters.store import FILE_NAME, Store
from assembler.errors import UsageError
from assembler.model.digest import sha256_hex
from assembler.model.event import COMPILED, REQUESTED, Event

NOW = "2026-09-14T00:00:00Z"


def append(store: Store, payload: bytes, chain: str = "c", request: str | None = None) -> Event:
    return store.append(
        chain,
        REQUESTED if request is None else COMPILED,
        recorded_at=NOW,
        request=request,
        payload=payload,
        objects={sha256_hex(b"object " + payload): b"object " + payload},
    )


def test_events__are_chained_without_gaps_each_chain_by_itself(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        first = append(store, b"1")
        other = append(store, b"x", chain="other")
        second = append(store, b"2", request=first.event_sha256)
    assert (first.seq, first.previous) == (1, None)
    assert (second.seq, second.previous) == (2, first.event_sha256)
    assert (other.seq, other.previous) == (1, None)
    with Store(tmp_path) as store:
        assert store.events("c") == (first, second)
        assert store.chains() == ("c", "other")
        assert store.count_requests("c", 2) == 1


def test_objects__are_kept_with_the_event_and_checked_on_reading(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        event = append(store, b"1")
        assert store.read_object(event.payload_sha256) == b"1"
        assert store.read_object(sha256_hex(b"object 1")) == b"object 1"
        assert store.read_object("0" * 64) is None
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        connection.execute("DROP TRIGGER no_UPDATE_objects")
        connection.execute("UPDATE objects SET data = X'00' WHERE sha256 = ?", (sha256_hex(b"1"),))
    connection.close()
    with Store(tmp_path) as store, pytest.raises(UsageError) as caught:
        store.read_object(sha256_hex(b"1"))
    assert caught.value.code == "store-corrupt"


def test_record__refuses_to_change_or_to_lose_a_row(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        append(store, b"1")
    connection = sqlite3.connect(tmp_path / FILE_NAME)
    for statement in (
        "DELETE FROM events", "UPDATE events SET seq = 9", "DELETE FROM objects",
        "UPDATE objects SET data = X''",
    ):  # fmt: skip
        with pytest.raises(sqlite3.IntegrityError, match="append only"):
            connection.execute(statement)
    connection.close()


def test_event__altered_in_the_file_is_found_on_reading(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        append(store, b"1")
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        connection.execute("DROP TRIGGER no_UPDATE_events")
        connection.execute("UPDATE events SET recorded_at = '2026-09-15T00:00:00Z'")
    connection.close()
    with Store(tmp_path) as store, pytest.raises(UsageError) as caught:
        store.events("c")
    assert caught.value.code == "store-corrupt"


def test_looking__makes_no_file_and_adds_no_event(tmp_path: Path) -> None:
    with Store(tmp_path / "none") as store:
        assert store.events("c") == ()
        assert store.chains() == ()
        assert store.read_object("0" * 64) is None
    assert not (tmp_path / "none").exists()
    with Store(tmp_path) as store:
        append(store, b"1")
        before = store.events("c")
        store.read_object(before[0].payload_sha256)
        assert store.events("c") == before


def test_failed_append__leaves_nothing(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        append(store, b"1")
        with pytest.raises(UsageError):
            store.append(
                "c",
                REQUESTED,
                recorded_at=NOW,
                request=None,
                payload=b"2",
                objects={"not bytes": None},  # type: ignore[dict-item]
            )
        assert len(store.events("c")) == 1
        assert append(store, b"3").seq == 2


def test_newer_schema__is_refused_and_left_alone(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        append(store, b"1")
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with Store(tmp_path) as store, pytest.raises(UsageError) as caught:
        append(store, b"2")
    assert caught.value.code == "store-newer"


def test_file__that_is_no_database_is_corrupt(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"x" * 4096)
    with Store(tmp_path) as store, pytest.raises(UsageError) as caught:
        store.events("c")
    assert caught.value.code == "store-corrupt"


def test_folder__that_is_a_file_is_unwritable(tmp_path: Path) -> None:
    (tmp_path / "state").write_bytes(b"")
    with Store(tmp_path / "state") as store, pytest.raises(UsageError) as caught:
        append(store, b"1")
    assert caught.value.code == "store-unwritable"


WRITER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from assembler.adapters.store import Store
from assembler.model.event import REQUESTED
with Store(Path(sys.argv[1])) as store:
    for number in range(int(sys.argv[4])):
        store.append("c", REQUESTED, recorded_at="2026-09-14T00:00:00Z", request=None,
                     payload=f"{sys.argv[2]} {number}".encode(), objects={})
        print(number, flush=True)
"""
ROOT = str(Path(__file__).parents[3])


def start_writer(folder: Path, name: str, events: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), name, ROOT, str(events)],
        stdout=subprocess.PIPE,
    )


def test_writers__side_by_side_lose_nothing(tmp_path: Path) -> None:
    writers = [start_writer(tmp_path, str(number), 25) for number in range(4)]
    for writer in writers:
        writer.communicate(timeout=120)
        assert writer.returncode == 0
    with Store(tmp_path) as store:
        events = store.events("c")
    assert [event.seq for event in events] == list(range(1, 101))
    assert all(b.previous == a.event_sha256 for a, b in itertools.pairwise(events))


def test_killed_writer__loses_no_acknowledged_event(tmp_path: Path) -> None:
    writer = start_writer(tmp_path, "w", 100_000)
    assert writer.stdout is not None
    for _ in range(20):
        writer.stdout.readline()
    os.kill(writer.pid, 9)
    acknowledged = 20 + len(writer.stdout.read().splitlines())
    writer.wait()
    writer.stdout.close()
    with Store(tmp_path) as store:
        events = store.events("c")
        append(store, b"after")
        assert len(store.events("c")) == len(events) + 1
    assert len(events) >= acknowledged


@pytest.mark.parametrize("gone", ["seq = 1", "seq IN (2, 3)"])
def test_chain__with_events_missing_is_found_on_reading(tmp_path: Path, gone: str) -> None:
    with Store(tmp_path) as store:
        for number in range(5):
            append(store, str(number).encode())
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        connection.execute("DROP TRIGGER no_DELETE_events")
        connection.execute(f"DELETE FROM events WHERE {gone}")
    connection.close()
    with Store(tmp_path) as store, pytest.raises(UsageError) as caught:
        store.events("c")
    assert caught.value.code == "store-corrupt"


def test_file__of_another_program_is_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        connection.execute("CREATE TABLE theirs (a)")
    connection.close()
    before = (tmp_path / FILE_NAME).read_bytes()
    with Store(tmp_path) as store, pytest.raises(UsageError) as caught:
        append(store, b"1")
    assert caught.value.code == "store-corrupt"
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        names = connection.execute("SELECT name FROM sqlite_master").fetchall()
    connection.close()
    assert names == [("theirs",)]
    assert len((tmp_path / FILE_NAME).read_bytes()) == len(before)

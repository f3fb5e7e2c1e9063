"""The record where things go wrong: read-only places, full disks, damage, other versions."""

from __future__ import annotations

import os
import resource
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assembler.adapters.store import FILE_NAME, Store
from assembler.errors import UsageError
from assembler.model.digest import sha256_hex
from assembler.model.event import COMPILED, REQUESTED, TRANSITIONED
from tests.builders.other_user import as_another_user
from tests.unit.adapters.test_store import NOW, append

SIDES = (f"{FILE_NAME}-wal", f"{FILE_NAME}-shm")


def change(folder: Path, *statements: str) -> None:
    """Do to the file what its triggers would refuse."""
    connection = sqlite3.connect(folder / FILE_NAME)
    for table in ("events", "objects"):
        for verb in ("UPDATE", "DELETE"):
            connection.execute(f"DROP TRIGGER no_{verb}_{table}")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def read_all(folder: Path) -> tuple[object, ...]:
    with Store(folder) as store:
        events = store.events("c")
        objects = [store.read_object(event.payload_sha256) for event in events]
        return events, store.chains(), objects


def code_of(action: Callable[[], object]) -> str:
    """The code of a failure, or that there was none."""
    try:
        action()
    except UsageError as error:
        return error.code
    return "none"


def open_to_others(folder: Path) -> None:
    """Let another user come down to a test's folder."""
    for path in (folder, *folder.parents):
        if path.is_relative_to(tempfile.gettempdir()) and path.stat().st_uid == os.geteuid():
            path.chmod(path.stat().st_mode | 0o555)


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A record that another user may look at and not touch."""
    folder = tmp_path / "state"
    with Store(folder) as store:
        append(store, b"1")
        append(store, b"2")
    open_to_others(tmp_path)
    (folder / FILE_NAME).chmod(0o444)
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)


def test_record__in_a_read_only_place_can_be_looked_at(read_only: Path) -> None:
    expected = read_all(read_only)
    assert len(expected[0]) == 2
    before = sorted(read_only.iterdir())
    assert as_another_user(lambda: read_all(read_only)) == expected
    assert sorted(read_only.iterdir()) == before


def test_record__in_a_read_only_place_takes_no_event(read_only: Path) -> None:
    def write() -> str:
        with Store(read_only) as store:
            return code_of(lambda: append(store, b"3"))

    assert as_another_user(write) == "store-unwritable"
    assert len(read_all(read_only)[0]) == 2


def test_record__in_a_read_only_place_with_an_open_journal_is_not_half_read(
    read_only: Path,
) -> None:
    read_only.chmod(0o755)
    (read_only / SIDES[0]).write_bytes(b"x" * 32)
    read_only.chmod(0o555)
    assert as_another_user(lambda: code_of(lambda: read_all(read_only))) == "store-unreadable"


def test_folder__that_is_not_there_and_can_not_be_made_is_said(read_only: Path) -> None:
    def write() -> str:
        with Store(read_only / "deeper") as store:
            return code_of(lambda: append(store, b"1"))

    assert as_another_user(write) == "store-unwritable"


def test_disk__that_is_full_leaves_every_earlier_event_and_no_half_one(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        append(store, b"1")

    def write() -> str:
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
        with Store(tmp_path) as store:
            return code_of(lambda: append(store, b"x" * 1_000_000))

    open_to_others(tmp_path)
    tmp_path.chmod(0o777)
    for path in tmp_path.iterdir():
        path.chmod(0o666)
    assert as_another_user(write) == "store-unwritable"
    events = read_all(tmp_path)[0]
    assert isinstance(events, tuple)
    assert len(events) == 1
    with Store(tmp_path) as store:
        assert append(store, b"2").seq == 2


def test_newer_schema__is_refused_by_who_only_looks(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        append(store, b"1")
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        connection.execute("PRAGMA user_version = 2")
    connection.close()
    before = (tmp_path / FILE_NAME).read_bytes()
    assert code_of(lambda: read_all(tmp_path)) == "store-newer"
    assert (tmp_path / FILE_NAME).read_bytes() == before


@pytest.mark.parametrize("damage", ["X'00'", "'text'", "X''"])
def test_append__builds_nothing_upon_a_damaged_content(tmp_path: Path, damage: str) -> None:
    with Store(tmp_path) as store:
        append(store, b"1")
    change(tmp_path, f"UPDATE objects SET data = {damage} WHERE sha256 = '{sha256_hex(b'1')}'")
    with Store(tmp_path) as store:
        assert code_of(lambda: append(store, b"1")) == "store-corrupt"
        assert append(store, b"2").seq == 2
        assert len(store.events("c")) == 2


@pytest.mark.parametrize(
    "damage", ["recorded_at = '2026-09-15T00:00:00Z'", "event_sha256 = 'x'", "event = X'ff'"]
)
def test_append__builds_nothing_upon_a_damaged_head(tmp_path: Path, damage: str) -> None:
    with Store(tmp_path) as store:
        append(store, b"1")
    change(tmp_path, f"UPDATE events SET {damage}")
    with Store(tmp_path) as store:
        assert code_of(lambda: append(store, b"2")) == "store-corrupt"
    assert code_of(lambda: read_all(tmp_path)) == "store-corrupt"


def test_page__that_was_overwritten_is_damage_and_no_traceback(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        for number in range(50):
            append(store, str(number).encode() * 500)
    path = tmp_path / FILE_NAME
    data = bytearray(path.read_bytes())
    for start in range(4096, len(data), 4096):
        data[start : start + 64] = b"\xff" * 64
    path.write_bytes(data)
    assert code_of(lambda: read_all(tmp_path)) == "store-corrupt"


def test_file__cut_short_is_damage(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        for number in range(50):
            append(store, str(number).encode() * 500)
    os.truncate(tmp_path / FILE_NAME, 9_000)
    assert code_of(lambda: read_all(tmp_path)) == "store-corrupt"


def test_file__that_a_killed_process_left_empty_is_an_empty_record(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"")
    assert read_all(tmp_path) == ((), (), [])
    with Store(tmp_path) as store:
        assert append(store, b"1").seq == 1


def test_events__that_stand_together_are_appended_together_or_not_at_all(tmp_path: Path) -> None:
    def both(writer_name: str, payloads: list[bytes]) -> None:
        with Store(tmp_path) as store, store.appending("c") as writer:
            for name, payload in zip((TRANSITIONED, REQUESTED), payloads, strict=True):
                writer.append(name, recorded_at=NOW, request=None, payload=payload, objects={})
            assert len(writer.events()) == 2
            assert writer.read_object(sha256_hex(payloads[0])) == payloads[0]
            if writer_name == "fails":
                raise RuntimeError

    with pytest.raises(RuntimeError):
        both("fails", [b"1", b"2"])
    assert read_all(tmp_path)[0] == ()
    both("succeeds", [b"1", b"2"])
    with Store(tmp_path) as store:
        assert [event.event for event in store.events("c")] == [TRANSITIONED, REQUESTED]
        assert append(store, b"3", request="0" * 64).event == COMPILED

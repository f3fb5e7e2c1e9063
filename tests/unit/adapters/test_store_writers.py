"""Eight processes that write at once, killed one after the other: the chain stays whole."""

from __future__ import annotations

import itertools
import os
import signal
from pathlib import Path

import pytest

from assembler.adapters.store import Store
from tests.unit.adapters.test_store import append, start_writer

WRITERS = 8


def write_and_kill(folder: Path, events_each: int) -> tuple[int, int]:
    """Start eight at once on a new file, kill each in turn; acknowledged and stored events.

    Each acknowledged event is looked for by its own payload: a total could hide a lost one.
    """
    writers = [start_writer(folder, str(number), events_each) for number in range(WRITERS)]
    acknowledged: list[bytes] = []
    for name, writer in enumerate(writers):
        assert writer.stdout is not None
        # Wait until it has written something, so that the kill falls into its work.
        first = writer.stdout.readline()
        os.kill(writer.pid, signal.SIGKILL)
        numbers = (first + writer.stdout.read()).split()
        acknowledged += [f"{name} {int(number)}".encode() for number in numbers]
        writer.wait()
        writer.stdout.close()
    with Store(folder) as store:
        events = store.events("c")
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        assert all(b.previous == a.event_sha256 for a, b in itertools.pairwise(events))
        stored = {store.read_object(event.payload_sha256) for event in events}
        assert None not in stored
        assert [payload for payload in acknowledged if payload not in stored] == []
        assert append(store, b"after").seq == len(events) + 1
    return len(acknowledged), len(events)


def write_all(folder: Path, events_each: int) -> None:
    """Start eight at once on a new file and let them end."""
    writers = [start_writer(folder, str(number), events_each) for number in range(WRITERS)]
    for writer in writers:
        writer.communicate(timeout=300)
        assert writer.returncode == 0
    with Store(folder) as store:
        assert len(store.events("c")) == WRITERS * events_each


def test_writers__killed_in_turn_lose_no_acknowledged_event(tmp_path: Path) -> None:
    acknowledged, stored = write_and_kill(tmp_path, 100_000)
    assert stored >= acknowledged >= WRITERS


def test_eight_writers__that_start_at_once_lose_nothing(tmp_path: Path) -> None:
    write_all(tmp_path, 25)


@pytest.mark.long
def test_eight_writers__of_500_events_lose_nothing(tmp_path: Path) -> None:
    write_all(tmp_path / "whole", 500)
    for attempt in range(8):
        acknowledged, stored = write_and_kill(tmp_path / f"killed{attempt}", 500)
        assert stored >= acknowledged >= WRITERS

"""A lock with one entry put in."""

from __future__ import annotations

import json

from assembler.record.lock import put_entry, write_lock

SKILL = {"kind": "skill", "name": "z", "sha256": "1" * 64}


def catalog(name: str, digit: str) -> dict[str, str]:
    return {"kind": "catalog", "name": name, "sha256": digit * 64}


def test_entry__is_put_in_place_and_others_stay() -> None:
    lock = write_lock([SKILL, catalog("b", "0")])
    more = put_entry(lock, catalog("a", "2"))
    assert json.loads(more)["entries"] == [catalog("a", "2"), catalog("b", "0"), SKILL]
    again = put_entry(more, catalog("b", "3"))
    # One entry a line: the others' lines are the same bytes.
    assert len(set(more.splitlines()) ^ set(again.splitlines())) == 2
    assert put_entry(again, catalog("b", "3")) == again


def test_lock__without_entries_is_one() -> None:
    assert json.loads(write_lock([])) == {"schema": "assembler/lock/1", "entries": []}

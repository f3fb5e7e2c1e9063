"""The lock file: strict, placed, and of other kinds too."""

from __future__ import annotations

import json

import pytest

from assembler.config.defaults import LOCK
from assembler.config.lock import Lock, read_lock
from assembler.errors import ConfigError
from assembler.front.profiles import read_document
from assembler.model.skill import folder_sha256

DIGEST = "a" * 64
SKILL = {"kind": "skill", "name": "x", "sha256": DIGEST, "tokens": 3}


def lock_of(*entries: object, **more: object) -> bytes:
    lines = ",\n".join(json.dumps(entry) for entry in entries)
    rest = "".join(f', "{name}": {json.dumps(value)}' for name, value in more.items())
    return f'{{"schema": "assembler/lock/1", "entries": [\n{lines}\n]{rest}}}\n'.encode()


def read(data: bytes) -> Lock:
    return read_lock(data, path=LOCK, read_document=read_document)


def test_entry__with_four_members_is_a_pin() -> None:
    assert read(lock_of(SKILL)).skill_pins["x"]._asdict() == {
        "sha256": DIGEST,
        "place": LOCK,
        "instructions_sha256": None,
        "files": None,
        "must_exist": True,
    }


def test_entry__with_its_files_keeps_them() -> None:
    files = {"SKILL.md": DIGEST, "references/a.md": "b" * 64}
    entry = {**SKILL, "sha256": folder_sha256(files), "instructions": DIGEST, "files": files}
    pin = read(lock_of(entry)).skill_pins["x"]
    assert (pin.instructions_sha256, pin.files) == (DIGEST, files)


def test_entry__whose_files_are_of_another_time_is_a_pin_without_them() -> None:
    entry = {**SKILL, "instructions": DIGEST, "files": {"SKILL.md": DIGEST}}
    pin = read(lock_of(entry)).skill_pins["x"]
    assert (pin.sha256, pin.instructions_sha256, pin.files) == (DIGEST, None, None)


def test_entries_of_other_kinds__are_kept_and_pin_no_skill() -> None:
    others = [
        {"kind": kind, "name": "x", "sha256": DIGEST, "tokens": None}
        for kind in ("instruction", "chain", "profile", "catalog")
    ]
    lock = read(lock_of(*others))
    assert [entry.kind for entry in lock.entries] == [
        "instruction", "chain", "profile", "catalog",
    ]  # fmt: skip
    assert lock.skill_pins == {}


@pytest.mark.parametrize(
    ("data", "code", "where"),
    [
        (b"", "config-json", LOCK),
        (b"\xef\xbb\xbf{}", "config-json", f"{LOCK}:1:1"),
        (b'{"schema": "assembler/lock/1",\n"schema": 1}', "config-json", LOCK),
        (b"schema: assembler/lock/1\nentries: []\n", "config-json", f"{LOCK}:1:1"),
        (b"[]", "config-schema", f"{LOCK}:1:1"),
        (b'{"schema": "assembler/lock/2", "entries": []}', "config-schema", f"{LOCK}:1:2"),
        (b'{"schema": "assembler/lock/1"}', "config-missing-key", f"{LOCK}:1:1"),
        (lock_of(SKILL, extra=1), "config-unknown-key", f"{LOCK}:3:4"),
        (lock_of({**SKILL, "kind": "tool"}), "config-type", f"{LOCK}:2:2"),
        (lock_of({**SKILL, "sha256": "A" * 64}), "config-type", f"{LOCK}:2:"),
        (lock_of({**SKILL, "sha256": f"sha256:{DIGEST}"}), "config-type", f"{LOCK}:2:"),
        (lock_of({**SKILL, "tokens": -1}), "config-type", f"{LOCK}:2:"),
        (lock_of({**SKILL, "more": 1}), "config-unknown-key", f"{LOCK}:2:"),
        (lock_of(SKILL, {**SKILL, "sha256": "b" * 64}), "config-value", f"{LOCK}:3:1"),
        (lock_of({**SKILL, "kind": "catalog", "files": {}}), "config-value", f"{LOCK}:2:"),
        (lock_of({**SKILL, "files": {"../x": DIGEST}}), "config-value", f"{LOCK}:2:"),
    ],
)
def test_lock__that_says_something_else_is_refused_with_its_place(
    data: bytes, code: str, where: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        read(data)
    assert caught.value.code == code
    assert (caught.value.where or "").startswith(where)


def test_one_thing_twice__is_told_with_both_lines() -> None:
    with pytest.raises(ConfigError, match="after line 2") as caught:
        read(lock_of(SKILL, {**SKILL, "name": "y"}, SKILL))
    assert (caught.value.where or "").startswith(f"{LOCK}:4:")

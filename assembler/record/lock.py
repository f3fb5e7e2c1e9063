"""The lock file with one entry put in: one entry a line, sorted, so that merges meet at lines.

In: the bytes of a lock that was read before, or none. Out: bytes. Rules: docs/formats/lock.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from assembler.model.canonical import canonical_text, read_strict

_HEAD: Final = '{"schema":"assembler/lock/1","entries":['


def put_entry(lock: bytes, entry: Mapping[str, Any]) -> bytes:
    """The lock with this entry in the place of the one of its kind and name, if there is one.

    Args:
        lock: a valid lock file.
        entry: `kind`, `name`, `sha256` and what else the kind has.
    """
    key = (entry["kind"], entry["name"])
    kept = [old for old in read_strict(lock)["entries"] if (old["kind"], old["name"]) != key]
    return write_lock([*kept, entry])


def write_lock(entries: list[Mapping[str, Any]]) -> bytes:
    """The bytes of a lock of these entries, each of another kind and name."""
    ordered = sorted(entries, key=lambda entry: (entry["kind"], entry["name"]))
    lines = ",\n".join(canonical_text(entry) for entry in ordered)
    return f"{_HEAD}\n{lines}\n]}}\n".encode() if lines else f"{_HEAD}]}}\n".encode()

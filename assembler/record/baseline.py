"""The file of a baseline: one entry a line, sorted, so that merges meet at lines.

In: entries. Out: bytes. Rules: docs/formats/baseline.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from assembler.model.canonical import canonical_text
from assembler.model.known_finding import Known

_HEAD: Final = '{"schema":"assembler/baseline/1","findings":['


def write_baseline(entries: Iterable[Known]) -> bytes:
    """The bytes of a baseline of these entries, each of another code, path and identity."""
    ordered = sorted(entries, key=lambda entry: (entry.path or "", entry.code, entry.identity))
    lines = ",\n".join(canonical_text(_to_json(entry)) for entry in ordered)
    return f"{_HEAD}\n{lines}\n]}}\n".encode() if lines else f"{_HEAD}]}}\n".encode()


def _to_json(entry: Known) -> dict[str, str | int | None]:
    return {
        "code": entry.code,
        "path": entry.path,
        "identity": entry.identity,
        "count": entry.times,
    }

"""Bring an inventory into normal form: every content a digest, or absent with a word.

In: an inventory as a host gave it, and two ways to get bytes. Out: the normal form and the
bytes by digest. Never here: opening anything itself, deciding anything.
Rules: docs/formats/inventory.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from assembler.errors import ConfigError
from assembler.model.candidate import Absent, Candidate, FromPath, Inline, Stored
from assembler.model.digest import sha256_hex
from assembler.model.inventory import Inventory
from assembler.model.limits import MAX_WORDS_BYTES, bounded_name

ReadPath = Callable[[FromPath, str | None], "bytes | Absent"]
"""The bytes that a path has at a revision (None: as the host holds the file now)."""

ReadObject = Callable[[str], "bytes | None"]
"""The bytes of a digest, where they are at hand."""


def normalise(
    inventory: Inventory, *, read_path: ReadPath, read_object: ReadObject
) -> tuple[Inventory, dict[str, bytes]]:
    """The normal form of an inventory, and the contents by digest.

    Raises:
        ConfigError: a digest is given with a length that its bytes do not have.
    """
    contents: dict[str, bytes] = {}
    candidates = []
    for candidate in inventory.candidates:
        named, data = _resolve(candidate, inventory.revision, read_path, read_object)
        if data is not None:
            stored = Stored(sha256_hex(data), len(data))
            contents[stored.sha256] = data
            named = named._replace(content=stored)
        candidates.append(named)
    return inventory._replace(candidates=_sorted(candidates)), contents


def _sorted(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    return tuple(sorted(candidates, key=lambda candidate: candidate.id))


def _resolve(
    candidate: Candidate, revision: str | None, read_path: ReadPath, read_object: ReadObject
) -> tuple[Candidate, bytes | None]:
    match candidate.content:
        case Inline(data):
            return candidate, data
        case Stored(sha256, size_bytes):
            data_at_hand = read_object(sha256)
            if data_at_hand is None:
                return candidate._replace(content=Absent("unread")), None
            if len(data_at_hand) != size_bytes:
                raise ConfigError(
                    "inventory-content-differs",
                    "inventory: the bytes of this digest have another length",
                    where=candidate.id,
                )
            return candidate, data_at_hand
        case FromPath() as named:
            at = candidate.revision if candidate.revision is not None else revision
            placed = candidate._replace(revision=at, source=candidate.source or address_of(named))
            found = read_path(named, at)
            if isinstance(found, Absent):
                return placed._replace(content=found), None
            return placed, found
        case Absent():
            return candidate, None


def address_of(named: FromPath) -> str:
    """`path#Lfirst-Llast`, or `path` for the whole file; its digest where that is too long."""
    lines = "" if named.lines is None else f"#L{named.lines[0]}-L{named.lines[1]}"
    return bounded_name(named.path + lines, most_bytes=MAX_WORDS_BYTES)

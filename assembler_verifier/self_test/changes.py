"""Small changes that the table of kinds is written in.

Each function gives a `Change`; a path names members and places in a list, one after another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from assembler_verifier.folder import LEDGER
from assembler_verifier.self_test.draft import Draft
from assembler_verifier.self_test.kind import Change

Path: TypeAlias = tuple[str | int, ...]
Edit: TypeAlias = Callable[[Any], Any]


def put(name: str, path: Path, value: Any) -> Change:
    """Put a value at a path of a JSON file."""
    return edit(name, path, lambda _: value)


def edit(name: str, path: Path, change: Edit) -> Change:
    """Put what a function makes of the value at a path of a JSON file."""

    def apply(draft: Draft) -> None:
        document = draft.read(name)
        _edit(document, path, change)
        draft.write(name, document)

    return apply


def drop(name: str, path: Path) -> Change:
    """Take a member or an item out of a JSON file."""

    def apply(draft: Draft) -> None:
        document = draft.read(name)
        *steps, last = path
        holder = document
        for step in steps:
            holder = holder[step]
        del holder[last]
        draft.write(name, document)

    return apply


def put_row(item: str, path: Path, value: Any) -> Change:
    """Put a value at a path of the ledger's row of an item."""
    return edit_row(item, path, lambda _: value)


def edit_row(item: str, path: Path, change: Edit) -> Change:
    """Put what a function makes of the value at a path of the ledger's row of an item."""

    def apply(draft: Draft) -> None:
        rows = draft.read(LEDGER)
        _edit(next(row for row in rows if row["id"] == item), path, change)
        draft.write(LEDGER, rows)

    return apply


def edit_candidate(item: str, path: Path, change: Edit) -> Change:
    """Put what a function makes of the value at a path of a candidate of the inventory."""

    def apply(draft: Draft) -> None:
        inventory = draft.read("inventory.json")
        found = next(record for record in inventory["candidates"] if record["id"] == item)
        _edit(found, path, change)
        draft.write("inventory.json", inventory)

    return apply


def put_candidate(item: str, path: Path, value: Any) -> Change:
    """Put a value at a path of a candidate of the inventory."""
    return edit_candidate(item, path, lambda _: value)


def swap_bytes(name: str, before: bytes, after: bytes) -> Change:
    """Put other bytes in place of the first place of some bytes of a file."""

    def apply(draft: Draft) -> None:
        draft.files[name] = draft.files[name].replace(before, after, 1)

    return apply


def add_file(name: str, data: bytes) -> Change:
    """Put a file, or another one in its place."""

    def apply(draft: Draft) -> None:
        draft.files[name] = data

    return apply


def drop_file(name: str) -> Change:
    """Take a file away."""

    def apply(draft: Draft) -> None:
        del draft.files[name]

    return apply


def mended(*changes: Change) -> Change:
    """Some changes, then every digest of the manifest and of the events again."""
    return in_turn(*changes, Draft.mend)


def mended_events(*changes: Change) -> Change:
    """Some changes, then the digests of the events again; those of the manifest stay."""
    return in_turn(*changes, Draft.mend_events)


def in_turn(*changes: Change) -> Change:
    """Some changes, one after another."""

    def apply(draft: Draft) -> None:
        for change in changes:
            change(draft)

    return apply


def other_digit(digest: str) -> str:
    """A digest with another first digit."""
    return ("0" if digest[0] != "0" else "1") + digest[1:]


def more(number: int) -> int:
    """One more."""
    return number + 1


def _edit(document: Any, path: Path, change: Edit) -> None:
    *steps, last = path
    for step in steps:
        document = document[step]
    if isinstance(document, dict):
        document[last] = change(document.get(last))
    elif last == len(document):
        document.append(change(None))
    else:
        document[last] = change(document[last])

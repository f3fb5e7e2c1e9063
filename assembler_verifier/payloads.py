"""The payloads of a chain, given out only if they are what their name says.

A store may be large and its events many, and events may name one payload as often as they like:
what was read is kept for the next reader up to a size, and all reading together has an end.
"""

from __future__ import annotations

from collections.abc import Mapping

from assembler_verifier.events import COMPILED, REQUESTED, members_of, name_of, text_member
from assembler_verifier.identities import TooLargeError, sha256
from assembler_verifier.inventory import Inventory, has_path, read_inventory
from assembler_verifier.objects import Objects
from assembler_verifier.record_shapes import MANIFEST, shape_problem
from assembler_verifier.schema import DefectError
from assembler_verifier.strict_json import (
    JsonObject,
    UnreadableError,
    canonical,
    read_integers,
    same,
)

MAX_KEPT_BYTES = 2**27
"""Bytes of the payloads whose values are kept at once."""
MAX_READ_BYTES = 2**34
"""Bytes of all that is read for a chain, each payload and content as often as it is read."""

_ALL_PAYLOADS = "the payloads of all events"


class Payloads:
    """Payloads by digest."""

    def __init__(self, stored: Mapping[str, bytes]) -> None:
        """Take the store of a chain."""
        self._stored = stored
        self._left_bytes = MAX_READ_BYTES
        self._kept_bytes = 0
        self._sizes: dict[str, int] = {}
        self._members: dict[str, JsonObject | str] = {}
        self._inventories: dict[str, Inventory | None] = {}
        self._ids: dict[str, frozenset[str] | None] = {}
        self._tasks: dict[str, str | None] = {}

    def problem(self, event: JsonObject) -> str | None:
        """What is wrong with the payload of an event; nothing if it is right."""
        digest = text_member(event, "payload_sha256") or ""
        read = self._read(digest)
        if isinstance(read, str):
            return read
        if name_of(event) == REQUESTED and self.inventory(digest) is None:
            return "the payload is no inventory in normal form"
        if name_of(event) == COMPILED:
            problem = shape_problem(MANIFEST, read, "manifest")
            return None if problem is None else f"the payload is no manifest: {problem}"
        return None

    def has(self, event: JsonObject) -> bool:
        """Whether the payload of an event is there and unaltered."""
        return self.members(event) is not None

    def members(self, event: JsonObject) -> JsonObject | None:
        """The payload of an event; nothing if it is missing, altered or no object."""
        read = self._read(text_member(event, "payload_sha256") or "")
        return read if isinstance(read, dict) else None

    def inventory(self, digest: str) -> Inventory | None:
        """The inventory of a digest; nothing if there is none in normal form."""
        read = self._read(digest)
        if digest not in self._inventories:
            self._inventories[digest] = _inventory(read) if isinstance(read, dict) else None
        return self._inventories[digest]

    def task(self, digest: str) -> str | None:
        """The task of the inventory of a digest."""
        if digest not in self._tasks:
            inventory = self.inventory(digest)
            self._tasks[digest] = None if inventory is None else str(inventory.task("id"))
        return self._tasks[digest]

    def candidate_ids(self, manifest: JsonObject) -> frozenset[str] | None:
        """The ids that the inventory of a manifest offers; nothing without that inventory."""
        digest = text_member(manifest, "inventory_sha256") or ""
        if digest not in self._ids:
            inventory = self.inventory(digest)
            listed = None if inventory is None else [item.id for item in inventory.candidates]
            self._ids[digest] = None if listed is None else frozenset(listed)
        return self._ids[digest]

    def rendered_ids(self, manifest: JsonObject) -> frozenset[str] | None:
        """The ids that the ledger of a manifest gives a place; nothing without that ledger."""
        digest = text_member(manifest, "ledger_sha256") or ""
        if digest not in self._ids:
            self._ids[digest] = self._placed_ids(digest)
        return self._ids[digest]

    def contents(self, digest: str, inventory: Inventory) -> Objects:
        """The contents of the inventory of a digest, as many as are in the store.

        Whoever asks compiles the inventory again, so its own size counts as read once more.

        Raises:
            TooLargeError: everything read together is more than `MAX_READ_BYTES`.
        """
        self._spend(self._sizes.get(digest, 0))
        named = {item.digest for item in inventory.candidates if item.digest is not None}
        found: dict[str, bytes] = {}
        for name in sorted(named):
            data = self._stored.get(name)
            if data is not None:
                self._spend(len(data))
                found[name] = data
        return Objects(found)

    def _placed_ids(self, digest: str) -> frozenset[str] | None:
        data = self._stored.get(digest)
        if data is None or sha256(data) != digest:
            return None
        try:
            self._spend(len(data))
            rows = [members_of(read_integers(line)) for line in data.split(b"\n") if line]
        except (UnreadableError, TooLargeError):
            return None
        placed = [row.get("id") for row in rows if row.get("span") is not None]
        return frozenset(name for name in placed if isinstance(name, str))

    def _read(self, digest: str) -> JsonObject | str:
        if digest in self._members:
            return self._members[digest]
        data = self._stored.get(digest)
        if data is None:
            return "the payload is not in the store"
        try:
            self._spend(len(data))
        except TooLargeError as error:
            return f"{error.what} are more than this verifier takes on"
        self._sizes[digest] = len(data)
        self._make_room(len(data))
        self._members[digest] = _parse(digest, data)
        return self._members[digest]

    def _make_room(self, size_bytes: int) -> None:
        self._kept_bytes += size_bytes
        if self._kept_bytes > MAX_KEPT_BYTES:
            self._kept_bytes = size_bytes
            self._members.clear()
            self._inventories.clear()

    def _spend(self, size_bytes: int) -> None:
        self._left_bytes -= size_bytes
        if self._left_bytes < 0:
            raise TooLargeError(_ALL_PAYLOADS)


def _parse(digest: str, data: bytes) -> JsonObject | str:
    if sha256(data) != digest:
        return "the payload has another digest"
    try:
        value = read_integers(data)
    except UnreadableError as error:
        return f"the payload is unreadable: {error.why}"
    if canonical(value) + b"\n" != data:
        return "the payload differs from its canonical form"
    return value if isinstance(value, dict) else "the payload is no object"


def _inventory(value: JsonObject) -> Inventory | None:
    try:
        inventory = read_inventory(value)
    except DefectError:
        return None
    return inventory if same(value, inventory.members) and not has_path(inventory) else None

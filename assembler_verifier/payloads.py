"""The payloads of a chain, read once each and given out only if they are what their name says."""

from __future__ import annotations

from collections.abc import Mapping

from assembler_verifier.events import COMPILED, REQUESTED, name_of, text_member
from assembler_verifier.identities import sha256
from assembler_verifier.inventory import Inventory, has_path, read_inventory
from assembler_verifier.record_shapes import MANIFEST, shape_problem
from assembler_verifier.schema import DefectError
from assembler_verifier.strict_json import (
    JsonObject,
    UnreadableError,
    canonical,
    read_integers,
    same,
)


class Payloads:
    """Payloads by digest."""

    def __init__(self, stored: Mapping[str, bytes]) -> None:
        """Take the store of a chain."""
        self._stored = stored
        self._members: dict[str, JsonObject | str] = {}
        self._inventories: dict[str, Inventory | None] = {}

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
        if digest not in self._inventories:
            read = self._read(digest)
            self._inventories[digest] = _inventory(read) if isinstance(read, dict) else None
        return self._inventories[digest]

    def task(self, digest: str) -> str | None:
        """The task of the inventory of a digest."""
        inventory = self.inventory(digest)
        return None if inventory is None else str(inventory.task("id"))

    def _read(self, digest: str) -> JsonObject | str:
        if digest not in self._members:
            self._members[digest] = self._parse(digest)
        return self._members[digest]

    def _parse(self, digest: str) -> JsonObject | str:
        data = self._stored.get(digest)
        if data is None:
            return "the payload is not in the store"
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

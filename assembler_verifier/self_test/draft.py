"""A working copy of a package: read a file as JSON, write it back, mend the hashes around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assembler_verifier.folder import (
    HEAD,
    INVENTORY,
    LEDGER,
    MANIFEST,
    RENDERED_JSON,
    RENDERED_TEXT,
    REQUEST,
)
from assembler_verifier.identities import event_hash, sha256
from assembler_verifier.strict_json import canonical, read_numbers

_LF = b"\n"


class Draft:
    """The files of a package, by their path in the folder."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        """Take a copy."""
        self.files = dict(files)

    @property
    def rendered_name(self) -> str:
        """The name of the rendered file."""
        return RENDERED_JSON if RENDERED_JSON in self.files else RENDERED_TEXT

    @property
    def rendered(self) -> bytes:
        """The rendered bytes."""
        return self.files[self.rendered_name]

    def read(self, name: str) -> Any:
        """The value of a file; of the ledger, the list of its rows."""
        data = self.files[name]
        if name == LEDGER:
            return [read_numbers(line) for line in data.split(_LF)[:-1]]
        return read_numbers(data)

    def write(self, name: str, value: Any) -> None:
        """Put a value in canonical form in place of a file."""
        if name == LEDGER:
            self.files[name] = b"".join(canonical(row) + _LF for row in value)
        else:
            self.files[name] = canonical(value) + (b"" if name == REQUEST else _LF)

    def mend(self) -> None:
        """Compute again every digest that the manifest and the two events hold."""
        manifest = self.read(MANIFEST)
        manifest["inventory_sha256"] = sha256(self.files[INVENTORY])
        manifest["ledger_sha256"] = sha256(self.files[LEDGER])
        for member, name in (("rendered", self.rendered_name), ("request", REQUEST)):
            data = self.files[name]
            manifest[member] |= {"bytes": len(data), "sha256": sha256(data)}
        self.write(MANIFEST, manifest)
        self.mend_events()

    def mend_events(self) -> None:
        """Compute again the payloads of the two events, their hashes and their links."""
        head = self.read(HEAD)
        for event, name in zip(head["events"], (INVENTORY, MANIFEST), strict=True):
            event["payload_sha256"] = sha256(self.files[name])
        relink_events(head)
        self.write(HEAD, head)


def relink_events(head: Any) -> None:
    """Hash both events of a head again, and let whatever named them name them again."""
    first, second = head["events"]
    before = first["event_sha256"]
    first["event_sha256"] = event_hash(first)
    for member in ("previous", "request"):
        if second[member] == before:
            second[member] = first["event_sha256"]
    second["event_sha256"] = event_hash(second)
    head["head"] = second["event_sha256"]

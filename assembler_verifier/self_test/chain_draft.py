"""A working copy of a chain: change a payload or an event, link the chain again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assembler_verifier.identities import event_hash, sha256
from assembler_verifier.strict_json import canonical, read_integers


class ChainDraft:
    """Events in their order, and the bytes of the store by digest."""

    def __init__(self, events: Sequence[Any], payloads: Mapping[str, bytes]) -> None:
        """Take a copy of both."""
        self.events = [dict(event) for event in events]
        self.payloads = dict(payloads)

    def event(self, number: int) -> Any:
        """An event by its number, counted from 1."""
        return self.events[number - 1]

    def payload(self, number: int) -> Any:
        """The payload of an event."""
        return read_integers(self.payloads[self.event(number)["payload_sha256"]])

    def write_payload(self, number: int, value: Any) -> None:
        """Give an event another payload; its hash is left to `relink`."""
        self._store(self.event(number), canonical(value) + b"\n")

    def relink(self) -> None:
        """Hash every event again, and let whatever named one name it again."""
        renamed: dict[str, str] = {}
        previous = None
        for event in self.events:
            before = event["event_sha256"]
            self._rename(event, renamed)
            event["previous"] = previous
            event["event_sha256"] = previous = event_hash(event)
            renamed[before] = event["event_sha256"]

    def _rename(self, event: Any, renamed: Mapping[str, str]) -> None:
        event["request"] = renamed.get(event["request"], event["request"])
        data = self.payloads.get(event["payload_sha256"], b"")
        for before, after in renamed.items():
            data = data.replace(before.encode(), after.encode())
        if data:
            self._store(event, data)

    def _store(self, event: Any, data: bytes) -> None:
        del self.payloads[event["payload_sha256"]]
        event["payload_sha256"] = sha256(data)
        self.payloads[event["payload_sha256"]] = data

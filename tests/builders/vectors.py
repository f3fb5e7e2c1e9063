"""The format vectors, and a run of the producer over one of them without a store."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assembler.adapters.vocabulary import open_counter
from assembler.assess.normal_form import normalise
from assembler.config.inventory import parse_inventory
from assembler.errors import RefusedError
from assembler.model.candidate import Absent, FromPath
from assembler.model.digest import sha256_hex
from assembler.model.event import COMPILED, REQUESTED, Event
from assembler.model.lines import whole_lines
from assembler.pipeline import compile_inventory, write_inventory
from assembler.record.events import write_failure, write_head
from assembler.record.package import Package

FOLDER = Path(__file__).parents[1] / "conformance" / "vectors"


def vector_names() -> list[str]:
    """Vectors of packages and refusals; the collections are other files."""
    return sorted(
        path.stem for path in FOLDER.glob("*.json") if "expected" in json.loads(path.read_bytes())
    )


def load_vector(name: str) -> dict[str, Any]:
    vector: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_bytes())
    return vector


@dataclass(frozen=True)
class Outcome:
    inventory_bytes: bytes
    events: list[Event]
    package: Package | None
    failure: bytes | None

    @property
    def files(self) -> dict[str, bytes]:
        assert self.package is not None
        return self.package.files(write_head(self.events))


def compile_vector(vector: dict[str, Any]) -> Outcome:
    return compile_run(
        vector["inventory"],
        repository=vector.get("repository", {}),
        recorded_at=vector["recorded_at"],
        first_sequence=vector["first_sequence"],
        previous=vector["previous"],
    )


def compile_run(
    value: dict[str, Any],
    *,
    repository: dict[str | None, Any] | None = None,
    objects: dict[str, bytes] | None = None,
    recorded_at: str = "2026-09-14T00:00:00Z",
    first_sequence: int = 1,
    previous: str | None = None,
) -> Outcome:
    """Compile an inventory as a host gives it; `repository` maps revision and path to a file."""

    def read_path(named: FromPath, revision: str | None) -> bytes | Absent:
        file = (repository or {}).get(revision, {}).get(named.path)
        if file is None:
            return Absent("unreadable")
        data = file["text"].encode() if "text" in file else base64.b64decode(file["base64"])
        found = data if named.lines is None else whole_lines(data, *named.lines)
        return Absent("unreadable") if found is None else found

    inventory, contents = normalise(
        parse_inventory(value), read_path=read_path, read_object=(objects or {}).get
    )
    inventory_bytes = write_inventory(inventory)
    requested = Event(
        seq=first_sequence,
        event=REQUESTED,
        recorded_at=recorded_at,
        previous=previous,
        request=None,
        payload_sha256=sha256_hex(inventory_bytes),
    )
    package, failure, name = None, None, COMPILED
    try:
        package = compile_inventory(inventory, contents, lambda name: open_counter(name, None))
        payload = package.manifest_bytes
    except RefusedError as error:
        assert error.event_name is not None
        name = error.event_name
        payload = failure = write_failure(sha256_hex(inventory_bytes), error.code, error.detail)
    outcome = Event(
        seq=requested.seq + 1,
        event=name,
        recorded_at=recorded_at,
        previous=requested.event_sha256,
        request=requested.event_sha256,
        payload_sha256=sha256_hex(payload),
    )
    return Outcome(inventory_bytes, [requested, outcome], package, failure)

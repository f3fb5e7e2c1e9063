"""A package: the files from which a stranger can tell what a run did.

Rules: docs/formats/package.md. Same inputs, same bytes, save `head.json`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from assembler.model.canonical import canonical_record
from assembler.model.counting import DECLARED
from assembler.model.decision import Selection
from assembler.model.digest import sha256_hex
from assembler.model.inventory import Inventory
from assembler.model.rendered import Rendering, Request
from assembler.ports import Counter
from assembler.record.identities import Identities
from assembler.record.ledger import write_rows

MANIFEST_SCHEMA = "assembler/manifest/1"


class Package(NamedTuple):
    """A compiled run: its files by name, and the records they were written from."""

    inventory: Inventory
    selection: Selection
    rendering: Rendering
    request: Request
    identities: Identities
    rows: tuple[dict[str, Any], ...]
    manifest: dict[str, Any]
    inventory_bytes: bytes
    ledger_bytes: bytes
    manifest_bytes: bytes
    objects: Mapping[str, bytes]
    """Every content of the inventory by digest, selected or not."""

    def files(self, head: bytes) -> dict[str, bytes]:
        """The package's files by their root-relative names, objects included."""
        return {
            "inventory.json": self.inventory_bytes,
            "ledger.jsonl": self.ledger_bytes,
            "manifest.json": self.manifest_bytes,
            "head.json": head,
            "request.json": self.request.body,
            self.rendering.file_name: self.rendering.data,
            **{f"objects/{digest}": data for digest, data in sorted(self.objects.items())},
        }


def write_package(
    inventory: Inventory,
    selection: Selection,
    rendering: Rendering,
    request: Request,
    identities: Identities,
    *,
    counter: Counter,
    contents: Mapping[str, bytes],
    inventory_bytes: bytes,
) -> Package:
    """The package of one compiled run."""
    rows = write_rows(selection.decisions, rendering, request.segments, inventory.required_ids)
    ledger_bytes = b"".join(canonical_record(row) for row in rows)
    digests = sorted({item.sha256 for item in inventory.candidates if item.sha256 is not None})
    manifest = {
        "schema": MANIFEST_SCHEMA,
        "package_id": identities.package_id,
        "trace_id": identities.trace_id,
        "content_id": identities.content_id,
        "inventory_sha256": sha256_hex(inventory_bytes),
        "ledger_sha256": sha256_hex(ledger_bytes),
        "rendered": _file_facts(rendering.file_name, rendering.data),
        "request": _file_facts("request.json", request.body),
        "budget": selection.budget.to_json(),
        "counter": _counter_facts(counter),
        "sections": [
            {"section": span.section, "start": span.start, "end": span.end}
            for span in rendering.sections
        ],
        "segments": [segment.to_json() for segment in request.segments],
        "objects": digests,
    }
    return Package(
        inventory=inventory,
        selection=selection,
        rendering=rendering,
        request=request,
        identities=identities,
        rows=tuple(rows),
        manifest=manifest,
        inventory_bytes=inventory_bytes,
        ledger_bytes=ledger_bytes,
        manifest_bytes=canonical_record(manifest),
        objects={digest: contents[digest] for digest in digests},
    )


def _file_facts(name: str, data: bytes) -> dict[str, Any]:
    return {"file": name, "bytes": len(data), "sha256": sha256_hex(data)}


def _counter_facts(counter: Counter) -> dict[str, Any]:
    """What counted; a counter without a vocabulary has neither digest nor library."""
    if counter.name == DECLARED:
        return {"name": DECLARED, "vocabulary_sha256": None, "library": None}
    return {
        "name": counter.name,
        "vocabulary_sha256": counter.vocabulary_sha256,
        "library": counter.library,
    }

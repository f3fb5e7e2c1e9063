"""Put the files of a package together again out of a store.

In: a compiled run's manifest, its two events, the objects. Out: files by path.
A file whose object is not there is left out, which the checks of a package then find.
"""

from __future__ import annotations

from collections.abc import Mapping

from assembler_verifier.events import text_member
from assembler_verifier.folder import (
    HEAD,
    INVENTORY,
    LEDGER,
    MANIFEST,
    OBJECTS,
    RENDERED_JSON,
    RENDERED_TEXT,
    REQUEST,
)
from assembler_verifier.record_shapes import HEAD_SCHEMA
from assembler_verifier.store_file import StoredObjects
from assembler_verifier.strict_json import JsonObject, JsonValue, canonical


def rebuild(
    manifest: JsonObject,
    request: JsonObject,
    outcome: JsonObject,
    objects: Mapping[str, bytes],
) -> dict[str, bytes]:
    """The files of the package that a compiled run left, by their path in the folder."""
    named = {MANIFEST: text_member(outcome, "payload_sha256"), **_digests(manifest)}
    found = {
        path: data
        for path, digest in named.items()
        if digest is not None and (data := objects.get(digest)) is not None
    }
    head: JsonObject = {
        "schema": HEAD_SCHEMA,
        "events": [request, outcome],
        "head": outcome.get("event_sha256"),
    }
    return found | {HEAD: canonical(head) + b"\n"}


def package_size(manifest: JsonObject, objects: StoredObjects) -> int:
    """Bytes of the files of a package, without reading them."""
    return sum(objects.size(digest) for digest in _digests(manifest).values() if digest is not None)


def _digests(manifest: JsonObject) -> dict[str, str | None]:
    """Digests of the files that a manifest names, by their path in the folder."""
    rendered = _member(manifest, "rendered", "file")
    listed = manifest.get("objects")
    contents = [
        name for name in (listed if isinstance(listed, list) else []) if isinstance(name, str)
    ]
    return {
        INVENTORY: text_member(manifest, "inventory_sha256"),
        LEDGER: text_member(manifest, "ledger_sha256"),
        REQUEST: _member(manifest, "request", "sha256"),
        RENDERED_JSON if rendered == RENDERED_JSON else RENDERED_TEXT: _member(
            manifest, "rendered", "sha256"
        ),
        **{f"{OBJECTS}/{name}": name for name in contents},
    }


def _member(manifest: JsonObject, outer: str, inner: str) -> str | None:
    given: JsonValue = manifest.get(outer)
    return text_member(given, inner) if isinstance(given, dict) else None

"""Checks of a package against the store of the machine that made it.

Checks: recorded, store-object.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from assembler_verifier.events import members_of, text_member
from assembler_verifier.folder import HEAD, INVENTORY, LEDGER, MANIFEST, REQUEST, Folder
from assembler_verifier.package import Package, read_package
from assembler_verifier.report import Claim, Claims, short_id
from assembler_verifier.store_file import Store, with_store
from assembler_verifier.strict_json import JsonObject, JsonValue, same
from assembler_verifier.values import object_of

STORE_CHECKS_OF_A_PACKAGE = ("recorded", "store-object")
"""The two checks that a store adds to those of a package."""


def claims_of_store(folder: Folder, path: Path, chain: str | None) -> tuple[Claim, ...]:
    """Run both checks.

    Args:
        folder: the files of the package.
        path: the store.
        chain: the key of the chain that holds the package's events; any, if left out.

    Returns:
        One claim for each of `STORE_CHECKS_OF_A_PACKAGE`.

    Raises:
        NoStoreError: the store cannot be read, or it holds no event or no chain of that key.
    """
    package = read_package(folder)
    return with_store(path, lambda store: _check(package, store, chain))


def _check(package: Package, store: Store, chain: str | None) -> tuple[Claim, ...]:
    claims = Claims()
    chains = store.chosen(chain)
    if package.head is None:
        claims.unchecked("recorded", package.why_not(HEAD))
    else:
        listed = package.head.get("events")
        events = listed if isinstance(listed, list) else []
        claims.judge("recorded", list(_recorded_problems(events, chains)))
    if package.manifest is None:
        claims.unchecked("store-object", package.why_not(MANIFEST))
    else:
        claims.judge("store-object", list(_object_problems(package, store.objects)))
    return claims.in_order(STORE_CHECKS_OF_A_PACKAGE)


def _recorded_problems(
    events: list[JsonValue], chains: Mapping[str, list[JsonObject]]
) -> Iterator[str]:
    hashes = {text_member(members_of(event), "event_sha256") for event in events}
    # A hash is no proof of the row that gives it, so rows are compared member by member.
    held = [
        [row for row in rows if text_member(row, "event_sha256") in hashes]
        for rows in chains.values()
    ]
    best = max(held, key=lambda rows: sum(_stands(event, rows) for event in events))
    if not events:
        yield f"{HEAD} names no event"
    for number, event in enumerate(events, 1):
        if not _stands(event, best):
            yield f"event {number} stands in no chain of the store as {HEAD} gives it"


def _stands(event: JsonValue, rows: list[JsonObject]) -> bool:
    return any(same(event, row) for row in rows)


def _object_problems(package: Package, objects: Mapping[str, bytes]) -> Iterator[str]:
    for digest, name, data in _named(package):
        if digest is None or data is None:
            continue
        stored = objects.get(digest)
        if stored is None:
            yield f"{name} is not in the store"
        elif stored != data:
            yield f"{name} is not what the store holds under its digest"


def _named(package: Package) -> Iterator[tuple[str | None, str, bytes | None]]:
    """Digests that the package names, the name of the file of each, and its bytes."""
    files, manifest = package.folder.files, package.manifest or {}
    for member, name in (("inventory_sha256", INVENTORY), ("ledger_sha256", LEDGER)):
        yield text_member(manifest, member), name, files.get(name)
    for member, name in (("rendered", package.rendered_name), ("request", REQUEST)):
        given = manifest.get(member)
        digest = text_member(object_of(given), "sha256") if isinstance(given, dict) else None
        yield digest, name, files.get(name)
    events = (package.head or {}).get("events")
    pairs = zip(events if isinstance(events, list) else [], (INVENTORY, MANIFEST), strict=False)
    for event, name in pairs:
        yield text_member(members_of(event), "payload_sha256"), name, files.get(name)
    for digest, data in package.folder.objects.items():
        yield digest, f"objects/{short_id(digest)}", data

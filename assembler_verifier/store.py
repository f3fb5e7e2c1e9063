"""Verify what a store holds: its chains, its objects, and every package that it can rebuild.

In: the path of a store. Out: a `Report` over all chains, or over one.
Rules: docs/formats/events.md, "The store".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from assembler_verifier.chain import CHAIN_CHECKS, verify_chain
from assembler_verifier.events import COMPILED, OUTCOMES, REQUESTED, name_of, text_member
from assembler_verifier.folder import Folder, folder_of
from assembler_verifier.identities import sha256
from assembler_verifier.merged import Merged
from assembler_verifier.payloads import Payloads
from assembler_verifier.rebuild import package_size, rebuild
from assembler_verifier.report import Chain, Report, printable, short_id
from assembler_verifier.store_file import Store, StoredObjects, with_store
from assembler_verifier.strict_json import JsonObject
from assembler_verifier.verify import PACKAGE_CHECKS, verify_folder

STORE_CHECKS = tuple(
    dict.fromkeys(("object-hash", "object-missing", *CHAIN_CHECKS, *PACKAGE_CHECKS))
)
"""Every check of a store, in the order of the report: each id of a chain and of a package once."""

MAX_PACKAGES_BYTES = 2**33
"""Bytes of all packages that are rebuilt, each object as often as a package names it."""

_OWN_CHECKS = frozenset({"exported-head"})
"""Checks that are judged over the whole store and not package by package."""


def verify_store(
    path: Path, *, chain: str | None = None, exported_head: str | None = None
) -> Report:
    """Verify a store: every chain, every object, every compiled run as a package.

    Args:
        path: the SQLite file.
        chain: the key of the one chain to verify; all are verified if it is left out.
        exported_head: the hash of an event as it was kept elsewhere. The chain up to it was
            neither cut nor changed if it still holds that event.

    Returns:
        One claim for each of `STORE_CHECKS`, and a summary of each chain.

    Raises:
        NoStoreError: there is no such file, it is no store, or it holds nothing to verify.
    """
    return with_store(path, lambda store: _verify(store, chain, exported_head))


def _verify(store: Store, chain: str | None, exported_head: str | None) -> Report:
    chains = store.chosen(chain)
    merged = Merged()
    merged.add("object-hash", _hash_problems(store.objects))
    packages = _Packages(store.objects, merged)
    summaries = []
    for key, events in chains.items():
        where = f"chain {printable(key)}, " if len(chains) > 1 else ""
        report = verify_chain(events, store.objects)
        merged.add_claims(report, where, without=_OWN_CHECKS)
        payloads = Payloads(store.objects)
        missing = [f"{where}{text}" for text in _missing(events, payloads, store.objects)]
        merged.add("object-missing", missing)
        failed = {*report.failed, *(["object-missing"] if missing else [])}
        count, failed_here = packages.verify(events, where)
        head = text_member(events[-1], "event_sha256")
        summaries.append(Chain(key, len(events), head, count, tuple(sorted(failed | failed_here))))
    _check_exported(merged, chains, exported_head)
    number = sum(map(len, chains.values()))
    subject = f"Store of {_counted(len(chains), 'chain')} with {_counted(number, 'event')}"
    return Report(subject, None, merged.in_order(STORE_CHECKS), tuple(summaries))


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _hash_problems(objects: StoredObjects) -> list[str]:
    problems = []
    for digest, problem in objects.keys_with_problems():
        if problem is not None:
            problems.append(f"object {short_id(digest)}: {problem}" if digest else problem)
        elif sha256(objects[digest]) != digest:
            problems.append(f"object {short_id(digest)}: other bytes")
    return problems


def _missing(events: list[JsonObject], payloads: Payloads, objects: StoredObjects) -> Iterator[str]:
    """Digests that a manifest, or the inventory of a run with an outcome, names in vain."""
    answered = {text_member(event, "request") for event in events if name_of(event) in OUTCOMES}
    seen: set[str] = set()
    for number, event in enumerate(events, 1):
        payload = text_member(event, "payload_sha256") or ""
        named: Iterator[str] = iter(())
        if payload in seen:
            continue
        if name_of(event) == COMPILED:
            manifest = payloads.members(event)
            named = iter(()) if manifest is None else _named_by_manifest(manifest)
        elif name_of(event) == REQUESTED and text_member(event, "event_sha256") in answered:
            inventory = payloads.inventory(payload)
            listed = () if inventory is None else inventory.candidates
            named = (item.digest for item in listed if item.digest is not None)
        else:
            continue
        seen.add(payload)
        for digest in named:
            if digest not in seen and digest not in objects:
                yield f"event {number} names object {short_id(digest)}, which is not there"
            seen.add(digest)


def _named_by_manifest(manifest: JsonObject) -> Iterator[str]:
    for member in ("inventory_sha256", "ledger_sha256"):
        yield text_member(manifest, member) or ""
    for member in ("rendered", "request"):
        given = manifest.get(member)
        yield (text_member(given, "sha256") if isinstance(given, dict) else None) or ""
    listed = manifest.get("objects")
    for name in listed if isinstance(listed, list) else []:
        if isinstance(name, str):
            yield name


class _Packages:
    """Rebuilds compiled runs and verifies each, as long as it is not too much."""

    def __init__(self, objects: StoredObjects, merged: Merged) -> None:
        self._objects = objects
        self._merged = merged
        self._left_bytes = MAX_PACKAGES_BYTES
        self._failed_by_manifest: dict[str, frozenset[str]] = {}

    def verify(self, events: list[JsonObject], where: str) -> tuple[int, frozenset[str]]:
        """Verify the packages of a chain; give their number and the checks that failed."""
        payloads = Payloads(self._objects)
        requests = {text_member(event, "event_sha256"): event for event in events}
        failed: frozenset[str] = frozenset()
        count = 0
        for number, event in enumerate(events, 1):
            manifest = payloads.members(event) if name_of(event) == COMPILED else None
            if manifest is None:
                continue
            count += 1
            request = requests.get(text_member(event, "request"))
            failed |= self._verify(manifest, request, event, f"{where}event {number}: ")
        return count, failed

    def _verify(
        self, manifest: JsonObject, request: JsonObject | None, outcome: JsonObject, where: str
    ) -> frozenset[str]:
        digest = text_member(outcome, "payload_sha256") or ""
        if digest not in self._failed_by_manifest:
            self._left_bytes -= package_size(manifest, self._objects)
            if self._left_bytes < 0:
                why = "more packages than this verifier takes on"
                self._merged.leave_out(set(PACKAGE_CHECKS) - _OWN_CHECKS, f"{where}{why}")
                return frozenset()
            folder = self._folder(manifest, request, outcome)
            report = verify_folder(folder)
            self._merged.add_claims(report, where, without=_OWN_CHECKS)
            self._failed_by_manifest[digest] = frozenset(report.failed)
        return self._failed_by_manifest[digest]

    def _folder(
        self, manifest: JsonObject, request: JsonObject | None, outcome: JsonObject
    ) -> Folder:
        return folder_of(rebuild(manifest, request or {}, outcome, self._objects))


def _check_exported(
    merged: Merged, chains: Mapping[str, list[JsonObject]], exported_head: str | None
) -> None:
    if exported_head is None:
        merged.leave_out({"exported-head"}, "no head kept elsewhere was given (--head HEX)")
        return
    places = [
        f"the hash of event {number} of {len(events)}"
        for events in chains.values()
        for number, event in enumerate(events, 1)
        if text_member(event, "event_sha256") == exported_head
    ]
    problem = "the head kept elsewhere is the hash of no event here"
    merged.add("exported-head", [] if places else [problem], passed="; ".join(places))

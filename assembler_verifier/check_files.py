"""Checks on the files as files: which there are, how they are spelled, what their digests are.

Checks: files, unreadable, canonical, normal-form, shape, inventory-order, inventory-hash,
ledger-hash, object-hash, object-missing, objects-list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assembler_verifier.folder import (
    HEAD,
    INVENTORY,
    LEDGER,
    MANIFEST,
    OBJECTS,
    RECORD_FILES,
    RENDERED_JSON,
    RENDERED_TEXT,
)
from assembler_verifier.identities import sha256
from assembler_verifier.package import Package
from assembler_verifier.record_shapes import HEAD as HEAD_SHAPE
from assembler_verifier.record_shapes import LEDGER_ROW, shape_problem
from assembler_verifier.record_shapes import MANIFEST as MANIFEST_SHAPE
from assembler_verifier.report import Claims, short_id
from assembler_verifier.strict_json import JsonValue
from assembler_verifier.values import object_of, text_of

_RECORDS = (INVENTORY, LEDGER, MANIFEST, HEAD)


def check_files(claims: Claims, package: Package) -> None:
    """Run every check of this module."""
    claims.judge("files", list(_file_problems(package)))
    unreadable = [
        f"{name}: {parsed.unreadable}"
        for name, parsed in package.files.items()
        if parsed.unreadable is not None
    ]
    claims.judge("unreadable", unreadable)
    _check_spelling(claims, package)
    _check_inventory(claims, package)
    _check_shape(claims, package)
    _check_hash(claims, package, "inventory-hash", INVENTORY, "inventory_sha256")
    _check_hash(claims, package, "ledger-hash", LEDGER, "ledger_sha256")
    _check_objects(claims, package)


def _file_problems(package: Package) -> Iterator[str]:
    yield from package.folder.findings
    rendered = package.rendered_name
    for name in (*RECORD_FILES, rendered):
        if name not in package.folder.entries:
            yield f"{name} is not there"
    other = RENDERED_JSON if rendered == RENDERED_TEXT else RENDERED_TEXT
    if other in package.folder.files:
        yield f"{other} does not belong to this layout"
    if OBJECTS in package.folder.entries and not package.folder.objects:
        yield "objects/ holds no object"


def _check_spelling(claims: Claims, package: Package) -> None:
    problems = [
        f"{name} differs from its canonical form"
        for name in _RECORDS
        if not package.files[name].is_canonical
    ]
    _judge_all_read(claims, package, "canonical", _RECORDS, problems)


def _judge_all_read(
    claims: Claims, package: Package, check: str, names: Sequence[str], problems: list[str]
) -> None:
    unread = [name for name in names if not package.is_parsed(name)]
    if unread and not problems:
        claims.unchecked(check, f"{unread[0]} was not read")
    else:
        claims.judge(check, problems)


def _check_inventory(claims: Claims, package: Package) -> None:
    if package.defect is not None:
        claims.failed("normal-form", f"{INVENTORY}: {package.defect}")
    elif package.inventory is None:
        claims.unchecked("normal-form", package.why_not(INVENTORY))
    else:
        claims.passed("normal-form")
    if package.inventory is None:
        claims.unchecked("inventory-order", package.why_not(INVENTORY))
        return
    listed = object_of(package.files[INVENTORY].value)["candidates"]
    records = listed if isinstance(listed, list) else []
    names = [text_of(object_of(record)["id"]) for record in records]
    claims.judge(
        "inventory-order", [] if names == sorted(names) else ["candidates are not sorted by id"]
    )


def _check_shape(claims: Claims, package: Package) -> None:
    problems = [
        shape_problem(LEDGER_ROW, row, f"{LEDGER} row {number}")
        for number, row in enumerate(package.rows or [], 1)
    ]
    for name, shape in ((MANIFEST, MANIFEST_SHAPE), (HEAD, HEAD_SHAPE)):
        if package.is_parsed(name):
            problems.append(shape_problem(shape, package.files[name].value, name))
    found = [problem for problem in problems if problem is not None]
    _judge_all_read(claims, package, "shape", (LEDGER, MANIFEST, HEAD), found)


def _check_hash(claims: Claims, package: Package, check: str, name: str, member: str) -> None:
    data = package.folder.files.get(name)
    if data is None or package.manifest is None:
        claims.unchecked(check, package.why_not(MANIFEST, name))
        return
    problems = (
        [] if package.manifest.get(member) == sha256(data) else [f"{name} has another digest"]
    )
    claims.judge(check, problems)


def _check_objects(claims: Claims, package: Package) -> None:
    objects = package.objects
    altered = [f"objects/{short_id(name)}: other bytes" for name in sorted(objects.altered)]
    if package.inventory is None:
        claims.judge("object-hash", altered)
        claims.unchecked("object-missing", package.why_not(INVENTORY))
        claims.unchecked("objects-list", package.why_not(INVENTORY))
        return
    sizes = {
        (item.digest, item.size_bytes)
        for item in package.inventory.candidates
        if item.digest is not None
    }
    wrong_sizes = sorted(
        digest for digest, size in sizes if digest in objects.names and objects.size(digest) != size
    )
    altered += [f"objects/{short_id(digest)}: another length" for digest in wrong_sizes]
    claims.judge("object-hash", altered)
    named = {digest for digest, _ in sizes}
    missing = [f"objects/{short_id(digest)} is not there" for digest in named - objects.names]
    claims.judge("object-missing", sorted(missing))
    _check_objects_list(claims, package, named)


def _check_objects_list(claims: Claims, package: Package, named: set[str]) -> None:
    if package.manifest is None:
        claims.unchecked("objects-list", package.why_not(MANIFEST))
        return
    listed: JsonValue = package.manifest.get("objects")
    problems: list[str] = []
    # One that is named and not stored is missing, which is a check of its own.
    problems += [
        f"objects/{short_id(name)} is named by no candidate"
        for name in sorted(package.objects.names - named)
    ]
    if listed != sorted(named):
        problems.append(f"{MANIFEST}: objects differs from the digests of the inventory")
    claims.judge("objects-list", problems)

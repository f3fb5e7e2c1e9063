"""Verify a package from its files alone.

In: a folder. Out: a `Report` with one claim per check. Nothing is written, nothing of the
producer is run, and no file of the folder can stop the others from being checked.
Rules: FORMATS 11.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from assembler_verifier.check_files import check_files
from assembler_verifier.check_head import check_head
from assembler_verifier.check_ledger import check_ledger
from assembler_verifier.check_manifest import check_manifest
from assembler_verifier.check_request import check_request
from assembler_verifier.folder import Folder, read_folder
from assembler_verifier.package import Package, read_package
from assembler_verifier.report import Claims, Report, short_id
from assembler_verifier.rerun import Outcome, run_again
from assembler_verifier.schema import HEX_DIGEST

if TYPE_CHECKING:
    from pathlib import Path

PACKAGE_CHECKS = (
    "files",
    "unreadable",
    "canonical",
    "normal-form",
    "shape",
    "inventory-order",
    "inventory-hash",
    "ledger-hash",
    "object-hash",
    "object-missing",
    "objects-list",
    "refusal",
    "incomplete",
    "ledger-rows",
    "ledger-order",
    "row-fields",
    "decision",
    "cost",
    "states",
    "consumed-by",
    "budget",
    "counter",
    "package-id",
    "trace-id",
    "content-id",
    "rendered-hash",
    "rendered-bytes",
    "count",
    "sections",
    "span",
    "request-hash",
    "request-canonical",
    "segments",
    "request-text",
    "request-tools",
    "request-shape",
    "bound",
    "event-shape",
    "event-payload",
    "event-hash",
    "event-chain",
    "event-request",
    "exported-head",
    "source-recoverable",
    "freshness-current",
    "received",
)
"""Every check of a package, in the order of the report; the last three need the world."""

_NEVER_CHECKED = {
    "source-recoverable": "no repository is read; a package keeps no path",
    "freshness-current": "no source is read again",
    "received": "what the provider received cannot be observed",
}

WORLD_CHECKS = tuple(_NEVER_CHECKED)
"""The checks that need the world, and are never counted as passed."""


def verify_package(
    directory: Path,
    *,
    exported_head: str | None = None,
    store: Path | None = None,
    chain: str | None = None,
) -> Report:
    """Re-derive a package from its files and compare.

    Args:
        directory: the package folder.
        exported_head: the head as it was kept elsewhere, 64 lower-case hex digits.
        store: the producer's SQLite file, to look the package up in.
        chain: the key of the chain of the store that holds its events; any, if left out.

    Returns:
        One claim for each of `PACKAGE_CHECKS`; with a store, `recorded` and `store-object` too.

    Raises:
        NoPackageError: there is no such folder, or it holds no file of a package.
        NoStoreError: a store was named, and it is none, or it holds no such chain.
    """
    return verify_folder(
        read_folder(directory), exported_head=exported_head, store=store, chain=chain
    )


def verify_folder(
    folder: Folder,
    *,
    exported_head: str | None = None,
    store: Path | None = None,
    chain: str | None = None,
) -> Report:
    """As `verify_package`, of a package whose bytes are at hand already.

    Args:
        folder: the files of the package.
        exported_head: the head as it was kept elsewhere, 64 lower-case hex digits.
        store: the producer's SQLite file, to look the package up in.
        chain: the key of the chain of the store that holds its events; any, if left out.

    Raises:
        NoStoreError: a store was named, and it is none, or it holds no such chain.
    """
    report = _verify_files(folder, exported_head)
    if store is None:
        return report
    # SQLite is loaded where it is asked for.
    from assembler_verifier.check_store import claims_of_store

    return replace(report, claims=report.claims + claims_of_store(folder, store, chain))


def _verify_files(folder: Folder, exported_head: str | None) -> Report:
    package = read_package(folder)
    outcome = run_again(package)
    claims = Claims()
    check_files(claims, package)
    _check_outcome(claims, outcome)
    check_manifest(claims, package, outcome)
    check_ledger(claims, package, outcome)
    check_request(claims, package)
    check_head(claims, package, exported_head)
    for name, why in _NEVER_CHECKED.items():
        claims.unchecked(name, why)
    identity = _package_id(package)
    subject = "Package" if identity is None else f"Package {short_id(identity)}"
    return Report(subject, identity, claims.in_order(PACKAGE_CHECKS))


def _check_outcome(claims: Claims, outcome: Outcome) -> None:
    if outcome.refusal is not None:
        claims.failed("refusal", outcome.refusal)
    elif outcome.rendering is None:
        claims.unchecked("refusal", outcome.why)
    else:
        claims.passed("refusal")
    if outcome.broken is not None:
        claims.failed("incomplete", f"compiled again no further: {outcome.broken}")
    elif outcome.rendering is None:
        claims.unchecked("incomplete", outcome.why)
    else:
        claims.passed("incomplete")


def _package_id(package: Package) -> str | None:
    identity = (package.manifest or {}).get("package_id")
    if isinstance(identity, str) and HEX_DIGEST.fullmatch(identity) is not None:
        return identity
    return None

"""Verify packages of `assembler` from their files alone.

A second, independent implementation of the formats: standard library only, nothing shared with
the producer. It reads; it writes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assembler_verifier.chain import verify_chain
from assembler_verifier.folder import NoPackageError, NoStoreError
from assembler_verifier.report import Claim, Report
from assembler_verifier.verify import verify_package

if TYPE_CHECKING:
    from pathlib import Path

    from assembler_verifier.self_test import SelfTestReport

__all__ = [
    "Claim",
    "NoPackageError",
    "NoStoreError",
    "Report",
    "run_self_test",
    "verify_chain",
    "verify_package",
    "verify_store",
]


def run_self_test() -> SelfTestReport:
    """Spoil good packages in every way of a table and see whether the verifier finds each.

    Returns:
        A report with `to_text()`, `to_json()` and `exit_code`: 0 if every good base holds and
        every kind of corruption fails exactly the checks that the table gives, else 1.
    """
    # A verification does not load the table and its bases.
    from assembler_verifier.self_test import run_self_test as run

    return run()


def verify_store(
    path: Path, *, chain: str | None = None, exported_head: str | None = None
) -> Report:
    """Verify a producer's store: every chain, every object, every compiled run as a package.

    Args:
        path: the SQLite file; it is opened read-only and nothing is written beside it.
        chain: the key of the one chain to verify; all are verified if it is left out.
        exported_head: the hash of an event as it was kept elsewhere; a chain has to hold it.

    Returns:
        One claim for each check of a chain, of a package and of the objects.

    Raises:
        NoStoreError: there is no such file, it is no store, or it holds nothing to verify.
    """
    # SQLite is loaded where it is asked for.
    from assembler_verifier.store import verify_store as verify

    return verify(path, chain=chain, exported_head=exported_head)

"""Verify packages of `assembler` from their files alone.

A second, independent implementation of the formats: standard library only, nothing shared with
the producer. It reads; it writes nothing.
"""

from __future__ import annotations

from assembler_verifier.chain import verify_chain
from assembler_verifier.folder import NoPackageError
from assembler_verifier.report import Claim, Report
from assembler_verifier.verify import verify_package

__all__ = ["Claim", "NoPackageError", "Report", "verify_chain", "verify_package"]

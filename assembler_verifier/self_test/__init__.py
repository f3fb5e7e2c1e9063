"""Test the verifier with good packages that are spoilt in one way each.

Every kind of corruption has to be found by exactly the check that it is for. Nothing here is
imported by a verification.
"""

from __future__ import annotations

from assembler_verifier.self_test.result import SelfTestReport
from assembler_verifier.self_test.run import run_self_test

__all__ = ["SelfTestReport", "run_self_test"]

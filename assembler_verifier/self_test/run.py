"""Run the table: every base has to hold, every kind has to be found by exactly its checks."""

from __future__ import annotations

from assembler_verifier.chain import CHAIN_CHECKS
from assembler_verifier.self_test.bases import base_names, head_of
from assembler_verifier.self_test.kind import Kind
from assembler_verifier.self_test.result import Result, SelfTestReport
from assembler_verifier.self_test.subject import corrupted_subject, good_subject
from assembler_verifier.self_test.table import KINDS
from assembler_verifier.verify import PACKAGE_CHECKS, WORLD_CHECKS


def run_self_test() -> SelfTestReport:
    """Verify every base and every kind of corruption.

    Returns:
        A report whose exit code is 0 if all is as the table says, else 1.
    """
    bases = [_try_base(name) for name in base_names()]
    return SelfTestReport(tuple(bases), tuple(_try_kind(kind) for kind in KINDS), uncovered())


def uncovered() -> tuple[str, ...]:
    """Checks that no kind of the table is for; there should be none."""
    covered = {check for kind in KINDS for check in kind.fails}
    return tuple(sorted({*PACKAGE_CHECKS, *CHAIN_CHECKS} - {*WORLD_CHECKS} - covered))


def _try_base(name: str) -> Result:
    try:
        found = tuple(good_subject(name).verify(head_of(name)).failed)
    except Exception as error:
        return Result(name=name, base=name, problem=_broken(error))
    problem = "the good base does not hold" if found else ""
    return Result(name=name, base=name, found=found, problem=problem)


def _try_kind(kind: Kind) -> Result:
    try:
        subject = corrupted_subject(kind)
        changes = subject != good_subject(kind.base)
        found = tuple(subject.verify(head_of(kind.base) if kind.exported else None).failed)
    except Exception as error:
        return _result(kind, (), _broken(error))
    if not changes:
        return _result(kind, found, "the change changes nothing")
    return _result(kind, found, "" if set(found) == set(kind.fails) else "found otherwise")


def _result(kind: Kind, found: tuple[str, ...], problem: str) -> Result:
    expected = tuple(sorted(kind.fails))
    return Result(
        name=kind.name,
        base=kind.base,
        what=kind.what,
        expected=expected,
        because=kind.because,
        found=found,
        problem=problem,
    )


def _broken(error: Exception) -> str:
    # A kind that breaks the verifier is the finding; the rest of the table still runs.
    return f"broke with {type(error).__name__}"

"""`diagnose`: named claims about a run, each with the rows that prove it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from assembler.cli.main import Command, common_options
from assembler.cli.session import Session, open_session
from assembler.errors import UsageError

if TYPE_CHECKING:
    from assembler.diagnose.trace import Use

FORMATS = ("text", "json", "github")


@click.command(
    cls=Command,
    short_help="named claims about a run, with the rows that prove them",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.argument("run", metavar="RUN|PACKAGE")
@common_options(*FORMATS)
def command(**options: Any) -> int:
    """Ask what is wrong with an input; RUN is a number, `last`, or a package folder.

    Three claims: required_local_policy_missing, stale_source_selected and
    budget_displaced_failure_evidence; questions beside them give warnings.

    Exit 0 when none of the three fires, 1 when one does, 2 when the package does not hold or
    can't be read.
    """
    from assembler.cli.diagnosis_view import show_diagnosis
    from assembler.front.diagnosing import diagnose_files

    session = open_session(options, formats=FORMATS)
    found = _read_verified(session, options["run"])
    return show_diagnosis(
        session, diagnose_files(found.files, found.uses), name=options["run"], number=found.number
    )


class _Verified(NamedTuple):
    """The files of a package that holds."""

    files: Mapping[str, bytes]
    number: int | None
    uses: tuple[Use, ...] | None


def _read_verified(session: Session, name: str) -> _Verified:
    """Read a package once, and verify the very bytes that are diagnosed.

    Raises:
        UsageError: there is none, or `package-unverified`: its rows prove nothing.
    """
    from assembler.front.diagnosing import read_recorded
    from assembler.front.records import is_package_folder, is_run_name
    from assembler_verifier.folder import NoPackageError, folder_of, read_folder
    from assembler_verifier.verify import verify_folder

    try:
        if is_package_folder(name, session.cwd) or not is_run_name(name):
            folder = read_folder(session.cwd / name)
            _require_holding(verify_folder(folder), name)
            return _Verified(folder.files, None, None)
        run = read_recorded(name, cwd=session.cwd, environment=session.environment)
        report = verify_folder(folder_of(run.files), store=run.store, chain=run.chain)
        _require_holding(report, name)
        return _Verified(run.files, run.number, run.uses)
    except NoPackageError as error:
        raise UsageError(
            error.code, error.message, where=name, next_step="name a run or a package folder"
        ) from None


def _require_holding(report: Any, name: str) -> None:
    if not report.holds:
        raise UsageError(
            "package-unverified",
            f"{name} does not hold ({', '.join(report.failed)}), so its rows prove nothing",
            where=name,
            next_step=f"assembler verify {name}",
        )

"""`verify`: re-derive a package with code that shares nothing with what made it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from assembler.cli.main import Command, common_options
from assembler.cli.output import write_out
from assembler.cli.session import Session, open_session
from assembler.errors import UsageError
from assembler.model.digest import is_digest

FORMATS = ("text", "json")


@click.command(
    cls=Command,
    short_help="re-derive a package with code of its own",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.argument("run")
@click.option("--recompile", is_flag=True, help="compile its inventory again, tokens counted")
@click.option("--head", metavar="HEX", help="a head kept elsewhere, to compare with")
@common_options(*FORMATS)
def command(**options: Any) -> int:
    """Check a package: RUN is a number, `last`, or a package folder.

    Exit 0 when it holds, 1 when it does not, 2 when it could not be checked.
    """
    session = open_session(options, formats=FORMATS)
    name = options["run"]
    if options["head"] is not None and not is_digest(options["head"]):
        raise UsageError(
            "head-invalid",
            "--head is no SHA-256 of 64 lower-case hex digits",
            next_step="take `head` out of a head.json that was kept elsewhere",
        )
    folder = session.cwd / name
    if folder.is_dir():
        report = _verify(session, folder, options)
    else:
        with tempfile.TemporaryDirectory(prefix="assembler-") as scratch:
            package = Path(scratch) / "package"
            _export(session, name, package)
            report = _verify(session, package, options)
    text = json.dumps(report.to_json()) if session.output_format == "json" else report.to_text()
    write_out(text + "\n")
    return int(report.exit_code)


def _verify(session: Session, folder: Path, options: Mapping[str, Any]) -> Any:
    from assembler_verifier.folder import NoPackageError
    from assembler_verifier.verify import verify_package

    try:
        report = verify_package(folder, exported_head=options["head"])
    except NoPackageError as error:
        raise UsageError(
            error.code, error.message, where=str(folder), next_step="name a package folder"
        ) from None
    return _with_recompiled(report, folder) if options["recompile"] else report


def _with_recompiled(report: Any, folder: Path) -> Any:
    """The report with one claim more: that compiling again gives the same bytes."""
    from assembler.adapters.vocabulary import open_counter
    from assembler.front.recompiling import recompile
    from assembler_verifier.folder import read_folder
    from assembler_verifier.report import Claim, Report

    read = read_folder(folder)
    files = {**read.files, **{f"objects/{name}": data for name, data in read.objects.items()}}
    # Without the memory of counts: what somebody wrote there must not speak for a package.
    found = recompile(files, lambda counter: open_counter(counter, None))
    claim = Claim("recompiled", found.result, found.detail)
    return Report(report.subject, report.package_id, (*report.claims, claim))


def _export(session: Session, name: str, package: Path) -> None:
    """A recorded run is checked by its files, like anybody else's package."""
    from assembler.adapters.store import Store
    from assembler.front.package_folder import write_folder
    from assembler.front.places import find_workplace, state_folder
    from assembler.front.records import find_run, list_runs, package_files

    workplace = find_workplace(session.cwd)
    with Store(state_folder(session.environment, workplace)) as store:
        run = find_run(list_runs(store, workplace.chain_key), name)
        write_folder(package, package_files(store, run))

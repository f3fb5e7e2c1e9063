"""`verify`: re-derive a package with code that shares nothing with what made it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assembler.cli.main import Command, common_options
from assembler.cli.output import write_out
from assembler.cli.session import Session, open_session
from assembler.errors import UsageError
from assembler.model.digest import is_digest

if TYPE_CHECKING:
    from assembler_verifier.folder import Folder

FORMATS = ("text", "json")


@click.command(
    cls=Command,
    short_help="re-derive a package with code of its own",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.argument("run", required=False)
@click.option("--recompile", is_flag=True, help="compile its inventory again, tokens counted")
@click.option("--head", metavar="HEX", help="a head kept elsewhere, to compare with")
@click.option("--self-test", is_flag=True, help="spoil good packages, and see each found")
@common_options(*FORMATS)
def command(**options: Any) -> int:
    """Check a package: RUN is a number, `last`, or a package folder; without one, the record.

    Exit 0 when it holds, 1 when it does not, 2 when it could not be checked.
    """
    session = open_session(options, formats=FORMATS)
    _refuse_conflicts(options)
    report = _report(session, options)
    text = json.dumps(report.to_json()) if session.output_format == "json" else report.to_text()
    write_out(text + "\n")
    return int(report.exit_code)


def _refuse_conflicts(options: Mapping[str, Any]) -> None:
    if options["head"] is not None and not is_digest(options["head"]):
        raise UsageError(
            "head-invalid",
            "--head is no SHA-256 of 64 lower-case hex digits",
            next_step="take `head` out of a head.json that was kept elsewhere",
        )
    if options["self_test"] and (options["run"] or options["head"] or options["recompile"]):
        raise UsageError(
            "option-conflict", "--self-test takes no RUN and no other option", next_step="drop them"
        )
    if options["recompile"] and not options["run"]:
        raise UsageError(
            "option-conflict", "--recompile wants a RUN", next_step="assembler verify last"
        )


def _report(session: Session, options: Mapping[str, Any]) -> Any:
    from assembler.front.records import is_package_folder, is_run_name
    from assembler_verifier import run_self_test
    from assembler_verifier.folder import NoPackageError, read_folder

    name = options["run"]
    try:
        if options["self_test"]:
            return run_self_test()
        if name is None:
            return _verify_record(session, options["head"])
        if is_package_folder(name, session.cwd) or not is_run_name(name):
            return _verify_files(read_folder(session.cwd / name), options)
        return _verify_run(session, name, options)
    except NoPackageError as error:
        raise UsageError(
            error.code, error.message, where=name, next_step="name a run or a package folder"
        ) from None


def _verify_record(session: Session, head: str | None) -> Any:
    """Every event of this repository's chain, and every package that it speaks of."""
    from assembler.adapters.store import FILE_NAME
    from assembler.front.places import find_workplace, state_folder
    from assembler_verifier import verify_store

    workplace = find_workplace(session.cwd)
    path = state_folder(session.environment, workplace) / FILE_NAME
    return verify_store(path, chain=workplace.chain_key, exported_head=head)


def _verify_run(session: Session, name: str, options: Mapping[str, Any]) -> Any:
    """A recorded run by its files, like anybody else's package, and by its place in the record."""
    from assembler.adapters.store import FILE_NAME, Store
    from assembler.front.places import find_workplace, state_folder
    from assembler.front.records import find_run, list_runs, package_files
    from assembler_verifier.folder import folder_of

    workplace = find_workplace(session.cwd)
    state = state_folder(session.environment, workplace)
    with Store(state) as store:
        files = package_files(store, find_run(list_runs(store, workplace.chain_key), name))
    return _verify_files(
        folder_of(files), options, store=state / FILE_NAME, chain=workplace.chain_key
    )


def _verify_files(
    folder: Folder,
    options: Mapping[str, Any],
    *,
    store: Path | None = None,
    chain: str | None = None,
) -> Any:
    from assembler_verifier.verify import verify_folder

    report = verify_folder(folder, exported_head=options["head"], store=store, chain=chain)
    return _with_recompiled(report, folder) if options["recompile"] else report


def _with_recompiled(report: Any, folder: Folder) -> Any:
    """The report with one claim more: that compiling again gives the same bytes."""
    from assembler.adapters.vocabulary import open_counter
    from assembler.front.recompiling import recompile
    from assembler_verifier.report import Claim

    files = {**folder.files, **{f"objects/{name}": data for name, data in folder.objects.items()}}
    # Without the memory of counts: what somebody wrote there must not speak for a package.
    found = recompile(files, lambda counter: open_counter(counter, None))
    claim = Claim("recompiled", found.result, found.detail)
    return dataclasses.replace(report, claims=(*report.claims, claim))

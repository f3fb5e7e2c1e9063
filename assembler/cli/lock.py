"""`lock`: record what a repository's policy is, or compare it with what was recorded."""

from __future__ import annotations

from typing import Any

import click

from assembler.cli.lock_run import FORMATS, show_check, show_lock
from assembler.cli.main import Command, common_options
from assembler.cli.session import open_session
from assembler.errors import UsageError


@click.command(
    cls=Command,
    short_help="record what policy is, or compare",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option("--check", "is_check", is_flag=True, help="compare, write nothing; exit 1 if stale")
@click.option("-p", "--profile", metavar="NAME|FILE", help="its instructions and skill roots count")
@click.option("--host", metavar="FILE", help="the host manifest")
@click.option("--at", default="worktree", metavar="worktree|index|REV", help="with --check: where")
@click.option("--policy-from", metavar="REV", help="with --check: the revision that judges")
@common_options(*FORMATS)
def command(**options: Any) -> int:
    """Write .assembler/lock.json: digest and tokens of everything that is policy here.

    Tool pins are moved by `tools approve` alone: an entry of a catalog stays as it is.
    """
    session = open_session(options, formats=FORMATS)
    if options["is_check"]:
        return show_check(session, options)
    for option, name, usual in (("--at", "at", "worktree"), ("--policy-from", "policy_from", None)):
        if options[name] != usual:
            raise UsageError(
                "option-conflict",
                f"a lock is written of the files as they are; {option} is for --check",
                next_step=f"assembler lock --check {option} REV",
            )
    return show_lock(session, options)

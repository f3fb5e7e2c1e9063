"""`check`: every finding, for a person, a pipeline or a hook; the one gate of them all."""

from __future__ import annotations

from typing import Any

import click

from assembler.cli.check_run import FAIL_ON, FORMATS, show_check
from assembler.cli.main import Command, common_options
from assembler.cli.session import open_session


@click.command(
    cls=Command,
    short_help="every finding of chains, skills, pins and lock",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option("--select", multiple=True, metavar="CODE,..", help="these alone; ASM1 is all of them")
@click.option("--ignore", multiple=True, metavar="CODE,..", help="without these")
@click.option(
    "--fail-on", type=click.Choice(list(FAIL_ON)), default="warning", help="what makes exit 1"
)
@click.option("-p", "--profile", metavar="NAME|FILE", help="a name or a file")
@click.option("--agent", "agents", multiple=True, metavar="NAME", help="beside `agents` declared")
@click.option("--host", metavar="FILE", help="the host manifest")
@click.option("--at", default="worktree", metavar="worktree|index|REV", help="what is read")
@click.option("--policy-from", metavar="REV", help="the revision whose policy judges")
@click.option("--baseline", metavar="FILE", help="findings that are known already")
@click.option("--write-baseline", metavar="FILE", help="make all that is found known")
@common_options(*FORMATS)
def command(**options: Any) -> int:
    """Tell every finding of chains, skills, tool pins and lock, or of what PATHs have to do with.

    Exit 1 on an error or a warning, 0 without; a note is advice.
    """
    return show_check(open_session(options, formats=FORMATS), options)

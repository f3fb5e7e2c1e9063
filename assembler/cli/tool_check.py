"""`tools check`: what servers list now beside what was approved."""

from __future__ import annotations

from typing import Any

import click

from assembler.cli.main import Command, common_options
from assembler.cli.session import open_session
from assembler.cli.tool_check_run import FORMATS, show_drift
from assembler.cli.tool_options import source_options


@click.command(
    name="check",
    cls=Command,
    short_help="listings beside pins; exit 1 on drift",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.argument("server", metavar="[SERVER]", required=False)
@source_options
@click.option(
    "--ignore", multiple=True, metavar="POINTER", help="also leave this member out of digests"
)
@click.option("-p", "--profile", metavar="NAME|FILE", help="its `tools` count")
@click.option("--host", metavar="FILE", help="the host manifest")
@click.option("--at", default="worktree", metavar="worktree|index|REV", help="where pins are read")
@common_options(*FORMATS)
def command(**options: Any) -> int:
    """Compare what servers list with their pins; without --from or --live the profile's listings.

    Exit 0 in sync, 1 drift, 2 could not check: no pin, no listing, a silent server.
    """
    return show_drift(open_session(options, formats=FORMATS), options)

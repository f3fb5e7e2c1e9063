"""`tools list`: every tool that is pinned or listed, what it costs, and what enters of it."""

from __future__ import annotations

from typing import Any

import click

from assembler.cli.main import Command, common_options
from assembler.cli.session import open_session
from assembler.cli.tool_list_run import FORMATS, show_tools
from assembler.cli.tool_options import source_options


@click.command(
    name="list",
    cls=Command,
    short_help="every tool and what enters of it",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.argument("server", metavar="[SERVER]", required=False)
@source_options
@click.option("-p", "--profile", metavar="NAME|FILE", help="its `tools` count")
@click.option("--host", metavar="FILE", help="the host manifest")
@click.option("--at", default="worktree", metavar="worktree|index|REV", help="where pins are read")
@common_options(*FORMATS)
def command(**options: Any) -> int:
    """List tools with tokens and digests: those of a saved listing, of a server, or all pinned.

    Exit 2 where a listing must be refused.
    """
    return show_tools(open_session(options, formats=FORMATS), options)

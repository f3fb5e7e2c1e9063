"""`tools list`: every tool that is pinned or listed, what it costs, and what enters of it."""

from __future__ import annotations

from typing import Any

import click

from assembler.cli.main import Command, common_options
from assembler.cli.session import open_session
from assembler.cli.tool_source import end_progress, read_source, source_options
from assembler.errors import EXIT_OK

FORMATS = ("text", "json")


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
    from assembler.cli import tool_list_view
    from assembler.cli.output import write_out
    from assembler.front.tool_listing import report_tools

    session = open_session(options, formats=FORMATS)
    source = read_source(session, options, server=options["server"])
    try:
        report = report_tools(
            session.cwd,
            environment=session.environment,
            server=options["server"],
            files=source.files,
            live=source.live,
            at=options["at"],
            profile=options["profile"],
            host=session.resolve(options["host"]),
        )
    finally:
        end_progress(session)
    if session.output_format == "json":
        write_out(tool_list_view.to_json(report))
    else:
        write_out(tool_list_view.to_text(report, color=session.color))
    return EXIT_OK

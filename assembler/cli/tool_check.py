"""`tools check`: what servers list now beside what was approved."""

from __future__ import annotations

from typing import Any

import click

from assembler.cli.main import Command, common_options
from assembler.cli.session import open_session
from assembler.cli.tool_source import end_progress, read_source, source_options

FORMATS = ("text", "json")


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
    from assembler.cli import tool_check_view
    from assembler.cli.output import write_out
    from assembler.front.tool_checking import check_tools

    session = open_session(options, formats=FORMATS)
    source = read_source(session, options, server=options["server"])
    try:
        report = check_tools(
            session.cwd,
            source,
            environment=session.environment,
            server=options["server"],
            ignore=options["ignore"],
            at=options["at"],
            profile=options["profile"],
            host=session.resolve(options["host"]),
        )
    finally:
        end_progress(session)
    failure = report.servers[0].failure if options["server"] is not None else None
    if failure is not None:
        raise failure
    exit_code = tool_check_view.exit_code_of(report)
    if session.output_format == "json":
        write_out(tool_check_view.to_json(report, exit_code))
    else:
        command_line = tool_check_view.approve_options(options, session.cwd_as_typed)
        write_out(tool_check_view.to_text(report, command_line, color=session.color))
    return exit_code

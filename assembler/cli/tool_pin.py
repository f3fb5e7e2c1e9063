"""`tools pin`: the first approval of a server's tools, with their full text."""

from __future__ import annotations

from typing import Any

import click

from assembler.cli.main import Command, common_options
from assembler.cli.session import open_session
from assembler.cli.tool_options import source_options
from assembler.cli.tool_source import end_progress, read_source

FORMATS = ("text", "json")


@click.command(
    name="pin",
    cls=Command,
    short_help="the first approval of a server's tools",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.argument("server", metavar="SERVER")
@source_options
@click.option(
    "--ignore", multiple=True, metavar="POINTER", help="leave this member out of every digest"
)
@click.option("-p", "--profile", metavar="NAME|FILE", help="says which tools are allowed")
@click.option("--host", metavar="FILE", help="the host manifest")
@common_options(*FORMATS)
def command(**options: Any) -> int:
    """Show every tool in full and write .assembler/pins/SERVER.json; never over a pin.

    Where there is a pin: exit 0 if nothing changed, else 1 with the drift, and nothing is written.
    """
    from assembler.cli import tool_pin_view
    from assembler.cli.output import write_out
    from assembler.cli.tool_check_view import approve_options
    from assembler.front.tool_pinning import carry_out, plan_pin

    session = open_session(options, formats=FORMATS)
    try:
        report = plan_pin(
            session.cwd,
            options["server"],
            read_source(session, options, server=options["server"]),
            environment=session.environment,
            ignore=options["ignore"],
            profile=options["profile"],
            host=session.resolve(options["host"]),
        )
    finally:
        end_progress(session)
    exit_code = tool_pin_view.pin_exit_code(report)
    if session.output_format == "json":
        write_out(tool_pin_view.to_json(carry_out(report), exit_code))
        return exit_code
    told = approve_options({**options, "ignore": ()}, session.cwd_as_typed)
    # What could not be shown is not approved: the text comes first.
    write_out(tool_pin_view.pin_to_text(report, told, color=session.color))
    write_out(tool_pin_view.pinned_to_text(carry_out(report)))
    return exit_code

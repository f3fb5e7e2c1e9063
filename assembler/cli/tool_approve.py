"""`tools approve`: replace a pin by what was reviewed, and by nothing else."""

from __future__ import annotations

from typing import Any

import click

from assembler.cli.main import Command, common_options
from assembler.cli.session import open_session
from assembler.cli.tool_options import source_options
from assembler.cli.tool_source import end_progress, read_source
from assembler.errors import EXIT_FINDINGS, EXIT_OK, UsageError

FORMATS = ("text", "json")


@click.command(
    name="approve",
    cls=Command,
    short_help="replace a pin by what was reviewed",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.argument("server", metavar="SERVER")
@click.option(
    "--digest",
    "digests",
    multiple=True,
    metavar="DIGEST",
    help="what was reviewed, whole; as `tools check` prints it",
)
@source_options
@click.option(
    "--ignore", multiple=True, metavar="POINTER", help="from now on leave this member out"
)
@click.option("-p", "--profile", metavar="NAME|FILE", help="says which tools are allowed")
@click.option("--host", metavar="FILE", help="the host manifest")
@common_options(*FORMATS)
def command(**options: Any) -> int:
    """Replace the pin of a server; creates none.

    The digest is that of the reviewed catalog: where the server lists something else by now,
    nothing is written and the exit code is 1.
    """
    from assembler.cli import tool_pin_view
    from assembler.cli.output import write_out
    from assembler.cli.tool_check_view import approve_options
    from assembler.front.tool_pinning import carry_out, plan_approval

    session = open_session(options, formats=FORMATS)
    try:
        report = plan_approval(
            session.cwd,
            options["server"],
            read_source(session, options, server=options["server"]),
            options["digests"],
            environment=session.environment,
            ignore=options["ignore"],
            profile=options["profile"],
            host=session.resolve(options["host"]),
        )
    finally:
        end_progress(session)
    exit_code = EXIT_FINDINGS if report.wanted else EXIT_OK
    told = approve_options(options, session.cwd_as_typed)
    is_text = session.output_format != "json"
    if is_text:
        # What could not be shown is not approved: the drift comes first.
        write_out(tool_pin_view.approval_to_text(report, told, color=session.color))
    if report.wanted and not options["digests"]:
        raise UsageError(
            "digest-missing",
            "approve takes the digest of what was reviewed: nothing was written",
            where=report.place,
            next_step=tool_pin_view.approve_command(report, told),
        )
    report = carry_out(report)
    write_out(
        tool_pin_view.approved_to_text(report)
        if is_text
        else tool_pin_view.to_json(report, exit_code)
    )
    return exit_code

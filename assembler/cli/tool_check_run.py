"""What `tools check` does, once its options are known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from assembler.cli.output import write_out
from assembler.cli.session import Session
from assembler.cli.tool_check_view import approve_options, exit_code_of, to_json, to_text
from assembler.cli.tool_source import end_progress, read_source
from assembler.front.tool_checking import check_tools

FORMATS: Final = ("text", "json")


def show_drift(session: Session, options: Mapping[str, Any]) -> int:
    """Print each server beside its pin, and say the exit code."""
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
    exit_code = exit_code_of(report)
    if session.output_format == "json":
        write_out(to_json(report, exit_code))
    else:
        write_out(
            to_text(report, approve_options(options, session.cwd_as_typed), color=session.color)
        )
    return exit_code

"""What `tools list` does, once its options are known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from assembler.cli.output import write_out
from assembler.cli.session import Session
from assembler.cli.tool_list_view import to_json, to_text
from assembler.cli.tool_source import end_progress, read_source
from assembler.errors import EXIT_OK
from assembler.front.tool_listing import report_tools

FORMATS: Final = ("text", "json")


def show_tools(session: Session, options: Mapping[str, Any]) -> int:
    """Print the tools, and say the exit code."""
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
        write_out(to_json(report))
    else:
        write_out(to_text(report, color=session.color))
    return EXIT_OK

"""What `chain` does, once its options are known: one folder, every folder, or as an agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from assembler.cli.agent_options import refuse_agent_options
from assembler.cli.chain_view import to_json, to_markdown, to_text, warning_lines
from assembler.cli.output import escape, write_bytes, write_out, write_talk
from assembler.cli.session import Session
from assembler.errors import EXIT_OK

CODEX: Final = "codex"
"""The agent whose chain has a walk and a block of its own."""
FORMATS: Final = ("text", "json", "input", "markdown")


def show_chain(session: Session, options: Mapping[str, Any]) -> int:
    """Print what was asked for, and say the exit code."""
    if options["all_folders"]:
        from assembler.cli.chain_list import show_all

        return show_all(session, options)
    if options["agent"] is not None:
        if options["agent"] == CODEX:
            from assembler.cli.agent_view import show_agent_chain

            return show_agent_chain(session, options)
        from assembler.cli.agent_entries import show_agents

        return show_agents(session, options)
    refuse_agent_options(options)
    return _show(session, options)


def _show(session: Session, options: Mapping[str, Any]) -> int:
    # An agent's chain needs no git, which is most of what this imports.
    from assembler.front.chain import report_chain

    report = report_chain(
        session.cwd,
        environment=session.environment,
        at=options["at"],
        targets=options["targets"],
        profile=options["profile"],
        host=session.resolve(options["host"]),
    )
    if session.verbose:
        names = ", ".join(report.names)
        write_talk(f"used: profile {escape(report.profile)}; names {escape(names)}")
    match session.output_format:
        case "json":
            write_out(to_json(report))
        case "input":
            write_bytes(b"\n\n".join(report.chain.texts.values()))
            for line in warning_lines(report):
                write_talk(line)
        case "markdown":
            write_out(to_markdown(report, f"Instruction chain for {report.cwd or '.'}"))
        case _:
            write_out(to_text(report, session))
            if report.chain.texts:
                session.hint("this is the repository alone; `--agent codex` adds your ~/.codex")
    return EXIT_OK

"""`skills list`: what a run would load of skills, what each costs, and what is left out."""

from __future__ import annotations

from typing import Any

import click

from assembler.cli.agent_options import (
    refuse_agent_option,
    refuse_agent_options,
    refuse_beside_agent,
)
from assembler.cli.main import Command, common_options
from assembler.cli.session import Session, open_session
from assembler.errors import EXIT_OK

FORMATS = ("text", "json", "prompt")


@click.command(
    name="list",
    cls=Command,
    short_help="what a run would load",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option("-t", "--target", "targets", multiple=True, metavar="PATH", help="a file to work on")
@click.option("-m", "--message", metavar="TEXT", help="the objective; $NAME in it activates")
@click.option("--task", "task_file", metavar="FILE|-", help="a task file, or plain text")
@click.option("-p", "--profile", metavar="NAME|FILE", help="its `skills` count")
@click.option("--host", metavar="FILE", help="the host manifest")
@click.option("--at", default="worktree", metavar="worktree|index|REV", help="what is read")
@click.option("--agent", metavar="NAME", help="as this agent lists them here, or all")
@click.option(
    "--agent-config", "overrides", multiple=True, metavar="KEY=VALUE", help="the agent's own -c"
)
@click.option(
    "--agent-option",
    "agent_options",
    multiple=True,
    metavar="NAME=VALUE",
    help="its own option",
)
@click.option("--agent-system-dir", "system_folder", metavar="DIR", help="in place of /etc/codex")
@common_options(*FORMATS)
def command(**options: Any) -> int:
    """List the skills of a run with their cost at each level, and those that are left out.

    `prompt` is the block of the Agent Skills specification; none where no skill is listed.
    """
    session = open_session(options, formats=FORMATS)
    if options["agent"] is not None:
        return _as_agent(session, options)
    refuse_agent_options(options)
    return _show(session, options)


def _show(session: Session, options: dict[str, Any]) -> int:
    from assembler.cli import skill_view
    from assembler.cli.output import write_out
    from assembler.cli.task_input import read_task_input
    from assembler.front.skill_listing import report_skills

    asks = options["message"] is not None or options["task_file"] is not None
    report = report_skills(
        session.cwd,
        environment=session.environment,
        at=options["at"],
        targets=options["targets"],
        task=read_task_input(session, options) if asks else None,
        profile=options["profile"],
        host=session.resolve(options["host"]),
        every_digest=session.output_format == "json",
    )
    match session.output_format:
        case "json":
            write_out(skill_view.to_json(report))
        case "prompt":
            write_out(skill_view.to_prompt(report))
        case _:
            write_out(skill_view.to_text(report, color=session.color))
    skill_view.hint_at_findings(report, session)
    return EXIT_OK


def _as_agent(session: Session, options: dict[str, Any]) -> int:
    """As an agent lists them; what asks about a run of ours says nothing there."""
    refuse_beside_agent(
        {
            "--target": options["targets"],
            "--message": options["message"],
            "--task": options["task_file"],
            "--profile": options["profile"],
            "--host": options["host"],
            "--at": options["at"] != "worktree",
        }
    )
    match options["agent"]:
        case "all":
            from assembler.cli.agent_list_table import show_all_lists

            return show_all_lists(session, options)
        case "codex":
            from assembler.cli.agent_skill_view import show_agent_skills

            refuse_agent_option(options)
            return show_agent_skills(session, options)
        case _:
            from assembler.cli.agent_list_view import show_skill_list

            return show_skill_list(session, options)

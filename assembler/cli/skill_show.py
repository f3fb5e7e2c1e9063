"""`skills show NAME`: one skill, its levels, its files, and what it asks for beside the grant."""

from __future__ import annotations

from typing import Any

import click

from assembler.cli.main import Command, common_options
from assembler.cli.session import open_session
from assembler.errors import EXIT_OK, UsageError

FORMATS = ("text", "json")


@click.command(
    name="show",
    cls=Command,
    short_help="one skill",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.argument("name", metavar="NAME|FOLDER")
@click.option("--body", is_flag=True, help="print SKILL.md itself, and nothing else")
@click.option("-p", "--profile", metavar="NAME|FILE", help="its `skills` count")
@click.option("--host", metavar="FILE", help="the host manifest")
@click.option("--at", default="worktree", metavar="worktree|index|REV", help="what is read")
@common_options(*FORMATS)
def command(**options: Any) -> int:
    """Show one skill: what each level costs, its files by size, and what it asks for.

    What it asks for is shown beside the grant and adds nothing to it.
    """
    from assembler.cli import skill_show_view
    from assembler.cli.output import write_bytes, write_out
    from assembler.front.skill_listing import find_skill, report_skills

    session = open_session(options, formats=FORMATS)
    if options["body"] and session.output_format == "json":
        raise UsageError(
            "option-conflict",
            "--body prints the file as it is, and JSON has no place for it",
            next_step="leave one of the two out",
        )
    report = report_skills(
        session.cwd,
        environment=session.environment,
        at=options["at"],
        profile=options["profile"],
        host=session.resolve(options["host"]),
    )
    row = find_skill(report, options["name"])
    if options["body"]:
        data = report.contents.get(row.skill.path)
        if data is None:
            raise UsageError(
                "skill-unreadable",
                f"{row.skill.path} can't be read: {row.reason or 'it is too large'}",
                where=row.where,
                next_step="assembler skills check",
            )
        write_bytes(data)
    elif session.output_format == "json":
        write_out(skill_show_view.to_json(report, row))
    else:
        write_out(skill_show_view.to_text(report, row))
    return EXIT_OK

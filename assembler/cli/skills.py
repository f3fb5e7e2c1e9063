"""`skills`: what a run would list of them, one of them, and whether they keep the format."""

from __future__ import annotations

import click

from assembler.cli.subcommands import ListedGroup


class SkillGroup(ListedGroup):
    """The commands about skills."""

    module_prefix = "skill"
    commands_by_name = {  # noqa: RUF012 - declared as a class variable above
        "list": "what a run would load, and what is left out",
        "check": "whether they keep the format; exit 1 where not",
        "show": "one skill: its levels, its files, what it asks for",
    }


@click.group(
    cls=SkillGroup,
    short_help="skills and what each costs",
    context_settings={"help_option_names": ["-h", "--help"]},
)
def command() -> None:
    """Skills: what a run would list, one of them, and whether they keep the format.

    `assembler skills` alone is `assembler skills list`.
    """

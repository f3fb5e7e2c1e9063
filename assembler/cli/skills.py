"""`skills`: what a run would list of them, one of them, and whether they keep the format."""

from __future__ import annotations

import importlib
from typing import Final

import click

from assembler.cli.main import Group

COMMANDS: Final = {
    "list": "what a run would load, and what is left out",
    "check": "whether they keep the format; exit 1 where not",
    "show": "one skill: its levels, its files, what it asks for",
}


class SkillGroup(Group):
    """Commands that are imported when they are asked for; without a name it is `list`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does, with `list` in front of bare options."""
        bare = not args or (args[0].startswith("-") and args[0] not in ("-h", "--help"))
        return super().parse_args(ctx, ["list", *args] if bare else args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, or None where there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"assembler.cli.skill_{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """A line for each, without importing it."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=SkillGroup,
    short_help="skills and what each costs",
    context_settings={"help_option_names": ["-h", "--help"]},
)
def command() -> None:
    """Skills: what a run would list, one of them, and whether they keep the format.

    `assembler skills` alone is `assembler skills list`.
    """

"""Groups of commands below one name, imported when they are asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import click

from assembler.cli.main import Group

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class ListedGroup(Group):
    """Commands of one subject; without a name it is the bare one, if there is one."""

    commands_by_name: ClassVar[Mapping[str, str]] = {}
    """One line each, in the order of the help."""
    bare_command: ClassVar[str | None] = "list"
    """What is meant where no name is given; None: nothing is."""
    module_prefix: ClassVar[str] = ""
    """`assembler.cli.PREFIX_NAME` holds the command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does, with the bare command's name in front of bare options."""
        if self.bare_command is None or (ctx.resilient_parsing and not args):
            # Or the line is not finished: any of the names may come.
            return super().parse_args(ctx, args)
        bare = not args or (args[0].startswith("-") and args[0] not in ("-h", "--help"))
        return super().parse_args(ctx, [self.bare_command, *args] if bare else args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The names; of options those of the command that is meant where no name is."""
        if incomplete.startswith("-") and self.bare_command is not None:
            bare = self.get_command(ctx, self.bare_command)
            assert bare is not None  # it is one of the names
            return bare.shell_complete(ctx, incomplete)
        return super().shell_complete(ctx, incomplete)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the help."""
        return list(self.commands_by_name)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, or None where there is none of that name."""
        if cmd_name not in self.commands_by_name:
            return None
        module = importlib.import_module(f"assembler.cli.{self.module_prefix}_{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """A line for each, without importing it."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.commands_by_name.items()))

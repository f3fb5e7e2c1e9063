"""`tools`: definitions beside what was approved, and how something comes to be approved."""

from __future__ import annotations

import click

from assembler.cli.subcommands import ListedGroup


class ToolGroup(ListedGroup):
    """The commands about tools of MCP servers."""

    module_prefix = "tool"
    commands_by_name = {  # noqa: RUF012 - declared as a class variable above
        "list": "every tool, what it costs, and what enters of it",
        "check": "what servers list now beside what was approved; exit 1 on drift",
        "pin": "the first approval of a server's tools, in full",
        "approve": "replace a pin by what was reviewed",
    }


@click.group(
    cls=ToolGroup,
    short_help="tools of MCP servers against their pins",
    context_settings={"help_option_names": ["-h", "--help"]},
)
def command() -> None:
    """Tools of MCP servers: what they say, what was approved, and what has changed since.

    `assembler tools` alone is `assembler tools list`.
    """

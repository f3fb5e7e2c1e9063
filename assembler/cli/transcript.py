"""`transcript`: the history of one run, weighed, judged and cut."""

from __future__ import annotations

import click

from assembler.cli.subcommands import ListedGroup


class TranscriptGroup(ListedGroup):
    """The commands about the history of a run."""

    module_prefix = "transcript"
    bare_command = None
    commands_by_name = {  # noqa: RUF012 - declared as a class variable above
        "check": "what fills the input, whether it fits, and which calls lost their results",
        "compact": "a rewrite that parts no call from its results, and what it loses",
    }


@click.group(
    cls=TranscriptGroup,
    short_help="what a run's history weighs, and where it may be cut",
    context_settings={"help_option_names": ["-h", "--help"]},
)
def command() -> None:
    """Weigh the history of a run, and cut it where nothing that belongs together is parted.

    FILE is a session log of Claude Code or Codex, messages of a model client, or a trace; `-` is
    standard input.
    """

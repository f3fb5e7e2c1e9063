"""`skills check`: skills beside the specification, for a person, a pipeline or a hook."""

from __future__ import annotations

from typing import Any

import click

from assembler.cli.gate import FAIL_ON, FORMATS
from assembler.cli.main import Command, common_options
from assembler.cli.session import open_session
from assembler.cli.skill_check_run import show_skill_check


@click.command(
    name="check",
    cls=Command,
    short_help="whether they keep the format",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option("--select", multiple=True, metavar="CODE,..", help="these alone; ASM2 is all of them")
@click.option("--ignore", multiple=True, metavar="CODE,..", help="without these")
@click.option(
    "--fail-on", type=click.Choice(list(FAIL_ON)), default="warning", help="what makes exit 1"
)
@click.option("-p", "--profile", metavar="NAME|FILE", help="its `skills.roots` count")
@click.option("--host", metavar="FILE", help="the host manifest")
@click.option("--at", default="worktree", metavar="worktree|index|REV", help="what is read")
@common_options(*FORMATS)
def command(**options: Any) -> int:
    """Check skills by the specification, strictly: all of the repository, or those at PATHs.

    A PATH is a SKILL.md, the folder of a skill, a file inside it, or a folder that holds skills at
    any depth.

    Exit 1 on an error or a warning, 0 without; a note is advice.
    """
    return show_skill_check(open_session(options, formats=FORMATS), options)

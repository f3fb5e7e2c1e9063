"""`chain`: the instruction files of a folder or target, and what is lost of them."""

from __future__ import annotations

from typing import Any

import click

from assembler.cli.chain_run import FORMATS, show_chain
from assembler.cli.main import Command, common_options
from assembler.cli.session import open_session


@click.command(
    cls=Command,
    short_help="instruction files and what is lost of them",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option("-t", "--target", "targets", multiple=True, metavar="PATH", help="a file to work on")
@click.option("--all", "all_folders", is_flag=True, help="every folder that has instruction files")
@click.option("-p", "--profile", metavar="NAME|FILE", help="its `instructions` count")
@click.option("--host", metavar="FILE", help="the host manifest")
@click.option("--at", default="worktree", metavar="worktree|index|REV", help="what is read")
@click.option("--agent", metavar="NAME", help="as codex, claude, gemini or opencode, or all")
@click.option(
    "--agent-config", "overrides", multiple=True, metavar="KEY=VALUE", help="the agent's own -c"
)
@click.option(
    "--agent-option", "agent_options", multiple=True, metavar="NAME=VALUE", help="the agent's own"
)
@click.option("--agent-version", metavar="VERSION", help="another one that was measured")
@click.option("--agent-system-dir", "system_folder", metavar="DIR", help="in place of /etc/…")
@click.option("--confirm", is_flag=True, help="ask the installed agent, and compare")
@common_options(*FORMATS)
def command(**options: Any) -> int:
    """Show the instruction chain of a folder: what loads, what is lost, and how to mend it."""
    return show_chain(open_session(options, formats=FORMATS), options)

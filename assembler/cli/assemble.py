"""`assemble`: compile the input of one run, from a repository or from an inventory."""

from __future__ import annotations

from typing import Any

import click

from assembler.cli.assemble_run import APIS, FORMATS, show_run
from assembler.cli.main import Command, common_options
from assembler.cli.session import open_session


@click.command(
    cls=Command,
    short_help="compile the input of one run",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option("-t", "--target", "targets", multiple=True, metavar="PATH", help="file to work on")
@click.option("-m", "--message", metavar="TEXT", help="the objective")
@click.option("--task", "task_file", metavar="FILE|-", help="a task file, or plain text")
@click.option("--inventory", "inventory_file", metavar="FILE|-", help="the second door")
@click.option("-p", "--profile", metavar="NAME|FILE", help="how the input is made")
@click.option("--host", metavar="FILE", help="the host manifest")
@click.option("--at", metavar="worktree|index|REV", help="what is read; default: worktree")
@click.option("--policy-from", metavar="REV", help="policy of exactly REV; default: as --at")
@click.option("--locked", is_flag=True, help="refuse where policy is not what the lock has")
@click.option("--now", metavar="TIME", help="reference time for expiry")
@click.option("--api", type=click.Choice(APIS), help="the request's form; default: text")
@click.option("--model", metavar="NAME", help="the model, for the request")
@click.option("--out", metavar="DIR", help="a folder for the package, new or empty")
@click.option("--variants", metavar="DIR", help="a contract's evidence in other places, to compare")
@click.option("--continue", "continued", metavar="RUN", help="keep the pins of an earlier run")
@click.option("--because", metavar="TEXT", help="why changed pins may enter a continued run")
@common_options(*FORMATS)
def command(**options: Any) -> int:
    """Compile the input of one run, with a ledger of everything that is in or out.

    The task is -m TEXT, --task FILE, or standard input.
    """
    return show_run(open_session(options, formats=FORMATS), options)

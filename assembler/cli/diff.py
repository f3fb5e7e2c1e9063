"""`diff`: what an agent would see differently, between two places in time or two runs."""

from __future__ import annotations

from typing import Any

import click

from assembler.cli.main import Command, common_options

FORMATS = ("text", "json", "markdown")


@click.command(
    cls=Command,
    short_help="what an agent would see differently",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.argument("words", metavar="[A..B | A B | RUN RUN]", nargs=-1)
@click.option(
    "-t", "--target", "targets", multiple=True, metavar="PATH", help="of a run on these files"
)
@click.option("-m", "--message", metavar="TEXT", help="of a run with this objective")
@click.option("--task", "task_file", metavar="FILE|-", help="of a run of this task")
@click.option("-p", "--profile", metavar="NAME|FILE", help="a name or a file")
@click.option("--host", metavar="FILE", help="the host manifest")
@click.option("--agent", "agents", multiple=True, metavar="NAME", help="beside `agents` declared")
@click.option("--no-text", is_flag=True, help="without the lines that differ")
@click.option("--exit-code", is_flag=True, help="exit 1 where they differ")
@common_options(*FORMATS)
def command(**options: Any) -> int:
    """Compare what agents are given at two places in time, or by two runs.

    A and B are revisions, `worktree` or `index`; one alone is compared with the worktree, and
    without any HEAD is. A RUN is a number, `last`, or a package folder.
    """
    from assembler.cli.diff_run import show_diff
    from assembler.cli.session import open_session

    return show_diff(open_session(options, formats=FORMATS), options)

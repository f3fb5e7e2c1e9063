"""`transcript check`: what fills the input of a run, and whether the next request fits."""

from __future__ import annotations

from typing import Any

import click

from assembler.cli.main import Command, common_options
from assembler.cli.session import open_session
from assembler.cli.transcript_options import (
    DEFAULT_COUNTER,
    limit_options,
    read_input,
    read_limits,
)

FORMATS = ("text", "json", "jsonl")


@click.command(
    cls=Command,
    short_help="what fills the input, and whether it fits",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@limit_options
@click.option(
    "--calls",
    type=click.IntRange(min=1, max=10_000),
    metavar="N",
    help="that one turn may make; default: as many as one made",
)
@common_options(*FORMATS)
def command(**options: Any) -> int:
    """Show how the input of a run grew, and say whether the next request fits.

    Exit 0 when it fits, 1 when a rewrite is due or something is found, 3 when nothing that may
    be dropped makes it fit, 2 when it can't be read.
    """
    from assembler.cli.transcript_view import show_checked
    from assembler.front.transcripts import MAX_TRANSCRIPT_BYTES, check_transcript

    session = open_session(options, formats=FORMATS)
    limits = read_limits(options)
    data, name = read_input(session, options["file"], MAX_TRANSCRIPT_BYTES)
    checked = check_transcript(
        data,
        name=name,
        limits=limits,
        calls=options["calls"],
        counter=options["counter"] or DEFAULT_COUNTER,
        environment=session.environment,
    )
    return show_checked(session, checked, named=options["file"])

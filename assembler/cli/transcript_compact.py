"""`transcript compact`: a rewrite of a run's history, and what it loses."""

from __future__ import annotations

from typing import Any

import click

from assembler.cli.main import Command, common_options
from assembler.cli.session import Session, open_session
from assembler.cli.transcript_options import (
    DEFAULT_COUNTER,
    limit_options,
    read_input,
    read_limits,
)
from assembler.errors import UsageError

FORMATS = ("text", "json", "jsonl", "input", "dropped")


@click.command(
    cls=Command,
    short_help="a rewrite that parts no call from its results",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@limit_options
@click.option(
    "--cut",
    type=click.IntRange(min=0),
    metavar="N",
    help="drop the first N entries; default: all in front of the newest turn",
)
@click.option("--summary", metavar="FILE|-", help="what stands in place of what is dropped")
@common_options(*FORMATS)
def command(**options: Any) -> int:
    """Drop what was said early: the task stays, and no call is parted from its results.

    Give --ceiling, --cut or both. `-f dropped` prints what a summary has to cover, `-f jsonl` the
    trace with the rewrite behind it, `-f input` what the next request holds.

    Exit 0 when done or when nothing is due, 1 when something is found, 3 when what is left is
    still over the ceiling, 2 when it can't be read.
    """
    from assembler.cli.rewrite_view import show_compacted
    from assembler.front.rewriting import compact_transcript
    from assembler.front.transcripts import MAX_TRANSCRIPT_BYTES

    session = open_session(options, formats=FORMATS)
    limits = read_limits(options)
    if limits is None and options["cut"] is None:
        raise UsageError(
            "option-missing",
            "neither --ceiling nor --cut says what to drop",
            next_step="give --ceiling TOKENS, or --cut ENTRIES",
        )
    summary = _read_summary(session, options["file"], options["summary"])
    data, name = read_input(session, options["file"], MAX_TRANSCRIPT_BYTES)
    compacted = compact_transcript(
        data,
        name=name,
        limits=limits,
        cut=options["cut"],
        summary=summary,
        summary_name=options["summary"],
        counter=options["counter"] or DEFAULT_COUNTER,
        environment=session.environment,
    )
    return show_compacted(session, compacted)


def _read_summary(session: Session, file: str, named: str | None) -> str | None:
    """The summary that was named.

    Raises:
        UsageError: it is missing or too large, `summary-not-text`, `summary-empty`, or both come
            from stdin.
    """
    from assembler.front.rewriting import MAX_SUMMARY_BYTES

    if named is None:
        return None
    if named == "-" and file == "-":
        raise UsageError(
            "option-conflict", "FILE and --summary can't both be -", next_step="name one of them"
        )
    data, name = read_input(session, named, MAX_SUMMARY_BYTES)
    try:
        summary = data.decode("utf-8-sig").replace("\r\n", "\n").strip("\n")
    except UnicodeDecodeError:
        raise UsageError(
            "summary-not-text", "not UTF-8", where=name, next_step="save it as UTF-8"
        ) from None
    if not summary.strip():
        # Of a summarizer that failed, all that was said would be gone without a word.
        raise UsageError(
            "summary-empty",
            "nothing is in it",
            where=name,
            next_step="give a summary, or leave out --summary to drop without one",
        )
    return summary

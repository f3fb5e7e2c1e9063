"""What the commands about transcripts share: their file, their limits, and how these are asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import click

from assembler.cli.session import Session
from assembler.errors import UsageError

if TYPE_CHECKING:
    from assembler.transcript.limits import Limits

DEFAULT_COUNTER: Final = "o200k_base"


def limit_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say what a transcript is held to."""
    for decorator in (
        click.argument("file", metavar="FILE|-"),
        click.option("--ceiling", type=click.IntRange(min=1), metavar="N", help="most it may hold"),
        click.option(
            "--trigger",
            type=click.IntRange(min=1),
            metavar="N",
            help="above it a rewrite is due; default: the ceiling",
        ),
        click.option(
            "--allowance",
            type=click.IntRange(min=0),
            metavar="N",
            help="kept free for a summary; default 1000",
        ),
        click.option(
            "--counter", metavar="NAME", help=f"for what nobody counted; default {DEFAULT_COUNTER}"
        ),
    ):
        function = decorator(function)
    return function


def read_limits(options: Mapping[str, Any]) -> Limits | None:
    """The limits of a call; None: no ceiling was given.

    Raises:
        UsageError: `option-conflict`: a trigger without a ceiling, or above it.
    """
    from assembler.transcript.limits import SUMMARY_ALLOWANCE_TOKENS, Limits

    ceiling, trigger, allowance = (options[name] for name in ("ceiling", "trigger", "allowance"))
    if ceiling is None:
        if trigger is not None or allowance is not None:
            name = "trigger" if trigger is not None else "allowance"
            raise UsageError(
                "option-conflict", f"--{name} says nothing without --ceiling", next_step="give both"
            )
        return None
    if trigger is not None and trigger > ceiling:
        raise UsageError(
            "option-conflict",
            f"a trigger of {trigger:,} is above the ceiling of {ceiling:,}",
            next_step="give a lower --trigger",
        )
    return Limits(
        ceiling,
        ceiling if trigger is None else trigger,
        SUMMARY_ALLOWANCE_TOKENS if allowance is None else allowance,
    )


def read_input(session: Session, named: str, limit_bytes: int) -> tuple[bytes, str]:
    """The bytes of a file or of standard input, and how messages name it.

    Raises:
        UsageError: it is missing, unreadable or too large.
    """
    if named == "-":
        from assembler.cli.task_input import read_stdin

        return read_stdin(limit_bytes), "standard input"
    from assembler.adapters.filesystem import read_host_file

    path = session.resolve(named)
    assert path is not None  # a name was given
    return read_host_file(path, limit_bytes=limit_bytes), named

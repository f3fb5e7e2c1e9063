"""Where a catalog comes from, as options say, and the line that tells how far it is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from assembler.cli.output import escape
from assembler.cli.session import Session
from assembler.errors import UsageError
from assembler.front.catalog_source import Live, Source, require_timeout

_ERASE = "\r\x1b[K"


def read_source(session: Session, options: Mapping[str, Any], *, server: str | None) -> Source:
    """What the options say.

    Raises:
        UsageError: `option-conflict`, `timeout-invalid`, or a path that is none.
    """
    if options["files"] and options["live"]:
        raise UsageError(
            "option-conflict",
            "--from and --live are two places for one listing",
            next_step="leave one of the two out",
        )
    files = []
    for named in options["files"]:
        path = session.resolve(named)
        assert path is not None  # it was named
        files.append((named, path))
    if not options["live"]:
        return Source(tuple(files))
    return Source(
        live=Live(
            environment=session.environment,
            timeout_seconds=require_timeout(options["timeout_seconds"]),
            report=_progress(session, server),
            note=lambda text: _hint(session, text),
        )
    )


def end_progress(session: Session) -> None:
    """Take the line away."""
    if _shows_progress(session):
        sys.stderr.write(_ERASE)
        sys.stderr.flush()


def _hint(session: Session, text: str) -> None:
    """A line that stays, in the place of the one that is written over."""
    end_progress(session)
    session.hint(escape(text))


def _progress(session: Session, server: str | None) -> Callable[[str], None]:
    """A line that is written over, on a terminal; nothing elsewhere."""
    if not _shows_progress(session):
        return lambda _: None
    head = "asking" if server is None else escape(server)

    def tell(text: str) -> None:
        sys.stderr.write(f"{_ERASE}{head}: {escape(text)}")
        sys.stderr.flush()

    return tell


def _shows_progress(session: Session) -> bool:
    return not session.quiet and sys.stderr is not None and sys.stderr.isatty()

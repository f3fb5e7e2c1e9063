"""The task of a command: its text, a file, or standard input."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from assembler.cli.session import Session
from assembler.errors import UsageError

if TYPE_CHECKING:
    from assembler.config.task import Task

MAX_TASK_BYTES: Final = 4 * 1024 * 1024


def read_task_input(session: Session, options: Mapping[str, Any]) -> Task:
    """The task that `message` or `task_file` gives, else standard input.

    Raises:
        UsageError: both are given, there is none, or it can't be read.
        ConfigError: the file does not say what a task must.
    """
    from assembler.config.task import read_task
    from assembler.front.profiles import read_document

    message, named = options["message"], options["task_file"]
    if message is not None and named is not None:
        raise UsageError("option-conflict", "give -m or --task, not both", next_step="drop one")
    if message is not None:
        data, place = message.encode("utf-8", "surrogateescape"), "-m"
    elif named is not None and named != "-":
        from assembler.adapters.filesystem import read_host_file

        path = session.resolve(named)
        assert path is not None  # a name was given
        data, place = read_host_file(path, limit_bytes=MAX_TASK_BYTES), path.name
    else:
        data, place = _read_task_stdin(named), "standard input"
    return read_task(data, path=place, read_document=lambda text: read_document(text, place))


def _read_task_stdin(named: str | None) -> bytes:
    """The task on standard input; never a wait at a prompt that nobody sees."""
    if named is None and (sys.stdin is None or sys.stdin.isatty()):
        raise UsageError("no-task", "no task", next_step="give -m TEXT, --task FILE, or pipe one")
    return read_stdin(MAX_TASK_BYTES)


def read_stdin(limit_bytes: int) -> bytes:
    """Standard input, whole.

    Raises:
        UsageError: `stdin-closed`, `size-limit`.
    """
    if sys.stdin is None:
        raise UsageError("stdin-closed", "standard input is closed", next_step="name a file")
    data = sys.stdin.buffer.read(limit_bytes + 1)
    if len(data) > limit_bytes:
        raise UsageError("size-limit", f"standard input is larger than {limit_bytes:,} bytes")
    return data

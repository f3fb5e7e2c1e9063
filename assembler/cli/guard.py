"""The one table from failures to exit codes, and how each is told. click has no part in it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

from assembler.cli.output import (
    OutputClosedError,
    error_envelope,
    escape,
    paint,
    wants_color,
    write_out,
    write_talk,
)
from assembler.errors import (
    EXIT_BUG,
    EXIT_CLOSED_PIPE,
    EXIT_INTERRUPTED,
    EXIT_USAGE,
    AssemblerError,
    RefusedError,
    UsageError,
)


def run_guarded(call: Callable[[], int], arguments: Sequence[str]) -> int:
    """Run a command and say its exit code; the only place that turns failures into codes.

    Args:
        call: the command.
        arguments: as given, for `--debug` and the form that errors are told in.
    """
    as_json = _asks_for_json(arguments)
    try:
        _require_text(arguments)
        code = call()
    except (OutputClosedError, BrokenPipeError):
        code = _close_quietly()
    except KeyboardInterrupt:
        code = tell_interrupt()
    except AssemblerError as error:
        code = tell_failure(error, as_json=as_json)
    except OSError as error:
        code = tell_failure(_declared(error), as_json=as_json)
    except Exception:
        if "--debug" in arguments:
            raise
        write_talk("error: internal (internal-error)")
        write_talk("hint: rerun with --debug, and report what it prints")
        if as_json:
            _tell_as_json(_Bug("internal-error", "internal", next_step="rerun with --debug"))
        code = EXIT_BUG
    return code


def tell_interrupt() -> int:
    """Ctrl-C, told in one line."""
    write_talk("interrupted; nothing was written")
    return EXIT_INTERRUPTED


def tell_error(error: AssemblerError) -> None:
    """The message of a declared failure, for a person."""
    refused = isinstance(error, RefusedError)
    word = "refused:" if refused else "error:"
    color = wants_color("auto", os.environ, terminal=sys.stderr is not None and sys.stderr.isatty())
    place = "" if error.where is None or error.where in error.message else f"{error.where}: "
    head = paint(word, "31", color=color)
    write_talk(f"{head} {escape(place)}{escape(error.message)} ({error.code})")
    if error.next_step:
        write_talk(f"hint: {escape(error.next_step)}")
    if isinstance(error, RefusedError) and error.recorded_seq is not None:
        write_talk(
            f"Recorded: event {error.recorded_seq}, {error.event_name}. No package was made."
        )


def tell_failure(error: AssemblerError, *, as_json: bool) -> int:
    """A declared failure in the asked form, and its exit code."""
    tell_error(error)
    return _tell_as_json(error) if as_json else error.exit_code


def _tell_as_json(error: AssemblerError) -> int:
    try:
        write_out(error_envelope(error))
    except OutputClosedError:
        return _close_quietly()
    except AssemblerError:
        return EXIT_USAGE
    return error.exit_code


class _Bug(AssemblerError):
    """A failure that nobody declared."""

    exit_code = EXIT_BUG


def _declared(error: OSError) -> UsageError:
    """A failure of the system, with the path that it is about."""
    path = error.filename
    where = os.fsdecode(path) if isinstance(path, str | bytes) else None
    message = error.strerror or "input/output error"
    return UsageError("io-error", message[:1].lower() + message[1:], where=where)


def _require_text(arguments: Sequence[str]) -> None:
    """Refuse bytes on the command line that are no text: nothing recorded could name them."""
    for argument in arguments:
        try:
            argument.encode("utf-8")
        except UnicodeEncodeError:
            raise UsageError(
                "not-utf8",
                "an argument is not UTF-8",
                where=argument,
                next_step="use a UTF-8 locale, and names that are UTF-8",
            ) from None


def _asks_for_json(arguments: Sequence[str]) -> bool:
    """Read before parsing, since a usage error has to be told in the asked form too."""
    for position, argument in enumerate(arguments):
        if argument in ("-f", "--format") and arguments[position + 1 : position + 2] == ["json"]:
            return True
        if argument in ("--format=json", "-fjson"):
            return True
    return False


def _close_quietly() -> int:
    """Nobody reads on: let the interpreter's own last flush go nowhere."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    return EXIT_CLOSED_PIPE

"""What a command was asked, once: options before and after its name made one."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from assembler.cli.output import wants_color, write_talk
from assembler.errors import UsageError


class Session(NamedTuple):
    """The common options of one call, and the world as it came in."""

    cwd: Path
    """Absolute, links resolved."""
    cwd_as_named: Path
    """As -C names it, absolute, with its links; else the same."""
    output_format: str
    quiet: bool
    verbose: bool
    color: bool
    environment: Mapping[str, str]
    cwd_as_typed: str | None = None
    """What -C was given, for a command that is shown to be typed next."""

    def resolve(self, named: str | None) -> Path | None:
        """A path of the command line, relative to where the agent starts; None stays None.

        Raises:
            UsageError: `path-invalid`.
        """
        if named is None:
            return None
        if "\0" in named:
            raise UsageError("path-invalid", "a path holds no NUL", next_step="correct the path")
        return self.cwd / named

    def hint(self, text: str) -> None:
        """A hint for a person, unless none are wanted."""
        if not self.quiet:
            write_talk(f"hint: {text}")


def open_session(own: Mapping[str, Any], *, formats: tuple[str, ...]) -> Session:
    """The session of the running command.

    Args:
        own: the options given behind the command's name.
        formats: what the command can print, the default first.

    Raises:
        UsageError: no such folder, or no such format.
    """
    # Commands that were parsed without it have no context to ask (see `quick`).
    import click

    context = click.get_current_context()
    name = context.command_path.partition(" ")[2]
    return make_session(context.find_root().obj or {}, own, formats=formats, name=name)


def make_session(
    before: Mapping[str, Any], own: Mapping[str, Any], *, formats: tuple[str, ...], name: str | None
) -> Session:
    """The session of a command.

    Args:
        before: the options given before the command's name.
        own: those behind it.
        formats: what the command can print, the default first.
        name: of the command.

    Raises:
        UsageError: no such folder, or no such format.
    """
    given = {**before, **{key: value for key, value in own.items() if value is not None}}
    output_format = given.get("output_format", formats[0])
    if output_format not in formats:
        raise UsageError(
            "format-unknown",
            f"{name} prints {', '.join(formats)}, not {output_format}",
            next_step=f"--format {formats[0]}",
        )
    named = given.get("cwd")
    cwd = _find_folder(named)
    return Session(
        cwd=cwd,
        cwd_as_named=cwd if named is None else Path(os.path.normpath(Path(named).absolute())),
        output_format=output_format,
        quiet=bool(given.get("quiet")),
        verbose=bool(given.get("verbose")),
        color=wants_color(given.get("color", "auto"), os.environ, terminal=_is_terminal()),
        environment=os.environ,
        cwd_as_typed=named,
    )


def _is_terminal() -> bool:
    """Whether a person sees stdout; where it is closed there is none."""
    return sys.stdout is not None and sys.stdout.isatty()


def _find_folder(named: str | None) -> Path:
    try:
        folder = Path.cwd() if named is None else Path(named).resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        raise UsageError(
            "path-missing",
            f"no such folder: {named if named is not None else 'the working directory'}",
            where=named,
            next_step="give a folder that exists with -C",
        ) from None
    if not folder.is_dir():
        raise UsageError("path-missing", f"not a folder: {named}", where=named)
    return folder.resolve()

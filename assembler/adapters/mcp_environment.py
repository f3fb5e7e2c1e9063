"""What a server is given: the program, the arguments and the variables that the host named.

In: an address with `${NAME}`, the environment. Out: expanded values, for one start and no record.
Never here: a variable that is not named, a value in a message.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from assembler.errors import ServerError
from assembler.model.server import Endpoint, Launch

ALWAYS_GIVEN: Final = ("HOME", "PATH")
"""Without these few programs start; everything else is given by name alone."""

_HEADER_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_REFERENCE: Final = re.compile(r"\$(\$)?\{([^{}]*)\}")


class Start(NamedTuple):
    """A launch with everything filled in."""

    program: Path
    arguments: tuple[str, ...]
    environment: Mapping[str, str]


def fill_launch(
    server: str, launch: Launch, *, environment: Mapping[str, str], folder: Path
) -> Start:
    """Find the program, expand the arguments, pick the variables.

    Args:
        server: name in messages.
        launch: what the host wrote.
        environment: where values come from; its PATH is searched.
        folder: what a program with a slash in its name is relative to.

    Raises:
        ServerError: `server-environment`, `server-start-failed`.
    """
    values = _pick_values(server, launch.environment, environment)
    name, *arguments = (expand(server, part, values) for part in launch.command)
    program = _find_program(name, environment.get("PATH", os.defpath), folder)
    if program is None:
        raise ServerError(
            "server-start-failed",
            f"could not check {server}: no such program: {launch.command[0]}",
            where=server,
            next_step="install it, or correct the command in the host's file",
        )
    given = {name: environment[name] for name in ALWAYS_GIVEN if name in environment}
    return Start(program, tuple(arguments), {**given, **values})


def fill_headers(server: str, endpoint: Endpoint, environment: Mapping[str, str]) -> dict[str, str]:
    """The headers with their values.

    Raises:
        ServerError: `server-environment`.
    """
    values = _pick_values(server, endpoint.environment, environment)
    headers = {name: expand(server, text, values) for name, text in endpoint.headers.items()}
    for name, text in headers.items():
        if not _HEADER_NAME.fullmatch(name):
            raise _unfit(server, "the name of a header is none of HTTP's")
        if not (text.isascii() and text.isprintable()):
            raise _unfit(server, f"the value of header {name} is no text of a header")
    return headers


def fill_url(server: str, endpoint: Endpoint, environment: Mapping[str, str]) -> str:
    """The address with its values.

    Raises:
        ServerError: `server-environment`.
    """
    values = _pick_values(server, endpoint.environment, environment)
    return expand(server, endpoint.url, values)


def expand(server: str, text: str, values: Mapping[str, str]) -> str:
    """`${NAME}` by its value, `$${` by `${`.

    Raises:
        ServerError: `server-environment`: a name that is not among the values.
    """

    def replace(match: re.Match[str]) -> str:
        escaped, name = match.groups()
        if escaped:
            return match.group()[1:]
        if name not in values:
            raise _unfit(server, f"${{{name}}} is used, but {name} is not among its variables")
        return values[name]

    return _REFERENCE.sub(replace, text)


def _pick_values(
    server: str, names: Sequence[str], environment: Mapping[str, str]
) -> dict[str, str]:
    missing = sorted(name for name in names if name not in environment)
    if missing:
        raise _unfit(server, f"not set in the environment: {', '.join(missing)}")
    return {name: environment[name] for name in names}


def _unfit(server: str, reason: str) -> ServerError:
    return ServerError(
        "server-environment",
        f"could not check {server}: {reason}",
        where=server,
        next_step="set the variable, or name it in the host's file",
    )


def _find_program(name: str, search_path: str, folder: Path) -> Path | None:
    if "/" in name:
        candidate = folder / name
        return candidate if candidate.is_file() else None
    # A relative entry would run what a repository laid there.
    folders = [entry for entry in search_path.split(os.pathsep) if entry.startswith("/")]
    found = shutil.which(name, path=os.pathsep.join(folders)) if folders else None
    return None if found is None else Path(found)

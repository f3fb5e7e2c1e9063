"""MCP servers: how the host reaches one, and what one listed when it was asked.

Values of environment variables stand nowhere here: a launch names them, and templates hold
`${NAME}`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

_CREDENTIAL: Final = re.compile(
    r"(?i)(?:\A--?|[?&;]|\A)((?:[a-z0-9]+[-_])*(?:token|secret|password|passwd|api[-_]?key|apikey"
    r"|access[-_]?key|authorization|credential))(?:\Z|[=:]\s*([^&;]*))"
)
"""An option or parameter by a name that credentials have, with its value where it holds one."""
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}\Z")


class Launch(NamedTuple):
    """How a server is started over stdio; what a pin keeps of it."""

    command: tuple[str, ...]
    """Program and arguments, with `${NAME}` for variables."""
    environment: tuple[str, ...] = ()
    """Names of the variables that the server is given, sorted."""

    def to_json(self) -> dict[str, Any]:
        """As a pin has it."""
        return {
            "command": self.command[0],
            "arguments": list(self.command[1:]),
            "environment": list(self.environment),
        }


class Endpoint(NamedTuple):
    """Where a server answers over streamable HTTP."""

    url: str
    headers: Mapping[str, str] = {}
    """Header values with `${NAME}` for variables."""
    environment: tuple[str, ...] = ()
    """Names of the variables that the headers may use, sorted."""


ServerAddress: TypeAlias = Launch | Endpoint


def is_server_name(name: str) -> bool:
    """Whether the name can stand in ids and in the name of a pin's file."""
    return _NAME.match(name) is not None


class DeclaredServer(NamedTuple):
    """A server as a file of a repository declares it; a declaration grants nothing."""

    name: str
    address: ServerAddress | None
    """What of it can be compared with a host's; None: it is no server that anybody could start."""
    is_plain: bool
    """Whether the address says everything that decides what is started."""


def literal_credential(words: Sequence[str]) -> str | None:
    """The name of an option or parameter that has a credential written out, and no `${NAME}`.

    Args:
        words: program and arguments, or an address.
    """
    for word, after in zip(words, (*words[1:], ""), strict=True):
        for match in _CREDENTIAL.finditer(word):
            name, value = match.groups()
            if value and "${" not in value:
                return name
            if value is None and after and not after.startswith("-") and "${" not in after:
                return name
    return None


class LiveCatalog(NamedTuple):
    """One whole listing of a running server: every page, as it was sent."""

    tools: tuple[Any, ...]
    """The entries of `tools` as the wire had them, in their order; nothing of them is judged."""
    instructions: str | None
    """The server's text for the model."""
    protocol: str
    """The protocol version that both spoke."""
    capabilities: Mapping[str, Any]
    """What the client said that it can do: a server may list by it."""
    server_name: str | None
    server_version: str | None
    pages: int
    skipped_lines: int
    """Lines on the protocol channel that were no message."""

"""Which declared servers the host knows: a declaration in a repository permits nothing.

In: a declared server and the host's addresses. Out: the slug that says why it stays out, or None
where the host has exactly this launch under this name, so that there is nothing to tell.
"""

from __future__ import annotations

from collections.abc import Mapping

from assembler.model.server import DeclaredServer, Endpoint, Launch, ServerAddress


def turn_away_server(
    server: DeclaredServer, hosts: Mapping[str, ServerAddress | None]
) -> str | None:
    """Why a declared server stays out.

    Args:
        server: as the file declares it.
        hosts: the host's servers by name; None for one that it can't start.
    """
    if server.address is None:
        return "server-declaration-invalid"
    if server.name not in hosts:
        return "server-not-allowed"
    if server.is_plain and _is_same(server.address, hosts[server.name]):
        return None
    return "server-launch-differs"


def _is_same(declared: ServerAddress, known: ServerAddress | None) -> bool:
    """Program, arguments and variables, or address and headers; to the letter."""
    if isinstance(declared, Launch) and isinstance(known, Launch):
        return declared == known
    if isinstance(declared, Endpoint) and isinstance(known, Endpoint):
        return declared.url == known.url and dict(declared.headers) == dict(known.headers)
    return False

"""What a run is told of servers that its repository may declare, and of those of the host."""

from __future__ import annotations

from collections.abc import Mapping

from assembler.config.host import Host
from assembler.model.server import ServerAddress


def known_servers(host: Host) -> Mapping[str, ServerAddress | None]:
    """How the host reaches each of its servers; None for one that it can't start."""
    return {name: server.address for name, server in sorted(host.servers.items())}


def read_declared(data: bytes, path: str) -> object:
    """What a declaration holds; its reader is loaded with the first one."""
    from assembler.config.declarations import read_declaration

    return read_declaration(data, path)

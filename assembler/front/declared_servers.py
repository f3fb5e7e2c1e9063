"""What a run is told of servers that its repository may declare, and of those of the host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assembler.config.host import HostServer
    from assembler.model.server import ServerAddress


def known_servers(servers: Mapping[str, HostServer]) -> Mapping[str, ServerAddress | None]:
    """How the host reaches each of its servers; None for one that it can't start."""
    return {name: server.address for name, server in sorted(servers.items())}


def read_declared(data: bytes, path: str) -> object:
    """What a declaration holds; its reader is loaded with the first one."""
    from assembler.config.declarations import read_declaration

    return read_declaration(data, path)

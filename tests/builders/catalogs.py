"""Listings of tools as servers give them, and the places that a catalog is checked in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.builders.command_line import CommandLine, Result
from tests.builders.repositories import RepositoryBuilder

CATALOGS = Path(__file__).parents[3] / "shared" / "cases" / "mcp_catalogs"
VECTORS = Path(__file__).parents[1] / "conformance" / "catalogs"


def tool(name: str, description: str = "Does things.", **more: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    return {"name": name, "description": description, "inputSchema": schema, **more}


def listing(*tools: Any, **more: Any) -> str:
    return json.dumps({"tools": tools, **more})


def save(folder: Path, name: str, text: str | bytes) -> str:
    """A saved page outside any repository; its path."""
    path = folder / name
    path.write_bytes(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
    return str(path)


def write_profile(folder: Path, servers: Mapping[str, Sequence[str]], **listings: str) -> str:
    """A profile that is the host's word; its path."""
    told = {
        name: {"allow": list(allow), **({"listing": listings[name]} if name in listings else {})}
        for name, allow in servers.items()
    }
    value = {"schema": "assembler/profile/1", "tools": {"servers": told}}
    path = folder / "profile.yaml"
    path.write_text(json.dumps(value))
    return str(path)


def write_host(folder: Path, servers: Mapping[str, Mapping[str, Any]]) -> str:
    """A manifest of the machine with these servers; its path."""
    path = folder / "host.yaml"
    path.write_text(json.dumps({"schema": "assembler/host/1", "servers": servers}))
    return str(path)


class Bench:
    """A repository, a folder beside it, and the commands about one server."""

    def __init__(self, repository: RepositoryBuilder, command: CommandLine, folder: Path) -> None:
        self.repository = repository
        self.command = command
        self.folder = folder

    def page(self, name: str, text: str | bytes) -> str:
        return save(self.folder, name, text)

    def run(self, verb: str, *arguments: str) -> Result:
        return self.command("tools", verb, *arguments)

    def pin(self, *tools: Any, server: str = "s", more: Sequence[str] = ()) -> Result:
        page = self.page("pinned.json", listing(*tools))
        return self.run("pin", server, "--from", page, *more)

    def check(self, *tools: Any, server: str = "s", more: Sequence[str] = ()) -> Result:
        page = self.page("now.json", listing(*tools))
        return self.run("check", server, "--from", page, *more)

    def pin_bytes(self, server: str = "s") -> bytes:
        return (self.repository.root / f".assembler/pins/{server}.json").read_bytes()

    def digest_of(self, *tools: Any) -> str:
        """The digest of a catalog of these tools, as `tools list` has it."""
        page = self.page("digest.json", listing(*tools))
        (server,) = self.run("list", "--from", page, "-f", "json").json["servers"]
        digest: str = server["catalog_digest"]
        return digest

    @property
    def now(self) -> tuple[str, str]:
        """The listing of the last check."""
        return "--from", str(self.folder / "now.json")

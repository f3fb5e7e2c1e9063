"""Real MCP servers, each version in an environment of its own, made by `make servers`.

They lie in `.servers/` of the checkout, from the hashed files of `requirements/servers/`; without
them the tests of them are skipped, and say so.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests.builders.command_line import ROOT

FOLDER: Final = ROOT / ".servers"
FILES: Final = ROOT / "requirements" / "servers"


class RealServer(NamedTuple):
    """One version of a server that somebody else wrote."""

    kind: str
    """Its registry: `python` or `npm`."""
    name: str
    version: str

    @property
    def folder(self) -> Path:
        """Its environment."""
        return FOLDER / self.kind / f"{self.name}-{self.version}"

    @property
    def program(self) -> Path:
        """What starts it."""
        if self.kind == "python":
            return self.folder / "bin" / self.name
        return self.folder / "node_modules" / ".bin" / f"mcp-{self.name}"

    @property
    def label(self) -> str:
        """For the name of a test."""
        return f"{self.name}-{self.version}"

    def command(self, *arguments: str) -> list[str]:
        """The command line that starts it over stdio; the test is skipped without it."""
        target = "servers-python" if self.kind == "python" else "servers"
        # The mark is made last: an installation that broke off leaves none.
        if not (self.folder / ".made").is_file():
            pytest.skip(f"{self.label} is not installed: make {target}")
        if self.kind == "npm" and shutil.which("node") is None:
            pytest.skip(f"{self.label} needs node")
        return [str(self.program), *arguments]


GIT: Final = tuple(
    RealServer("python", "mcp-server-git", version)
    for version in ("2025.7.1", "2026.1.14", "2026.10.19")
)
"""Oldest first; the second lost a tool and changed one, the third changed all."""
TIME: Final = tuple(
    RealServer("python", "mcp-server-time", version) for version in ("2025.8.4", "2026.10.19")
)
"""Their catalog holds the time zone: give `--local-timezone=UTC`."""
EVERYTHING: Final = tuple(
    RealServer("npm", "server-everything", version) for version in ("2025.8.18", "2026.8.31")
)
"""They list by what the client says that it can do."""
FILESYSTEM: Final = tuple(
    RealServer("npm", "server-filesystem", version) for version in ("2025.8.21", "2026.8.31")
)
"""They need a folder that they may read, as argument."""
MEMORY: Final = tuple(
    RealServer("npm", "server-memory", version) for version in ("2025.8.4", "2026.8.31")
)
SERVERS: Final = (*GIT, *TIME, *EVERYTHING, *FILESYSTEM, *MEMORY)

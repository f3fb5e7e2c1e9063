"""Scripted servers that a host manifest names, and commands that ask them live."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

from tests.builders.catalogs import Bench, listing, write_host
from tests.builders.command_line import Result
from tests.builders.live_servers import LiveServers

GRACE_SECONDS = 3.0
"""How long after its deadline a command may still need to end everything."""


class LiveBench:
    """A bench whose servers run; each has a folder for its plan and files."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.seconds = 0.0
        """What the last command took."""
        self._entries: dict[str, dict[str, Any]] = {}
        self._servers: dict[str, LiveServers] = {}

    def servers(self, name: str = "s") -> LiveServers:
        """The files of one server."""
        if name not in self._servers:
            folder = self.bench.folder / "servers" / name
            folder.mkdir(parents=True)
            self._servers[name] = LiveServers(folder)
        return self._servers[name]

    def serve(
        self,
        plan: dict[str, Any],
        *arguments: str,
        name: str = "s",
        allow: Sequence[str] = (),
        environment: Sequence[str] = (),
    ) -> None:
        """Name a server that does what the plan says; in place of what had the name before."""
        command = list(self.servers(name).launch(plan, *arguments).command)
        self.name(command, name=name, allow=allow, environment=environment)

    def name(self, command: Sequence[str], *, name: str = "s", **more: Any) -> None:
        """Put any command into the manifest."""
        self._entries[name] = {"allow": [], "command": [*command], **more}

    def arguments(self, verb: str, *arguments: str) -> list[str]:
        """A command line with the manifest."""
        return ["tools", verb, *arguments, "--host", self.manifest()]

    def manifest(self) -> str:
        """Write the manifest; its path."""
        return write_host(self.bench.folder, self._entries)

    def live(self, verb: str, server: str = "s", *arguments: str) -> Result:
        """A command that asks a server."""
        return self.run(verb, server, "--live", *arguments)

    def run(self, verb: str, *arguments: str, **variables: str) -> Result:
        """A command with the manifest."""
        started = time.monotonic()
        result = self.bench.command(*self.arguments(verb, *arguments), **variables)
        self.seconds = time.monotonic() - started
        return result

    def start(self, verb: str, *arguments: str, **streams: Any) -> subprocess.Popen[bytes]:
        """The same command in an interpreter of its own, still running."""
        command = [sys.executable, "-m", "assembler", *self.arguments(verb, *arguments)]
        cwd, environment = self.bench.command.cwd, self.bench.command.environment()
        return subprocess.Popen(command, cwd=cwd, env=environment, **streams)

    def save(self, *tools: Any) -> str:
        """A saved listing of these tools."""
        return self.bench.page("saved.json", listing(*tools))

    def left_over(self) -> list[int]:
        """Running processes of all servers."""
        return sorted(number for one in self._servers.values() for number in one.left_over())

    def files(self) -> list[str]:
        """Every file below `.assembler`, half-written ones too."""
        root = self.bench.repository.root
        found = (root / ".assembler").rglob("*")
        return sorted(path.relative_to(root).as_posix() for path in found if path.is_file())

    def pin(self, server: str = "s") -> dict[str, Any]:
        """The pin that is there."""
        value: dict[str, Any] = json.loads(self.bench.pin_bytes(server))
        return value

"""Start scripted servers from a test, and look at what they left behind."""

from __future__ import annotations

import base64
import json
import os
import sys
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

# Commands run in forks of the test process: what it has imported, none of them has to.
import assembler.adapters.mcp_opening  # noqa: F401
from assembler.adapters.mcp_client import LiveLimits, list_live
from assembler.adapters.process_tree import read_processes
from assembler.model.server import Launch, LiveCatalog, ServerAddress

SCRIPT = Path(__file__).with_name("scripted_server.py")


class LiveServers:
    """Plans and files of one test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.phases: list[str] = []
        self.seconds = 0.0

    def launch(
        self, plan: dict[str, Any], *arguments: str, environment: tuple[str, ...] = ()
    ) -> Launch:
        """A server that does what the plan says."""
        file = self.folder / "plan.json"
        file.write_text(json.dumps(plan))
        # Without site packages a start takes a third of the time.
        command = (sys.executable, "-I", "-S", str(SCRIPT), str(file), *arguments)
        return Launch(command, environment)

    def ask(
        self,
        address: ServerAddress | dict[str, Any],
        *,
        seconds: float = 5.0,
        limits: LiveLimits | None = None,
        environment: dict[str, str] | None = None,
    ) -> LiveCatalog:
        """One live listing; `seconds` of this object are what it took."""
        started = time.monotonic()
        try:
            return list_live(
                "s",
                self.launch(address) if isinstance(address, dict) else address,
                environment=dict(os.environ) if environment is None else environment,
                folder=self.folder,
                timeout_seconds=seconds,
                report=self.phases.append,
                limits=limits,
            )
        finally:
            self.seconds = time.monotonic() - started

    def file(self, name: str) -> str:
        """A path for a plan."""
        return str(self.folder / name)

    def requests(self) -> list[dict[str, Any]]:
        """What the server was sent, in order."""
        return [json.loads(line) for line in (self.folder / "requests").read_bytes().splitlines()]

    def left_over(self) -> list[int]:
        """Running processes that were started from this test's folder or noted in `children`."""
        noted = self.folder / "children"
        numbers = {int(line) for line in noted.read_text().split()} if noted.exists() else set()
        return find_processes(str(self.folder / "plan.json"), numbers)


def find_processes(text: str, numbers: Collection[int] = ()) -> list[int]:
    """Running processes with this text in their command line, or with one of these numbers."""
    return sorted(
        row.number
        for row in read_processes().values()
        if row.is_alive and (row.number in numbers or text.encode() in _command_line(row.number))
    )


def _command_line(number: int) -> bytes:
    try:
        return Path(f"/proc/{number}/cmdline").read_bytes()
    except OSError:
        return b""


def tool(name: str, **members: Any) -> dict[str, Any]:
    """A small tool."""
    return {"name": name, "inputSchema": {"type": "object"}, **members}


def in_base64(data: bytes) -> str:
    """As plans hold bytes."""
    return base64.b64encode(data).decode()

"""The scripted server of the recorded cases, named in a host manifest.

It lies beside the repository, with the cases.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tests.builders.catalogs import write_host
from tests.builders.live_servers import find_processes

FAKE: Final = Path(__file__).parents[3] / "shared" / "tools" / "fake_mcp.py"


class FakeServers:
    """Plans in a folder, and the manifest that names their servers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)

    def command(self, name: str, plan: Mapping[str, Any], *arguments: str) -> list[str]:
        """A command line that starts a server by its plan."""
        file = self.folder / f"{name}.json"
        file.write_text(json.dumps(plan))
        # Without site packages a start takes a third of the time.
        return [sys.executable, "-I", "-S", str(FAKE), str(file), *arguments]

    def manifest(
        self, servers: Mapping[str, Mapping[str, Any]], *, allow: Sequence[str] = ()
    ) -> list[str]:
        """The option for a manifest with these servers; a plan with a `command` is started so."""
        named = {
            name: {
                "allow": [*allow],
                "command": [plan["command"]] if "command" in plan else self.command(name, plan),
            }
            for name, plan in servers.items()
        }
        return ["--host", write_host(self.folder, named)]

    def recorded(self, command: Sequence[str]) -> list[str]:
        """The same server, with what it is sent written to a file."""
        return ["sh", "-c", 'tee "$0" | exec "$@"', str(self.folder / "requests"), *command]

    def methods(self) -> list[str]:
        """What a recorded server was asked, in order."""
        lines = (self.folder / "requests").read_bytes().splitlines()
        return [message["method"] for message in map(json.loads, lines) if "id" in message]

    def left_over(self) -> list[int]:
        """Running processes of these servers."""
        return find_processes(str(self.folder))

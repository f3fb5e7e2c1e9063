"""The environments of real servers: from hashed files that name no host, and ready to start."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.builders.real_servers import FILES, SERVERS, RealServer

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def labels(kind: str) -> set[str]:
    return {server.label for server in SERVERS if server.kind == kind}


def test_files__are_those_of_the_servers() -> None:
    assert {path.stem for path in (FILES / "python").iterdir()} == labels("python")
    assert {path.name for path in (FILES / "npm").iterdir()} == labels("npm")


@pytest.mark.parametrize("path", sorted((FILES / "python").iterdir()), ids=lambda path: path.stem)
def test_python_file__pins_its_server_and_has_a_hash_for_all(path: Path) -> None:
    text = path.read_text()
    name, _, version = path.stem.rpartition("-")
    assert f"\n{name}=={version} \\\n" in f"\n{text}"
    blocks = re.split(r"\n(?=\S)", text.strip())
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}", block) for block in blocks)
    assert "://" not in text


@pytest.mark.parametrize("folder", sorted((FILES / "npm").iterdir()), ids=lambda path: path.name)
def test_npm_file__pins_its_server_and_has_a_hash_for_all(folder: Path) -> None:
    name, _, version = folder.name.rpartition("-")
    wanted = {f"@modelcontextprotocol/{name}": version}
    assert json.loads((folder / "package.json").read_bytes())["dependencies"] == wanted
    lock = json.loads((folder / "package-lock.json").read_bytes())
    packages = {path: entry for path, entry in lock["packages"].items() if path}
    assert packages[f"node_modules/@modelcontextprotocol/{name}"]["version"] == version
    for entry in packages.values():
        assert entry["integrity"].startswith("sha512-")
        assert "resolved" not in entry


@pytest.mark.parametrize("server", SERVERS, ids=lambda server: server.label)
def test_server__answers(server: RealServer, tmp_path: Path) -> None:
    needed = {"server-filesystem": [str(tmp_path)], "mcp-server-time": ["--local-timezone=UTC"]}
    done = subprocess.run(
        server.command(*needed.get(server.name, ())),
        input=json.dumps(INITIALIZE).encode() + b"\n",
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
        check=False,
    )
    # Some say hello on the channel of the protocol first.
    answers = [line for line in done.stdout.splitlines() if line.startswith(b"{")]
    assert json.loads(answers[0])["result"]["capabilities"]["tools"] is not None, done.stderr

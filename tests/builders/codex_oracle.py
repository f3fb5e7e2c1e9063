"""A real Codex that is asked what it makes of a configuration; for tests that compare."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

MISSING_FILES = ("No such file", "must contain at least one model")


class Answer(NamedTuple):
    refused: bool
    place: str = ""
    """`LINE:COLUMN` where Codex tells one."""
    message: str = ""
    config: dict[str, Any] = {}  # noqa: RUF012 - never written to

    @property
    def misses_a_file(self) -> bool:
        return any(text in self.message for text in MISSING_FILES)


class CodexOracle:
    """Runs in a home of its own; the configuration is read anew for each question."""

    def __init__(self, binary: str, base: Path) -> None:
        self.binary = binary
        self.home = base / "h"
        self.root = base / "r"
        self.user_file = self.home / ".codex" / "config.toml"
        self.user_file.parent.mkdir(parents=True)
        self.root.mkdir()
        keep = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        self.environment = {**keep, "HOME": str(self.home)}
        self.server: subprocess.Popen[str] | None = None
        self.count = 0

    def close(self) -> None:
        if self.server is not None:
            self.server.kill()
            self.server.communicate()

    def ask(self, user_text: str) -> Answer:
        """What Codex makes of a user's configuration."""
        self.user_file.write_text(user_text, encoding="utf-8")
        started = self._call("thread/start", {"cwd": str(self.root), "ephemeral": True})
        if "error" in started:
            message: str = started["error"]["message"]
            place = re.search(r"config\.toml:(\d+:\d+): ", message)
            return Answer(True, place.group(1) if place else "", message)
        read = self._call("config/read", {"cwd": str(self.root)})
        return Answer(False, config=read["result"]["config"])

    def block(self, arguments: Sequence[str], cwd: Path) -> str | None:
        """The text of the instructions; None without a block.

        Raises:
            subprocess.CalledProcessError: Codex refuses.
        """
        done = subprocess.run(
            [self.binary, "debug", "prompt-input", *arguments],
            cwd=cwd,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
        )
        for item in json.loads(done.stdout):
            passed = item.get("internal_chat_message_metadata_passthrough") or {}
            kinds = passed.get("content_item_kinds") or []
            for content, kind in zip(item.get("content", []), kinds, strict=False):
                if kind == "agents_md.instructions":
                    text: str = content["text"]
                    return text.partition("<INSTRUCTIONS>\n")[2].rpartition("\n</INST")[0]
        return None

    def _call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        if self.server is None:
            self.server = subprocess.Popen(
                [self.binary, "app-server"],
                cwd=self.root,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            self._call("initialize", {"clientInfo": {"name": "test", "version": "1"}})
            self._send({"method": "initialized"})
        self.count += 1
        number = self.count
        self._send({"id": number, "method": method, "params": params})
        assert self.server.stdout is not None
        while True:
            answer: dict[str, Any] = json.loads(self.server.stdout.readline())
            if answer.get("id") == number:
                return answer

    def _send(self, message: dict[str, Any]) -> None:
        assert self.server is not None
        assert self.server.stdin is not None
        self.server.stdin.write(json.dumps(message) + "\n")
        self.server.stdin.flush()

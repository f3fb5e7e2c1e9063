"""An MCP server over stdio that does what a plan says; run as a program, without any SDK.

argv[1] is a JSON file:

    era          "handshake" (default), "newer" or "both"
    listings     a list of listings, each a list of pages, each a list of tools; the last repeats
    cursors      the cursors to give, in order; default "1", "2", ...
    endless      "new" or "same": every page names a further cursor
    raw_result   JSON text of every result of tools/list
    protocol     the version that initialize is answered with; default what was asked for
    capabilities, instructions, name, version
    refuse_cursors  how many requests with a cursor are answered with -32602
    before, after   actions by step, done before or after the answer to it
    requests     file that gets every request, a line each
    environment  file that gets the environment, and `folder` the working folder
    starts       file that gets a line for each start
    stays        true: the end of input is no reason to leave
    ignores_term true

Steps: "start", and methods; "tools/list#2" is the second request of that method.
Actions: ["hang"], ["exit", code], ["write", base64], ["repeat", base64, times or -1],
["errors", bytes], ["notify"], ["wait", seconds], ["spawn", file, "group" or "session"],
["silence"] (no answer), ["refuse", code] (an error answer), ["close"] (its output).
"""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

NEWER = "2026-07-28"


class Server:
    """One run of the plan."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self.plan = plan
        self.output = sys.stdout.buffer
        self.counts: dict[str, int] = {}
        self.listing = -1
        self.refused_cursors = 0
        self.listeners: list[Any] = []
        self.lock = threading.Lock()

    def run(self) -> None:
        plan = self.plan
        if plan.get("ignores_term"):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if "starts" in plan:
            with Path(plan["starts"]).open("a") as file:
                file.write("start\n")
        if "environment" in plan:
            seen = {"environment": dict(os.environ), "folder": str(Path.cwd()), "argv": sys.argv}
            Path(plan["environment"]).write_text(json.dumps(seen))
        self.act("before", "start")
        for line in sys.stdin.buffer:
            if "requests" in plan:
                with Path(plan["requests"]).open("ab") as file:
                    file.write(line)
            message = json.loads(line)
            if "id" in message and "method" in message:
                self.handle(message)
        while plan.get("stays"):
            time.sleep(1)

    def handle(self, message: dict[str, Any]) -> None:
        method = message["method"]
        self.counts[method] = self.counts.get(method, 0) + 1
        if self.act("before", method, message["id"]):
            answer = self.answer(method, message)
            if answer is not None:
                self.send({"jsonrpc": "2.0", "id": message["id"], **answer})
        self.act("after", method, message["id"])

    def act(self, when: str, step: str, number: Any = None) -> bool:
        """Whether the step is still to be answered."""
        named = self.plan.get(when, {})
        actions = named.get(f"{step}#{self.counts.get(step)}", named.get(step, []))
        still = True
        for action in actions:
            still = self.do(*action, number=number) and still
        return still

    def do(self, kind: str, *rest: Any, number: Any) -> bool:  # noqa: PLR0912 - a table
        match kind, rest:
            case "hang", []:
                time.sleep(3600)
            case "exit", [code]:
                self.output.flush()
                os._exit(code)
            case "close", []:
                os.close(1)
                time.sleep(3600)
            case "wait", [seconds]:
                time.sleep(seconds)
            case "write", [text]:
                self.write(base64.b64decode(text))
            case "repeat", [text, times]:
                block = base64.b64decode(text)
                while times:
                    self.write(block)
                    times -= 1
            case "errors", [size]:
                os.write(2, b"secret " * (size // 7))
            case "notify", []:
                self.notify()
            case "spawn", [file, where]:
                child = subprocess.Popen(["sleep", "300"], start_new_session=where == "session")
                with Path(file).open("a") as stream:
                    stream.write(f"{child.pid}\n")
            case "silence", []:
                return False
            case "refuse", [code]:
                self.send({"jsonrpc": "2.0", "id": number, "error": _error(code)})
                return False
            case _:
                raise ValueError(kind)
        return True

    def answer(self, method: str, message: dict[str, Any]) -> dict[str, Any] | None:
        era = self.plan.get("era", "handshake")
        params = message.get("params", {})
        match method:
            case "initialize" if era != "newer":
                version = self.plan.get("protocol", params["protocolVersion"])
                info = {"name": self.name, "version": self.version}
                return {"result": {**self.about(), "protocolVersion": version, "serverInfo": info}}
            case "initialize":
                return {"error": {**_error(-32022), "data": {"supported": [NEWER]}}}
            case "server/discover" if era != "handshake":
                stamp = {
                    "io.modelcontextprotocol/serverInfo": {
                        "name": self.name,
                        "version": self.version,
                    }
                }
                result = {**self.about(), "supportedVersions": [NEWER], "_meta": stamp}
                return {"result": {**result, "ttlMs": 60000, "cacheScope": "public"}}
            case "subscriptions/listen" if era != "handshake":
                self.listeners.append(message["id"])
                self.tell(
                    "notifications/subscriptions/acknowledged",
                    {"notifications": {"toolsListChanged": True}},
                )
                return None
            case "tools/list":
                return self.list_tools(params.get("cursor"))
            case "ping":
                return {"result": {}}
            case _:
                return {"error": _error(-32601)}

    @property
    def name(self) -> str:
        return self.plan.get("name", "scripted")

    @property
    def version(self) -> str:
        return self.plan.get("version", "1.2")

    def about(self) -> dict[str, Any]:
        default = {"tools": {"listChanged": True}}
        said = {"capabilities": self.plan.get("capabilities", default)}
        if "instructions" in self.plan:
            said["instructions"] = self.plan["instructions"]
        return said

    def list_tools(self, cursor: str | None) -> dict[str, Any]:
        if "raw_result" in self.plan:
            return {"raw": self.plan["raw_result"]}
        if cursor is not None and self.refused_cursors < self.plan.get("refuse_cursors", 0):
            self.refused_cursors += 1
            return {"error": _error(-32602)}
        if cursor is None:
            self.listing += 1
        listings = self.plan.get("listings", [[[]]])
        pages = listings[min(self.listing, len(listings) - 1)]
        if "endless" in self.plan:
            following = (
                "same"
                if self.plan["endless"] == "same"
                else f"{cursor}x"[-9:] + str(time.time_ns())
            )
            return {"result": {"tools": pages[0], "nextCursor": following}}
        cursors = self.plan.get("cursors", [str(number) for number in range(1, len(pages))])
        page = 0 if cursor is None else cursors.index(cursor) + 1
        following = cursors[page] if page + 1 < len(pages) else self.plan.get("last_cursor")
        result = {"tools": pages[page]}
        if following is not None or "last_cursor" in self.plan:
            result["nextCursor"] = following
        return {"result": result}

    def notify(self) -> None:
        if self.listeners:
            self.tell("notifications/tools/list_changed", {})
        else:
            self.send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})

    def tell(self, method: str, params: dict[str, Any]) -> None:
        meta = {"io.modelcontextprotocol/subscriptionId": self.listeners[-1]}
        self.send({"jsonrpc": "2.0", "method": method, "params": {**params, "_meta": meta}})

    def send(self, message: dict[str, Any]) -> None:
        raw = message.pop("raw", None)
        text = json.dumps(message)
        if raw is not None:
            text = f'{text[:-1]}, "result": {raw}}}'
        self.write(text.encode() + b"\n")

    def write(self, data: bytes) -> None:
        with self.lock:
            self.output.write(data)
            self.output.flush()


def _error(code: int) -> dict[str, Any]:
    return {"code": code, "message": "words of the server"}


if __name__ == "__main__":
    Server(json.loads(Path(sys.argv[1]).read_bytes())).run()

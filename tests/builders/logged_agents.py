"""Real agents that write a session log: what it says, and what their last request held.

As in `real_agents`: on loopback, alone in a network, with a dummy key and a model of ours, which
asks for two commands at once, and later says that it is done.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

PORT = 18_747
VARIABLES = {"claude": "CLAUDE_BIN", "codex": "CODEX_BIN"}
SECONDS = 120.0
COUNT = {"input_tokens": 1_000, "output_tokens": 40}
CODEX_CONFIG = f"""
model = "m"
model_provider = "stub"
[model_providers.stub]
name = "stub"
base_url = "http://127.0.0.1:{PORT}/v1"
wire_api = "responses"
"""
STEPS: dict[str, list[list[str]]] = {
    "claude": [
        ["-p", "first", "--allowedTools", "Bash"],
        ["-p", "second", "--continue", "--allowedTools", "Bash"],
        ["-p", "/compact", "--continue"],
        ["-p", "third", "--continue", "--allowedTools", "Bash"],
    ],
    "codex": [
        ["exec", "--skip-git-repo-check", "first"],
        ["exec", "--skip-git-repo-check", "resume", "--last", "second"],
    ],
}


class Logged(NamedTuple):
    """What a session left behind."""

    log: bytes
    requests: list[dict[str, Any]]


def run_session(agent: str, home: Path) -> Logged:
    """Play the steps of an agent in a namespace of its own."""
    question = {"agent": agent, "program": os.environ[VARIABLES[agent]], "home": str(home)}
    (home / "project").mkdir(parents=True)
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_text(CODEX_CONFIG)
    apart = ["unshare", "--net", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    done = subprocess.run(
        [*apart, sys.executable, __file__],
        input=json.dumps(question).encode(),
        capture_output=True,
        check=False,
        env={"PATH": os.environ["PATH"]},
        timeout=SECONDS * 5,
    )
    if done.returncode:
        raise AssertionError(done.stderr.decode()[-2_000:])
    (log,) = home.glob(
        ".claude/projects/*/*.jsonl" if agent == "claude" else ".codex/sessions/**/*.jsonl"
    )
    return Logged(log.read_bytes(), json.loads(done.stdout))


class _Model(BaseHTTPRequestHandler):
    requests: ClassVar[list[dict[str, Any]]] = []

    def do_POST(self) -> None:
        value = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        is_count = "count_tokens" in self.path
        if not is_count:
            self.requests.append(value)
        number = len(self.requests)
        said = value.get("messages") or value.get("input")
        # Calls are asked for where a person spoke last, but not for a summary.
        calls = ["a", "b"] if '"tool_result"' not in json.dumps(said[-1:]) else []
        if "output" in said[-1] or "summary of the conversation" in json.dumps(said[-1:]):
            calls = []
        events = _claude(number, calls) if "messages" in value else _codex(number, calls)
        answer = b'{"input_tokens": 5}' if is_count else _stream(events)
        self.send_response(200)
        self.send_header("content-type", "application/json" if is_count else "text/event-stream")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def do_GET(self) -> None:
        self.send_response(404)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        return


def _stream(events: Iterator[dict[str, Any]]) -> bytes:
    lines = (f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    return "".join(lines).encode()


def _claude(number: int, calls: Sequence[str]) -> Iterator[dict[str, Any]]:
    message = {
        "id": f"msg_{number}", "type": "message", "role": "assistant", "model": "m",
        "content": [], "stop_reason": None, "stop_sequence": None, "usage": COUNT,
    }  # fmt: skip
    yield {"type": "message_start", "message": message}
    text = f"<summary>all of {number}</summary>"
    parts = [({"type": "text", "text": ""}, {"type": "text_delta", "text": text})]
    for name in calls:
        block = {"type": "tool_use", "id": f"toolu_{number}{name}", "name": "Bash", "input": {}}
        words = json.dumps({"command": f"echo {name}", "description": "say"})
        parts.append((block, {"type": "input_json_delta", "partial_json": words}))
    for index, (block, delta) in enumerate(parts):
        yield {"type": "content_block_start", "index": index, "content_block": block}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    stop = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 40}}
    yield {"type": "message_stop"}


def _codex(number: int, calls: Sequence[str]) -> Iterator[dict[str, Any]]:
    yield {"type": "response.created", "response": {"id": f"r{number}"}}
    content = [{"type": "output_text", "text": f"so {number}"}]
    items: list[dict[str, Any]] = [
        {"type": "message", "role": "assistant", "id": f"m{number}", "content": content}
    ]
    items += [
        {"type": "function_call", "id": f"f{number}{name}", "call_id": f"call_{number}{name}",
         "name": "exec_command", "arguments": json.dumps({"cmd": f"echo {name}"})}
        for name in calls
    ]  # fmt: skip
    for item in items:
        yield {"type": "response.output_item.done", "item": item}
    count = {**COUNT, "total_tokens": 1_040}
    yield {"type": "response.completed", "response": {"id": f"r{number}", "usage": count}}


def _environment(question: Mapping[str, str]) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"], "HOME": question["home"], "TERM": "dumb",
        "ANTHROPIC_API_KEY": "dummy", "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{PORT}",
        "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CODEX_HOME": f"{question['home']}/.codex", "OPENAI_API_KEY": "dummy",
    }  # fmt: skip


def main() -> None:
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    question = json.load(sys.stdin)
    server = ThreadingHTTPServer(("127.0.0.1", PORT), _Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for words in STEPS[question["agent"]]:
        subprocess.run(
            [question["program"], *words],
            cwd=f"{question['home']}/project",
            env=_environment(question),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            timeout=SECONDS,
        )
    json.dump(_Model.requests, sys.stdout)


if __name__ == "__main__":
    main()

"""The real programs of three agents, asked what they send: on loopback, alone in a network.

Nothing leaves the machine: the program runs in a network namespace of its own, with a dummy key
and a server of ours as the model. Variables name the programs; without one its tests are skipped.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

if TYPE_CHECKING:
    from tests.builders.agent_cases import Built

VARIABLES = {"claude": "CLAUDE_BIN", "gemini": "GEMINI_BIN", "opencode": "OPENCODE_BIN"}
PORT = 18_743
START_SECONDS = 60.0


class Sent(NamedTuple):
    """What a program did."""

    code: int | None
    """Of a program that ended by itself without asking the model; None: it asked."""
    blocks: list[str]
    """Texts with instructions in the request, in its order."""
    errors: str


def program_of(agent: str) -> str | None:
    return os.environ.get(VARIABLES[agent])


def prepare(built: Built) -> None:
    """What a program needs beside the case: Gemini asks for the kind of its key."""
    if built.agent != "gemini":
        return
    place = built.home / ".gemini/settings.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    settings = json.loads(place.read_text()) if place.exists() else {}
    settings.setdefault("security", {}).setdefault("auth", {})["selectedType"] = "gemini-api-key"
    place.write_text(json.dumps(settings))


def ask_case(built: Built) -> Sent:
    """What the program sends for a case."""
    prepare(built)
    options = [built.replace(word) for word in built.case.get("args", ())]
    return ask(built.agent, built.cwd, environment=built.environment, options=options)


def ask(agent: str, cwd: Path, *, environment: Mapping[str, str], options: Sequence[str]) -> Sent:
    """Run the program in a namespace of its own, and say what it sent."""
    program = program_of(agent)
    assert program is not None, VARIABLES[agent]
    question = {
        "agent": agent,
        "program": program,
        "cwd": str(cwd),
        "environment": dict(environment),
        "options": list(options),
    }
    apart = ["unshare", "--net", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    done = subprocess.run(
        [*apart, sys.executable, __file__],
        input=json.dumps(question).encode(),
        capture_output=True,
        check=False,
        env={"PATH": os.environ["PATH"], "HOME": str(cwd)},
        timeout=START_SECONDS * 3,
    )
    if done.returncode:
        raise AssertionError(done.stderr.decode()[-2_000:])
    return Sent(*json.loads(done.stdout))


def commands(agent: str, program: str, options: Sequence[str]) -> list[str]:
    """The command line of one short run."""
    runner = ["node", program] if program.endswith(".js") else [program]
    match agent:
        case "claude":
            return [*runner, "-p", "hi", *options]
        case "gemini":
            return [*runner, "-p", "hi", "-m", "gemini-2.5-pro", *options]
        case _:
            return [*runner, "run", "hi", *options]


def variables(agent: str) -> dict[str, str]:
    """Dummy keys, and where the model is."""
    url = f"http://127.0.0.1:{PORT}"
    provider = {
        "model": "stub/m",
        "provider": {
            "stub": {
                "npm": "@ai-sdk/openai-compatible",
                "name": "stub",
                "options": {"baseURL": f"{url}/v1", "apiKey": "dummy"},
                "models": {"m": {"name": "m"}},
            }
        },
    }
    return {
        "claude": {
            "ANTHROPIC_API_KEY": "dummy",
            "ANTHROPIC_BASE_URL": url,
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
        "gemini": {"GEMINI_API_KEY": "dummy", "GOOGLE_GEMINI_BASE_URL": url},
        "opencode": {
            "OPENCODE_CONFIG_CONTENT": json.dumps(provider),
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
        },
    }[agent]


class _Model(BaseHTTPRequestHandler):
    """Keeps what it is asked, and answers in one word."""

    requests: ClassVar[list[dict[str, Any]]] = []
    came: ClassVar[threading.Event] = threading.Event()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            value = json.loads(body)
        except ValueError:
            value = {}
        if is_main(self.path, value):
            self.requests.append(value)
            self.came.set()
        answer = answer_of(self.path)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def do_GET(self) -> None:
        self.send_response(404)
        self.send_header("content-length", "0")
        self.end_headers()

    do_HEAD = do_GET

    def log_message(self, *_: Any) -> None:
        return


def is_main(path: str, value: Mapping[str, Any]) -> bool:
    """Whether a request is the one with the instructions."""
    if "streamGenerateContent" in path:
        return True
    if path.startswith("/v1/messages"):
        return "count_tokens" not in path and bool(value.get("tools"))
    return bool(value.get("tools"))


def answer_of(path: str) -> bytes:
    """One word, as the vendor would stream it."""
    if "GenerateContent" in path:
        part = {"candidates": [{"content": {"role": "model", "parts": [{"text": "ok"}]},
                                "finishReason": "STOP", "index": 0}]}  # fmt: skip
        return f"data: {json.dumps(part)}\n\n".encode()
    choice = {"index": 0, "delta": {"role": "assistant", "content": "ok"}, "finish_reason": None}
    head = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    last = {"index": 0, "delta": {}, "finish_reason": "stop"}
    parts = [{**head, "choices": [choice]}, {**head, "choices": [last]}]
    text = "".join(f"data: {json.dumps(part)}\n\n" for part in parts)
    return f"{text}data: [DONE]\n\n".encode()


def blocks_of(agent: str, request: Mapping[str, Any]) -> list[str]:
    """The texts with instructions, without the sentence of the vendor."""
    match agent:
        case "claude":
            return _claude_blocks(request)
        case "gemini":
            texts = [part.get("text", "") for part in request["contents"][0]["parts"]]
            system = (request.get("systemInstruction") or {}).get("parts", [])
            texts += [part.get("text", "") for part in system]
            return [block for text in texts if (block := _between(text)) is not None]
        case _:
            return _opencode_blocks(request)


def _claude_blocks(request: Mapping[str, Any]) -> list[str]:
    found = []
    for item in request["messages"][0]["content"]:
        text = item.get("text", "") if isinstance(item, dict) else ""
        start = text.find("\n\nContents of ")
        if text.startswith("<system-reminder>") and start > 0:
            found.append("<system-reminder>\n{FRAMING}" + text[start:].rstrip("\n"))
    return found


def _between(text: str) -> str | None:
    start, end = text.find("<loaded_context>"), text.rfind("</loaded_context>")
    return None if start < 0 or end < 0 else text[start : end + len("</loaded_context>")]


def _opencode_blocks(request: Mapping[str, Any]) -> list[str]:
    system = [m["content"] for m in request["messages"] if m["role"] == "system"]
    text = "\n".join(one if isinstance(one, str) else json.dumps(one) for one in system)
    start = text.find("Instructions from: ", text.find("</env>"))
    if start < 0:
        return []
    text = text[start:]
    for mark in ("\nSkills provide specialized", "\n<available_skills>"):
        cut = text.rfind(mark)
        text = text[:cut] if cut > 0 else text
    return [text.rstrip("\n") + "\n"]


def _run(question: Mapping[str, Any]) -> list[Any]:
    agent = question["agent"]
    server = ThreadingHTTPServer(("127.0.0.1", PORT), _Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    command = commands(agent, question["program"], question["options"])
    environment = {"PATH": os.environ["PATH"], "TERM": "dumb", **variables(agent)}
    environment |= question["environment"]
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command, cwd=question["cwd"], env=environment, stdin=subprocess.DEVNULL,
            stdout=errors, stderr=errors, start_new_session=True,
        )  # fmt: skip
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and process.poll() is None and not _Model.came.is_set():
            _Model.came.wait(0.05)
        asked = _Model.came.is_set()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        code = process.wait()
        errors.seek(0)
        said = errors.read().decode("utf-8", "replace")[-2_000:]
    if not asked:
        return [code, [], said]
    return [None, blocks_of(agent, _Model.requests[0]), said]


def main() -> None:
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    json.dump(_run(json.load(sys.stdin)), sys.stdout)


if __name__ == "__main__":
    main()

"""`tools … --live` as a process: its terminal, its interrupts, and what a server is given."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.builders.catalogs import tool
from tests.builders.live_bench import GRACE_SECONDS, LiveBench
from tests.builders.live_servers import SCRIPT

PAGES: dict[str, Any] = {"listings": [[[tool("a")], [tool("b")]]]}
ERASE = b"\r\x1b[K"


def run_on_terminal(live: LiveBench, verb: str, *arguments: str) -> tuple[int, bytes, bytes]:
    """Exit code, stdout in a pipe, and what a terminal got as stderr."""
    ours, theirs = pty.openpty()
    with live.start(verb, *arguments, stdout=subprocess.PIPE, stderr=theirs) as child:
        os.close(theirs)
        seen = b""
        while True:
            try:
                chunk = os.read(ours, 1 << 16)
            except OSError:  # nobody holds the other end
                break
            seen += chunk
            if not chunk:
                break
        assert child.stdout is not None
        out = child.stdout.read()
    os.close(ours)
    return child.returncode, out, seen


def shown_at_the_end(seen: bytes) -> bytes:
    """What is left on a terminal's line of progress."""
    return seen.rpartition(ERASE)[2]


def test_progress__is_one_line_on_a_terminal_and_gone_at_the_end(live: LiveBench) -> None:
    live.serve(PAGES)

    code, out, seen = run_on_terminal(live, "pin", "s", "--live")

    assert code == 0
    assert b"Pinned s" in out
    assert b"\n" not in seen
    told = [part.decode() for part in seen.split(ERASE)]
    assert told == [
        "", "s: starting", "s: server/discover", "s: initialize", "s: listing",
        "s: listing, page 2", "",
    ]  # fmt: skip
    assert run_on_terminal(live, "check", "s", "--live", "-q")[2] == b""
    assert run_on_terminal(live, "check", "--live")[2].startswith(ERASE + b"asking: starting")
    assert live.live("check").talk == ""


def test_progress__is_gone_before_an_error_is_told(live: LiveBench) -> None:
    live.serve({**PAGES, "before": {"tools/list": [["exit", 3]]}})

    code, out, seen = run_on_terminal(live, "pin", "s", "--live")

    assert (code, out) == (2, b"")
    lines = shown_at_the_end(seen).splitlines()
    assert b"error:" in lines[0]
    assert lines[0].endswith(b"could not check s: exited with code 3 (listing) (server-protocol)")


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal__in_the_middle_of_a_listing_leaves_nothing(
    live: LiveBench, kind: signal.Signals, times: int
) -> None:
    servers = live.servers()
    live.serve(
        {
            **PAGES,
            "stays": True,
            "ignores_term": True,
            "requests": servers.file("requests"),
            "before": {
                "start": [["spawn", servers.file("children"), "session"]],
                "tools/list#2": [["hang"]],
            },
        }
    )
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with live.start("pin", "s", "--live", "--timeout", "60", **pipes) as child:
        wait_for(servers.folder / "requests", b'"cursor"')
        started = time.monotonic()
        for _ in range(times):
            child.send_signal(kind)
            time.sleep(0.1)
        out, talk = child.communicate(timeout=20)
    assert time.monotonic() - started < GRACE_SECONDS
    told = b"interrupted; nothing was written" if kind == signal.SIGINT else b""
    assert child.returncode == (130 if kind == signal.SIGINT else -kind)
    assert (out, talk.strip()) == (b"", told)
    assert live.left_over() == []
    assert live.files() == []


def wait_for(file: Path, text: bytes) -> None:
    """Until a server has written that it came so far."""
    for _ in range(1_000):
        if file.exists() and text in file.read_bytes():
            return
        time.sleep(0.01)
    raise AssertionError(file)


def test_server__is_given_path_home_and_what_is_named_and_the_folder_of_the_manifest(
    live: LiveBench,
) -> None:
    dump = live.servers().file("environment.json")
    live.serve(
        {**PAGES, "environment": dump}, "--token=${TOKEN}", "$${HOME}", environment=["TOKEN"]
    )

    result = live.run(
        "pin", "s", "--live", TOKEN="t", OTHER="o", GITHUB_TOKEN="g", LC_ALL="C.UTF-8"
    )

    assert result.code == 0, result.talk
    seen = json.loads(Path(dump).read_bytes())
    environment = live.bench.command.environment()
    # What an interpreter adds to itself is not what it was given.
    given = {name: text for name, text in seen["environment"].items() if name != "LC_CTYPE"}
    assert given == {"PATH": environment["PATH"], "HOME": environment["HOME"], "TOKEN": "t"}
    assert seen["argv"][2:] == ["--token=t", "${HOME}"]
    assert Path(seen["folder"]) == live.bench.folder.resolve()
    assert "--token=${TOKEN}" in live.pin()["launch"]["arguments"]


def test_server__is_started_in_the_manifests_folder_whatever_names_it(live: LiveBench) -> None:
    dump = Path(live.servers().file("environment.json"))
    live.serve({**PAGES, "environment": str(dump)})
    manifest = Path(live.manifest())
    relative = os.path.relpath(manifest, live.bench.command.cwd)
    (live.bench.folder / "linked").symlink_to(manifest.parent)

    for options, variables in (
        (("--host", relative), {}),
        (("--host", str(live.bench.folder / "linked" / "host.yaml")), {}),
        ((), {"ASSEMBLER_HOST": str(manifest)}),
    ):
        dump.unlink(missing_ok=True)
        result = live.bench.command("tools", "list", "s", "--live", *options, **variables)
        assert result.code == 0, result.talk
        assert Path(json.loads(dump.read_bytes())["folder"]) == manifest.parent.resolve()


def test_repository__with_files_named_like_modules_and_programs_runs_none_of_them(
    live: LiveBench,
) -> None:
    mark = live.bench.folder / "ran"
    trap = f"open({str(mark)!r}, 'w').close()\n"
    modules = ("json.py", "runpy.py", "anyio.py", "click.py", "sitecustomize.py", "mcp/__init__.py")
    repository = live.bench.repository
    repository.write(dict.fromkeys(modules, trap))
    repository.write({"tool-server": f"#!/bin/sh\ntouch {mark}\n"})
    (repository.root / "tool-server").chmod(0o755)
    plan = live.servers().launch(PAGES).command[-1]
    # With -c and -m an interpreter looks into its working folder first.
    start = "import json, mcp, runpy, sys; sys.argv = sys.argv[1:]; " \
            "runpy.run_path(sys.argv[0], run_name='__main__')"  # fmt: skip
    live.name([sys.executable, "-c", start, str(SCRIPT), plan])

    with live.start("pin", "s", "--live", stdout=subprocess.PIPE) as child:
        out, _ = child.communicate(timeout=30)
    assert (child.returncode, b"Pinned s" in out) == (0, True)

    for command in (["tool-server"], ["./tool-server"]):
        live.name(command)
        result = live.run("list", "s", "--live", "-f", "json", PATH=":.:/usr/bin:/bin")
        assert (result.code, result.json["code"]) == (2, "server-start-failed")
    assert not mark.exists()

"""Bad input: the exit code of the table, one message, nothing half written, nothing told."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.builders.command_line import CommandLine
from tests.builders.repositories import RepositoryBuilder

PROFILE = ".assembler/profile.yaml"


def profile(text: str) -> dict[str, str]:
    return {PROFILE: f"schema: assembler/profile/1\n{text}\n"}


CASES: list[tuple[str, dict[str, str], list[str], str, int, str]] = [
    ("target that is not there", {}, ["-m", "x", "-t", "src/y.py"], "path-missing", 2, "src/x.py"),
    ("target outside", {}, ["-m", "x", "-t", "../y"], "path-outside", 2, ""),
    ("unknown key", profile("reserve: {respnse: 1}"), ["-m", "x"], "config-unknown-key", 2,
     f"{PROFILE}:2:11"),
    ("wrong type", profile("window: many"), ["-m", "x"], "config-type", 2, f"{PROFILE}:2:1"),
    ("no schema", {PROFILE: "window: 1\n"}, ["-m", "x"], "config-schema", 2, PROFILE),
    ("no YAML", {PROFILE: "a: [\n"}, ["-m", "x"], "yaml-invalid", 2, PROFILE),
    ("alias", profile("a: &x 1\nb: *x"), ["-m", "x"], "yaml-alias", 2, f"{PROFILE}:2"),
    ("key twice", profile("window: 1\nwindow: 2"), ["-m", "x"], "yaml-duplicate-key", 2, PROFILE),
    ("pattern", profile("read: {deny: ['[z-a]']}"), ["-m", "x"], "pattern-invalid", 2, PROFILE),
    ("no such profile", {}, ["-m", "x", "-p", "nope"], "profile-missing", 2, "nope"),
    ("no such host", {}, ["-m", "x", "--host", "nope.yaml"], "path-missing", 2, "nope.yaml"),
    ("no such revision", {}, ["-m", "x", "--at", "nope"], "revision-missing", 2, "nope"),
    ("revision that is an option", {}, ["-m", "x", "--at", "--output=x"], "", 2, ""),
    ("no such task", {}, ["--task", "nope.yaml"], "path-missing", 2, "nope.yaml"),
    ("empty task", {}, ["-m", "  "], "task-without-objective", 2, ""),
    ("task without objective", {"t.yaml": "schema: assembler/task/1\ntargets: [src/x.py]\n"},
     ["--task", "t.yaml"], "task-without-objective", 2, "t.yaml"),
    ("task with an unknown key", {"t.yaml": "schema: assembler/task/1\nobjective: x\nevidnce: []"},
     ["--task", "t.yaml"], "config-unknown-key", 2, "t.yaml:3:1"),
    ("task with two kinds of evidence",
     {"t.yaml": "schema: assembler/task/1\nobjective: x\nevidence:\n - {test: a, issue: b}\n"},
     ["--task", "t.yaml"], "config-value", 2, "t.yaml:4"),
    ("time", {}, ["-m", "x", "--now", "yesterday"], "time-invalid", 2, ""),
    ("two tasks", {}, ["-m", "x", "--task", "-"], "option-conflict", 2, ""),
    ("resident tool without definition", profile("tools: {resident: [read_file]}"), ["-m", "x"],
     "tool-definition-missing", 2, ".assembler/tools.json"),
    ("widening", profile("tools: {servers: {s: {allow: [t]}}}"), ["-m", "x"],
     "profile-widens-host", 3, "tools.servers: s"),
    ("executor widening", profile("executor: {hosts: [example.org]}"), ["-m", "x"],
     "profile-widens-host", 3, "executor.hosts: example.org"),
]  # fmt: skip
RECORDED: list[tuple[str, dict[str, str], list[str], str, str]] = [
    ("required item missing",
     {"t.yaml": "schema: assembler/task/1\nobjective: x\nrequired: [test:test-17]\n"},
     ["--task", "t.yaml"], "required-missing", "test:test-17"),
    ("required evidence that is not there",
     {"t.yaml": "schema: assembler/task/1\nobjective: x\nrequired: ['test:a']\n"
                "evidence: [{test: a, file: nope.txt}]\n"},
     ["--task", "t.yaml"], "required-missing", "test:a"),
    ("budget below the residents", profile("window: 100\nreserve: {response: 0}"), ["-m", "x"],
     "resident-unsatisfiable", "over"),
    ("required evidence over budget",
     {**profile("window: 400\nreserve: {response: 0}"), "big.txt": "word " * 2000,
      "t.yaml": "schema: assembler/task/1\nobjective: x\nrequired: ['file:big.txt']\n"
                "evidence: [{file: big.txt}]\n"},
     ["--task", "t.yaml"], "budget-unsatisfiable", "file:big.txt"),
    ("required and denied",
     {".env": "SECRET=canary\n",
      "t.yaml": "schema: assembler/task/1\nobjective: x\nrequired: ['file:.env']\n"
                "evidence: [{file: .env}]\n"},
     ["--task", "t.yaml"], "required-rejected", "access-denied"),
    ("chain over the limit", {"AGENTS.md": "# A\n" + "x" * 40_000}, ["-m", "x"], "chain-cut",
     "AGENTS.md"),
    ("instructions that are no text", {"AGENTS.md": "\udcff\udcfe"}, ["-m", "x"], "invalid-utf8",
     "AGENTS.md"),
    ("skill that is not there", {}, ["-m", "x", "--task-skill"], "required-missing", "skill:nope"),
]  # fmt: skip


def write(repository: RepositoryBuilder, files: dict[str, str]) -> None:
    repository.write(
        {name: text.encode("utf-8", "surrogateescape") for name, text in files.items()}
    )


@pytest.mark.parametrize(
    ("files", "arguments", "code", "exit_code", "told"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_bad_input__gives_one_message_and_writes_nothing(
    assembler: CommandLine,
    repository: RepositoryBuilder,
    tmp_path: Path,
    files: dict[str, str],
    arguments: list[str],
    code: str,
    exit_code: int,
    told: str,
) -> None:
    write(repository, files)
    out = tmp_path / "out"
    result = assembler("assemble", *arguments, "--out", str(out), "-f", "json")
    assert result.code == exit_code, result.talk
    first, *rest = result.talk.splitlines()
    assert first.startswith("refused: " if exit_code == 3 else "error: ")
    assert f"({code})" in first or not code
    assert told in result.talk
    assert len([line for line in rest if not line.startswith("hint: ")]) == 0
    assert result.json["schema"] == "assembler/error/1"
    assert result.json["exit_code"] == exit_code
    assert not out.exists()
    assert [path.name for path in tmp_path.iterdir() if "partial" in path.name] == []
    assert assembler("log", "--events", "-f", "json").json["events"] == []


@pytest.mark.parametrize(
    ("files", "arguments", "code", "told"),
    [case[1:] for case in RECORDED],
    ids=[case[0] for case in RECORDED],
)
def test_refusal__of_a_requested_run_is_on_record(
    assembler: CommandLine,
    repository: RepositoryBuilder,
    tmp_path: Path,
    files: dict[str, str],
    arguments: list[str],
    code: str,
    told: str,
) -> None:
    if arguments[-1] == "--task-skill":
        files = {"t.yaml": "schema: assembler/task/1\nobjective: x\nskills: [nope]\n"}
        arguments = ["--task", "t.yaml"]
    write(repository, files)
    out = tmp_path / "out"
    result = assembler("assemble", *arguments, "--out", str(out), "-f", "json")
    assert result.code == 3, result.talk
    assert f"({code})" in result.talk.splitlines()[0]
    assert told in result.talk
    assert "Recorded: event 2" in result.talk
    assert result.json["code"] == code
    assert not out.exists()
    events = assembler("log", "--events", "-f", "json").json["events"]
    assert events[0]["event"] == "context.compilation_requested"
    assert events[1]["event"] in ("context.compilation_failed", "context.preparation_failed")
    assert events[1]["request"] == events[0]["event_sha256"]
    (run,) = assembler("log", "-f", "json").json["runs"]
    assert run["state"] == "failed"
    assert assembler("verify", "last").code == 2
    assert b"canary" not in result.out + result.err


def test_no_repository__is_said_and_chain_still_looks(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain/AGENTS.md").write_text("# Rules\n")
    assembler = CommandLine(cwd=tmp_path / "plain", home=tmp_path / "home")
    result = assembler("assemble", "-m", "x")
    assert result.code == 2
    assert "(not-a-repository)" in result.talk
    assert assembler("chain").code == 0


def test_unborn_branch__is_said(tmp_path: Path) -> None:
    builder = RepositoryBuilder(tmp_path / "new")
    builder.write({"AGENTS.md": "# Rules\n"})
    assembler = CommandLine(cwd=builder.root, home=tmp_path / "home")
    result = assembler("assemble", "-m", "x")
    assert result.code == 2
    assert "(unborn-branch)" in result.talk
    assert assembler("chain").code == 0


def test_terminal__is_never_waited_for(assembler: CommandLine) -> None:
    import pty
    import subprocess
    import sys

    master, slave = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "assembler", "assemble"],
        stdin=slave,
        cwd=assembler.cwd,
        env=assembler.environment(),
        capture_output=True,
        timeout=30,
        check=False,
    )
    os.close(master)
    os.close(slave)
    assert done.returncode == 2
    assert b"(no-task)" in done.stderr


@pytest.mark.parametrize("occupied", ["file", "full folder", "no parent", "link"])
def test_out__is_new_or_empty(assembler: CommandLine, tmp_path: Path, occupied: str) -> None:
    out = tmp_path / "out"
    if occupied == "file":
        out.write_text("mine")
    elif occupied == "full folder":
        out.mkdir()
        (out / "mine").write_text("mine")
    elif occupied == "link":
        (tmp_path / "elsewhere").mkdir()
        out.symlink_to(tmp_path / "elsewhere")
    else:
        out = tmp_path / "none" / "out"
    result = assembler("assemble", "-m", "x", "--out", str(out))
    assert result.code == 2
    assert occupied != "full folder" or (out / "mine").read_text() == "mine"
    assert assembler("log", "-f", "json").json["runs"] == []
    empty = tmp_path / "empty"
    empty.mkdir()
    assert assembler("assemble", "-m", "x", "--out", str(empty)).code == 0
    assert (empty / "head.json").is_file()


Setup = Callable[[Path], None]


def fifo(path: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def loop(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to(path.name)


def outside(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to("/etc/passwd")


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(10 * 1024**3)


@pytest.mark.parametrize(
    ("setup", "code"),
    [(fifo, 0), (loop, 3), (outside, 3), (huge, 3)],
    ids=["fifo", "loop", "outside link", "10 GB"],
)
def test_instruction_file__of_every_strange_kind_never_hangs(
    assembler: CommandLine, repository: RepositoryBuilder, setup: Setup, code: int
) -> None:
    setup(repository.root / "AGENTS.md")
    result = assembler("assemble", "-m", "x", "-f", "json")
    assert result.code == code, result.talk
    assert b"root:" not in result.out + result.err
    assert assembler("chain").code == 0


@pytest.mark.parametrize("setup", [fifo, loop, outside, huge], ids=lambda setup: setup.__name__)
def test_target__of_every_strange_kind_is_a_row(
    assembler: CommandLine, repository: RepositoryBuilder, setup: Setup
) -> None:
    setup(repository.root / "src/x.py")
    result = assembler("assemble", "-m", "x", "-t", "src/x.py", "-f", "json")
    assert result.code == 0, result.talk
    (row,) = [row for row in result.json["ledger"] if row["id"] == "file:src/x.py"]
    assert row["state"] == "out"
    assert row["content_sha256"] is None
    assert b"root:" not in result.out + result.err


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"", "inventory-shape"),
        (b"{", "inventory-unreadable"),
        (b"[]", "inventory-shape"),
        (b"null", "inventory-shape"),
        (b'{"schema":"assembler/inventory/1"}', "inventory-shape"),
        (b'{"a":1,"a":2}', "inventory-unreadable"),
        (b"\xff", "inventory-unreadable"),
        (b"schema: assembler/inventory/1\nschema: x\n", "inventory-unreadable"),
        (b"[" * 200_000, "inventory-unreadable"),
    ],
)
def test_inventory__malformed_is_exit_2_without_an_event(
    assembler: CommandLine, text: bytes, code: str
) -> None:
    result = assembler("assemble", "--inventory", "-", stdin=text)
    assert result.code == 2
    assert f"({code})" in result.talk
    assert assembler("log", "--events", "-f", "json").json["events"] == []

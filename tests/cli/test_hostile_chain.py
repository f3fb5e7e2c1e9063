"""Hostile folders, through `chain`, `chain --agent codex` and `assemble`: a row or a refusal."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from assembler.authorize.read_scope import ReadScope
from assembler.model.chain import STRICT
from assembler.offers.chain import read_chain
from assembler.offers.reader import FileReader
from tests.builders.command_line import CommandLine, Result
from tests.builders.other_user import as_another_user
from tests.builders.repositories import RepositoryBuilder
from tests.builders.trees import write_tree

SECRET = "SECRET-SENTINEL-4711"
MODES: tuple[tuple[str, ...], ...] = (("chain",), ("chain", "--agent=codex"))


def rows(result: Result) -> dict[str, dict[str, Any]]:
    return {row["path"]: row for row in result.json["chain"]}


def slugs(result: Result) -> set[str]:
    return {finding["slug"] for finding in result.json["findings"]}


def make_link_out(root: Path) -> None:
    (root.parent / "secret.md").write_text(SECRET)
    (root / "AGENTS.md").unlink()
    (root / "AGENTS.md").symlink_to("../secret.md")


def make_link_to_fifo(root: Path) -> None:
    os.mkfifo(root.parent / "pipe")
    (root / "AGENTS.md").unlink()
    (root / "AGENTS.md").symlink_to("../pipe")


def make_fifo(root: Path) -> None:
    (root / "AGENTS.md").unlink()
    os.mkfifo(root / "AGENTS.md")


def make_socket(root: Path) -> None:
    (root / "AGENTS.md").unlink()
    # A socket's path is short; the folder's may not be.
    here = Path.cwd()
    os.chdir(root)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("AGENTS.md")
    finally:
        os.chdir(here)


def make_folder(root: Path) -> None:
    (root / "AGENTS.md").unlink()
    (root / "AGENTS.md").mkdir()


def make_device_link(root: Path) -> None:
    (root / "AGENTS.md").unlink()
    (root / "AGENTS.md").symlink_to("/dev/zero")


def make_giant(root: Path) -> None:
    with (root / "AGENTS.md").open("wb") as file:
        file.truncate(10 << 30)


def make_loop(root: Path) -> None:
    (root / "AGENTS.md").unlink()
    (root / "AGENTS.md").symlink_to("loop.md")
    (root / "loop.md").symlink_to("AGENTS.md")


def make_dead_link(root: Path) -> None:
    (root / "AGENTS.md").unlink()
    (root / "AGENTS.md").symlink_to("nowhere.md")


def make_long_link(root: Path) -> None:
    (root / "AGENTS.md").unlink()
    (root / "AGENTS.md").symlink_to("n" * 300)


STRANGE: dict[Callable[[Path], None], tuple[str, str, int]] = {
    make_link_out: ("link-leaves-repository", "link-leaves-repository", 3),
    make_link_to_fifo: ("link-leaves-repository", "not-a-file", 3),
    make_fifo: ("not-a-file", "not-a-file", 0),
    make_socket: ("not-a-file", "not-a-file", 0),
    make_folder: ("not-a-file", "not-a-file", 0),
    make_device_link: ("link-leaves-repository", "not-a-file", 3),
    make_giant: ("instruction-unreadable", "instruction-unreadable", 3),
    make_loop: ("instruction-unreadable", "instruction-unreadable", 3),
    make_dead_link: ("instruction-unreadable", "instruction-unreadable", 3),
    make_long_link: ("instruction-unreadable", "instruction-unreadable", 3),
}
"""What is told in each mode, and what `assemble` makes of it."""


@pytest.mark.parametrize("make", STRANGE, ids=lambda make: make.__name__)
def test_strange_file__is_told_in_each_mode(
    make: Callable[[Path], None], assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    strict, faithful, code = STRANGE[make]
    make(repository.root)

    for mode, slug in zip(MODES, (strict, faithful), strict=True):
        result = assembler(*mode, "--format=json")
        assert result.code == 0
        assert slug in slugs(result)
    made = assembler("assemble", "-m", "x", "--format=json")

    assert made.code == code
    assert "Traceback" not in made.talk
    assert SECRET not in made.text + made.talk


def test_middle_folder__that_is_a_link_out_is_never_entered(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    outside = repository.root.parent / "outside"
    outside.mkdir()
    (outside / "AGENTS.md").write_text(SECRET)
    (outside / "x.py").write_text("pass\n")
    (repository.root / "pkg").symlink_to("../outside")

    result = assembler("chain", "-t", "pkg/x.py", "--format=json")
    made = assembler("assemble", "-m", "x", "-t", "pkg/x.py", "--format=json")

    assert SECRET not in result.text + result.talk + made.text + made.talk
    assert made.code == 3


def test_unreadable_folder__in_the_middle_drops_the_chain_loudly() -> None:
    with tempfile.TemporaryDirectory() as top:
        root = Path(top)
        root.chmod(0o755)
        tree = write_tree(root, {"AGENTS.md": "r", "a/AGENTS.md": "a", "a/b/AGENTS.md": "b"})
        (root / "a").chmod(0o000)

        def look() -> list[tuple[str, str, str]]:
            chain, _ = read_chain(FileReader(tree, ReadScope(())), STRICT, ends=("a/b",))
            return [(row.state, row.path, row.reason) for row in chain.rows]

        found = as_another_user(look)
        (root / "a").chmod(0o755)

    assert {state for state, _, _ in found} == {"lost"}
    assert ("lost", "AGENTS.md", "instruction-unreadable") in found


@pytest.mark.parametrize("mode", MODES)
def test_start_folder__too_deep_for_the_system_is_told(
    mode: tuple[str, ...], assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    here = os.open(repository.root, os.O_RDONLY)
    names = ["d" * 200] * 30
    for name in names:
        os.mkdir(name, dir_fd=here)
        deeper = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(here)

    script = 'for i in $(seq 30); do cd -P "$1"; done; shift; exec "$@"'
    command = [sys.executable, "-m", "assembler", *mode]
    done = subprocess.run(
        ["bash", "-c", script, "bash", names[0], *command],
        cwd=repository.root,
        capture_output=True,
        env=assembler.environment(),
        check=False,
    )

    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_folder__full_of_files_is_looked_at_all_the_same(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    for number in range(20_001):
        (repository.root / f"f{number}").touch()
    (repository.root / "agents.md").write_text("x")

    result = assembler("chain", "--format=json")

    assert rows(result)["AGENTS.md"]["state"] == "in"
    assert "agents.md" not in rows(result)


@pytest.mark.parametrize(
    "name", ["new\nline", "\x1b[31mred", "\r", "-rf", "end ", "n" * 255, "\u202e", "\u00e9"]
)
def test_name__of_any_kind_is_escaped_for_a_person_and_whole_in_json(
    name: str, assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    folder = repository.root / name
    folder.mkdir()
    (folder / "AGENTS.md").write_text("x")

    for mode in MODES:
        shown = assembler(*mode, f"-C./{name}")
        told = assembler(*mode, f"-C./{name}", "--format=json")
        assert (shown.code, told.code) == (0, 0)
        assert f"{name}/AGENTS.md" in rows(told)
        assert not any(mark in shown.text for mark in "\x1b\r\u202e")


def test_file__that_is_swapped_while_it_is_read_gives_nothing_of_another(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    path = repository.root / "AGENTS.md"
    secret = repository.root.parent / "secret.md"
    secret.write_text(SECRET)
    whole = path.read_bytes()
    stop = False

    def swap() -> None:
        while not stop:
            path.unlink()
            path.symlink_to("../secret.md")
            path.unlink()
            path.write_bytes(whole)

    thread = Thread(target=swap)
    thread.start()
    try:
        texts = [assembler("chain", "--format=input") for _ in range(60)]
    finally:
        stop = True
        thread.join()

    assert all(result.code == 0 for result in texts)
    assert not any(SECRET.encode() in result.out for result in texts)


def test_repository__is_unchanged_by_looking(
    assembler: CommandLine, repository: RepositoryBuilder
) -> None:
    def state() -> list[tuple[str, int, int]]:
        found = sorted(repository.root.rglob("*"))
        return [(str(path), path.lstat().st_mtime_ns, path.lstat().st_size) for path in found]

    before = state()
    for mode in (*MODES, ("chain", "--all"), ("check",)):
        assembler(*mode)

    assert state() == before

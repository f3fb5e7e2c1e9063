"""Real repositories made by the git program: fixed author and dates, nothing of the user's."""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import subprocess
import tempfile
import zlib
from functools import cache
from pathlib import Path

import pytest

from assembler.adapters.git import GitRepository
from assembler.adapters.repository import RepositoryPlaces, find_repository
from assembler.errors import UsageError

COMMITTED_AT = "2026-01-02T03:04:05Z"


def git_environment(home: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LC_ALL": "C",
        "TZ": "UTC",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_AUTHOR_NAME": "Case",
        "GIT_AUTHOR_EMAIL": "case@example.invalid",
        "GIT_COMMITTER_NAME": "Case",
        "GIT_COMMITTER_EMAIL": "case@example.invalid",
        "GIT_AUTHOR_DATE": COMMITTED_AT,
        "GIT_COMMITTER_DATE": COMMITTED_AT,
    }


QUICK = {
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "maintenance.auto",
    "GIT_CONFIG_VALUE_0": "false",
    "GIT_CONFIG_KEY_1": "core.fsync",
    "GIT_CONFIG_VALUE_1": "none",
}
"""Of what a test builds nothing outlives it: git neither tidies it nor waits for the disk."""


@cache
def empty_repository(object_format: str) -> Path:
    """A `.git` as `git init` makes it, without the samples of hooks; copied, never changed."""
    folder = Path(tempfile.mkdtemp(prefix="assembler-empty-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    command = ["git", "init", "-q", "-b", "main", f"--object-format={object_format}", str(folder)]
    subprocess.run(command, env=git_environment(folder), check=True)
    for sample in (folder / ".git/hooks").glob("*.sample"):
        sample.unlink()
    return folder / ".git"


class RepositoryBuilder:
    """One repository, and short words for what a test does to it."""

    def __init__(self, root: Path, *, object_format: str = "sha1", make: bool = True) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        if make and not (root / ".git").exists():
            shutil.copytree(empty_repository(object_format), root / ".git")

    def git(self, *arguments: str | bytes, stdin: bytes = b"", **variables: str) -> bytes:
        """What git prints; a failure fails the test."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            env={**git_environment(self.root.parent), **QUICK, **variables},
            input=stdin,
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, (arguments, done.stderr)
        return done.stdout

    def write(self, files: dict[str, bytes | str]) -> RepositoryBuilder:
        """Put files there, folders as needed."""
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return self

    def link(self, links: dict[str, str]) -> RepositoryBuilder:
        for name, target in links.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(target)
        return self

    def commit(self, message: str = "change", **variables: str) -> str:
        """Commit all that is there; the full id."""
        self.git("add", "-A", **variables)
        self.git("commit", "-q", "--allow-empty", "-m", message, **variables)
        return self.head()

    def head(self) -> str:
        """The full id of the commit that is checked out."""
        name = self.root / ".git/HEAD"
        if name.is_file() and (line := name.read_text()).startswith("ref: "):
            place = self.root / ".git" / line.removeprefix("ref: ").strip()
            if place.is_file():
                return place.read_text().strip()
        return self.text("rev-parse", "HEAD")

    def text(self, *arguments: str) -> str:
        return self.git(*arguments).decode().strip()

    def places(self) -> RepositoryPlaces:
        places = find_repository(self.root)
        assert places is not None
        return places

    def open(self, **options: object) -> GitRepository:
        return GitRepository(self.places(), **options)  # type: ignore[arg-type]

    def put_tree(self, entries: list[tuple[str, bytes, str]]) -> str:
        """Write a tree object by hand: what git itself would refuse can be in it."""
        body = b"".join(
            mode.lstrip("0").encode() + b" " + name + b"\0" + bytes.fromhex(object_id)
            for mode, name, object_id in entries
        )
        return self.put_object(b"tree", body)

    def put_object(self, kind: bytes, body: bytes, *, under: str | None = None) -> str:
        """Write a loose object, also under an id that is not its own."""
        raw = kind + b" %d\0" % len(body) + body
        object_id = under or hashlib.sha1(raw, usedforsecurity=False).hexdigest()
        path = self.loose(object_id)
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            path.chmod(0o644)
        path.write_bytes(zlib.compress(raw))
        return object_id

    def put_commit(self, tree: str) -> str:
        line = "Case <case@example.invalid> 1767323045 +0000"
        body = f"tree {tree}\nauthor {line}\ncommitter {line}\n\nby hand\n"
        return self.put_object(b"commit", body.encode())

    def loose(self, object_id: str) -> Path:
        return self.root / ".git" / "objects" / object_id[:2] / object_id[2:]


def arm(repository: RepositoryBuilder, sentinel: Path) -> None:
    """Let the repository's own configuration run a program wherever git allows it.

    Each program adds its name to the sentinel, so that a test can also prove that it would.
    """
    git_dir = repository.root / ".git"
    hooks = git_dir / "armed-hooks"
    hooks.mkdir()

    def program(name: str, *, answer: str = "cat") -> Path:
        path = git_dir / f"armed-{name}"
        path.write_text(f"#!/bin/sh\necho {name} >> '{sentinel}'\n{answer}\n")
        path.chmod(0o755)
        return path

    for name in ("post-index-change", "reference-transaction", "pre-auto-gc", "post-checkout"):
        (hooks / name).symlink_to(program(f"hook-{name}", answer="exit 0"))
    settings = {
        "core.fsmonitor": program("fsmonitor", answer="printf '\\0'"),
        "core.hooksPath": hooks,
        "core.sshCommand": program("ssh", answer="exit 1"),
        "core.pager": program("pager"),
        "core.askPass": program("askpass", answer="exit 1"),
        "filter.x.clean": program("clean"),
        "filter.x.smudge": program("smudge"),
        "diff.x.textconv": program("textconv", answer='cat "$1"'),
        "diff.x.command": program("diff-command", answer="exit 0"),
        "diff.external": program("diff-external", answer="exit 0"),
        "log.showSignature": "true",
        "gpg.program": program("gpg", answer="exit 1"),
        "protocol.ext.allow": "always",
        "remote.o.url": f"ext::{program('ext', answer='exit 1')}",
        "remote.o.promisor": "true",
        "remote.o.partialclonefilter": "blob:none",
        "extensions.partialClone": "o",
    }
    repository.git("config", "core.repositoryFormatVersion", "1")
    for name, value in settings.items():
        repository.git("config", name, str(value))
    repository.write({".gitattributes": "* filter=x diff=x\n"})


def code_of(caught: pytest.ExceptionInfo[UsageError]) -> str:
    """The stable code of a failure that a test expected."""
    return caught.value.code

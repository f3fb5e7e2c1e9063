from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from assembler.adapters import git_objects
from assembler.adapters.git import GitRepository
from assembler.errors import UsageError
from assembler.model.digest import git_blob_id
from assembler.model.tree import Unreadable
from tests.builders.repositories import RepositoryBuilder, arm, code_of, git_environment

GONE = "0123456789" * 4


# ---- nothing runs, nothing waits, nothing stays


def everything(git: GitRepository, blob_ids: list[str]) -> None:
    """Every operation that starts git."""
    head = git.resolve("HEAD")
    git.resolve("main")
    git.list_tree(head.id)
    git.blob_ids(head.id, [b"AGENTS.md"])
    git.list_index()
    git.intent_to_add([b"AGENTS.md"])
    git.list_worktree()
    git.read_blobs(blob_ids, limit_bytes=1_000)


@pytest.mark.parametrize("url", ["ext", "uploadpack", "ssh"])
def test_git__runs_nothing_that_the_repository_names(
    repository: RepositoryBuilder, tmp_path: Path, url: str
) -> None:
    sentinel = tmp_path / "MARK"
    repository.write({"AGENTS.md": "one\n", "gone": "gone\n"}).commit()
    arm(repository, sentinel)
    if url == "uploadpack":
        repository.git("config", "remote.o.url", str(tmp_path / "nowhere"))
        repository.git("config", "remote.o.uploadpack", str(repository.root / ".git/armed-ext"))
    elif url == "ssh":
        repository.git("config", "remote.o.url", "ssh://host.invalid/x")
    repository.loose(git_blob_id(b"gone\n")).unlink()
    repository.write({"AGENTS.md": "two\n", "new": "n"})  # the same size as before, and dirty
    sentinel.unlink(missing_ok=True)
    with repository.open() as git:
        everything(git, [git_blob_id(b"one\n"), git_blob_id(b"gone\n")])
        found = git.read_blobs([git_blob_id(b"gone\n")], limit_bytes=9)
        assert found == {git_blob_id(b"gone\n"): Unreadable("missing")}
    assert not sentinel.exists(), sentinel.read_text()

    # The traps are real: plain git steps into them.
    for command in (["status"], ["diff"], ["cat-file", "-p", git_blob_id(b"gone\n")]):
        subprocess.run(
            ["git", *command],
            cwd=repository.root,
            env=git_environment(tmp_path),
            capture_output=True,
            check=False,
        )
    sprung = sentinel.read_text().split()
    assert "fsmonitor" in sprung
    assert {"ext", "ssh"} & set(sprung)


def test_git__does_not_wait_for_a_fifo_that_the_configuration_includes(
    repository: RepositoryBuilder,
) -> None:
    repository.write({"a": "1"}).commit()
    os.mkfifo(repository.root / "fifo")
    repository.write({".git/more": ""})
    with (repository.root / ".git/config").open("a") as config:
        config.write(f"[include]\n\tpath = {repository.root}/fifo\n")
    with repository.open() as git:
        everything(git, [git_blob_id(b"1")])


@pytest.mark.parametrize("place", ["packed-refs", "HEAD", "info/exclude", "ORIG_HEAD"])
def test_git__does_not_wait_for_a_fifo_in_the_git_directory(
    repository: RepositoryBuilder, place: str
) -> None:
    commit = repository.write({"a": "1"}).commit()
    path = repository.root / ".git" / place
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    with repository.open() as git:
        assert git.resolve(commit).id == commit
        git.list_worktree()
        with pytest.raises(UsageError) as caught:
            git.resolve("nope")  # looked for in every place that holds refs
        assert code_of(caught) == "revision-missing"


def test_git__ends_where_a_ref_would_wait(
    repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = repository.commit()
    os.mkfifo(repository.root / ".git/refs/heads/trap")
    monkeypatch.setattr(git_objects, "ANSWER_SECONDS", 0.5)
    with repository.open() as git:
        with pytest.raises(UsageError) as caught:
            git.resolve("trap")
        assert code_of(caught) == "git-timeout"
        # The answer that never came is not taken for the next one's.
        assert git.resolve("main").id == commit


def test_git__never_asks_the_environments_repository(
    repository: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = repository.write({"a": "real"}).commit()
    decoy = RepositoryBuilder(tmp_path / "decoy").write({"a": "decoy"})
    decoy.commit()
    sentinel = tmp_path / "MARK"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{sentinel}'\n")
    program.chmod(0o755)
    variables = {
        "GIT_DIR": decoy.root / ".git",
        "GIT_WORK_TREE": decoy.root,
        "GIT_OBJECT_DIRECTORY": decoy.root / ".git/objects",
        "GIT_INDEX_FILE": decoy.root / ".git/index",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": decoy.root / ".git/objects",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": program,
        "GIT_EXTERNAL_DIFF": program,
        "GIT_TRACE": tmp_path / "trace",
        "GIT_REPLACE_REF_BASE": "refs/heads/",
        "GIT_EXEC_PATH": tmp_path,
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, str(value))
    with repository.open() as git:
        assert git.resolve("HEAD").id == commit
        everything(git, [git_blob_id(b"real")])
        assert git.list_index().entries == {b"a": ("100644", git_blob_id(b"real"))}
        decoyed = git.read_blobs([git_blob_id(b"decoy")], limit_bytes=9)
        assert decoyed == {git_blob_id(b"decoy"): Unreadable("missing")}
    assert not sentinel.exists()
    assert not (tmp_path / "trace").exists()


def test_git__is_not_taken_from_a_relative_search_path(
    repository: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write({"git": f"#!/bin/sh\ntouch '{tmp_path}/MARK'\n"}).commit()
    (repository.root / "git").chmod(0o755)
    monkeypatch.chdir(repository.root)
    real = shutil.which("git")
    assert real is not None
    with repository.open(search_path=f".::{Path(real).parent}") as git:
        assert git.head() is not None
    assert not (tmp_path / "MARK").exists()
    with repository.open(search_path=".:") as git, pytest.raises(UsageError) as caught:
        git.head()
    assert code_of(caught) == "git-missing"


def test_git__leaves_nothing_behind_and_the_repository_as_it_was(
    repository: RepositoryBuilder, scratch: Path
) -> None:
    repository.write({"a": "1"}).commit()
    repository.write({"a": "2"})

    def state() -> dict[str, tuple[int, int]]:
        found = {}
        for path in sorted(repository.root.rglob("*")):
            status = path.lstat()
            found[str(path)] = (status.st_mtime_ns, status.st_size)
        return found

    before = state()
    with repository.open(scratch=scratch) as git:
        assert list(scratch.iterdir()) == []
        everything(git, [git_blob_id(b"1")])
        (private,) = scratch.iterdir()
        assert private.stat().st_mode & 0o777 == 0o700
    assert list(scratch.iterdir()) == []
    assert state() == before
    with pytest.raises(RuntimeError):
        git.list_index()


def test_git__cleans_up_after_an_error_too(repository: RepositoryBuilder, scratch: Path) -> None:
    repository.commit()
    with pytest.raises(KeyboardInterrupt), repository.open(scratch=scratch) as git:
        git.head()
        raise KeyboardInterrupt
    assert list(scratch.iterdir()) == []


def test_git__cleans_up_where_a_caller_forgets(
    repository: RepositoryBuilder, scratch: Path
) -> None:
    repository.commit()
    code = (
        "import sys; from pathlib import Path\n"
        "from assembler.adapters.git import GitRepository\n"
        "from assembler.adapters.repository import find_repository\n"
        "git = GitRepository(find_repository(Path(sys.argv[1])), scratch=Path(sys.argv[2]))\n"
        "git.head(); git.read_blobs(['0' * 40], limit_bytes=1)\n"
        "assert list(Path(sys.argv[2]).iterdir())\n"
    )
    command = [sys.executable, "-c", code, str(repository.root), str(scratch)]
    subprocess.run(command, check=True, timeout=30)
    assert list(scratch.iterdir()) == []


def test_git__needs_no_more_than_six_processes_for_everything(
    repository: RepositoryBuilder,
) -> None:
    repository.write({"AGENTS.md": "one\n"}).commit()
    with repository.open() as git:
        head = git.resolve("HEAD")
        git.list_tree(head.id)
        git.list_index()
        git.list_worktree()
        for _ in range(5):
            git.read_blobs([git_blob_id(b"one\n")], limit_bytes=99)
            git.resolve("main")
        assert git.process_count == 4


def test_git__without_a_usable_folder_says_so(
    repository: RepositoryBuilder, tmp_path: Path
) -> None:
    repository.commit()
    with repository.open(scratch=tmp_path / "missing") as git:
        with pytest.raises(UsageError) as caught:
            git.head()
        assert code_of(caught) == "git-failed"


def test_git__without_objects_is_no_repository(tmp_path: Path) -> None:
    RepositoryBuilder(tmp_path / "r").write({"pkg/.git": ""})
    inner = RepositoryBuilder(tmp_path / "r/pkg", make=False)
    with pytest.raises(UsageError) as caught:
        inner.open()
    assert code_of(caught) == "not-a-repository"


def test_git__does_not_open_a_socket_in_the_worktree(repository: RepositoryBuilder) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(repository.root / "s"))
        with repository.open() as git:
            assert git.list_worktree().paths == []

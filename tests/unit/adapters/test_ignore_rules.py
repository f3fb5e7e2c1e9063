from __future__ import annotations

import os
from pathlib import Path

import pytest

from assembler.adapters import ignore_rules
from assembler.adapters.excludes_file import find_excludes_file
from assembler.adapters.ignore_rules import NothingIgnored, WorktreeIgnores
from assembler.model.tree import IgnoredFiles, IgnoreRule
from tests.builders.repositories import RepositoryBuilder, arm


def test_rules__are_those_of_git_with_their_file_and_line(repository: RepositoryBuilder) -> None:
    repository.write(
        {
            ".gitignore": "# logs\n*.log\n!keep.log\nbuild/\n",
            "a/.gitignore": "\n\nx*\n",
            "a/xé": "x",
            "b.log": "b",
            "keep.log": "k",
            "build/keep.log": "k",
            "plain": "p",
            "forced.log": "f",
            ".git/info/exclude": "local\n",
            "local": "l",
        }
    )
    repository.git("add", "-f", "forced.log")
    odd = [":(top).log", ":!.log", "-v.log", "a\nb.log", "[b].log", " .log"]
    repository.write(dict.fromkeys(odd, "x"))
    with repository.open() as git:
        rules = WorktreeIgnores(git).rules(
            ["a/xé", "b.log", "keep.log", "build/keep.log", "plain", "forced.log", "local", *odd]
        )
        assert git.process_count == 1
    assert rules == {
        "a/xé": IgnoreRule("a/.gitignore", 3, "x*"),
        "b.log": IgnoreRule(".gitignore", 2, "*.log"),
        "build/keep.log": IgnoreRule(".gitignore", 4, "build/"),
        "local": IgnoreRule(".git/info/exclude", 1, "local"),
        **{name: IgnoreRule(".gitignore", 2, "*.log") for name in odd},
    }


def test_list_files__has_what_git_ignores_and_no_folder(repository: RepositoryBuilder) -> None:
    repository.write(
        {".gitignore": "*.log\nbuild\n", "b.log": "", "build/deep/x": "", "plain": "", "c.log": ""}
    )
    repository.git("add", "-f", "c.log")
    repository.write({b"caf\xe9.log".decode("utf-8", "surrogateescape"): ""})
    inner = RepositoryBuilder(repository.root / "build" / "inner")
    inner.write({"x": ""}).commit()
    with repository.open() as git:
        ignores = WorktreeIgnores(git)
        assert ignores.list_files() == IgnoredFiles(("b.log", "build/deep/x"))
        assert ignores.list_files().is_cut is False
        assert git.process_count == 1


def test_list_files__says_that_it_was_cut(
    repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write({".gitignore": "*.log\n", "a.log": "", "b.log": "", "c.log": ""})
    for most, cut in ((3, False), (2, True)):
        monkeypatch.setattr(ignore_rules, "MAX_IGNORED", most)
        with repository.open() as git:
            found = WorktreeIgnores(git).list_files()
        assert found == IgnoredFiles(("a.log", "b.log", "c.log")[:most], cut)


def test_nothing_to_ask__starts_nothing(repository: RepositoryBuilder) -> None:
    with repository.open() as git:
        assert WorktreeIgnores(git).rules([]) == {}
        assert git.process_count == 0
    assert NothingIgnored().rules(["a"]) == {}
    assert NothingIgnored().list_files().paths == ()


@pytest.mark.parametrize("what", ["pipe", "pattern"])
def test_git_that_hangs__is_stopped_and_fails_nothing(
    repository: RepositoryBuilder, what: str
) -> None:
    if what == "pipe":
        os.mkfifo(repository.root / ".gitignore")
    else:
        repository.write({".gitignore": "**/a" * 60 + "/b\n"})
    path = "a/" * 60 + "c"
    repository.write({path: ""})
    with repository.open(listing_seconds=0.3) as git:
        ignores = WorktreeIgnores(git)
        assert ignores.rules([path]) in (None, {})
        if what == "pipe":
            assert ignores.rules([path]) is None
            assert ignores.list_files() == IgnoredFiles((), is_cut=True)


def test_path_in_a_submodule__is_one_that_git_can_not_tell_about(
    repository: RepositoryBuilder,
) -> None:
    inner = RepositoryBuilder(repository.root / "sub")
    inner.write({"x.log": ""}).commit()
    repository.commit()
    with repository.open() as git:
        assert WorktreeIgnores(git).rules(["sub/x.log"]) is None


def test_asking__runs_nothing_that_the_repository_names(
    repository: RepositoryBuilder, tmp_path: Path
) -> None:
    sentinel = tmp_path / "MARK"
    repository.write({".gitignore": "*.log\n", "a.log": ""}).commit()
    arm(repository, sentinel)
    sentinel.unlink(missing_ok=True)
    with repository.open() as git:
        ignores = WorktreeIgnores(git)
        assert ignores.list_files().paths == ("a.log",)
        assert ignores.rules(["a.log"])
    assert not sentinel.exists(), sentinel.read_text()


@pytest.mark.parametrize(
    ("files", "variables", "found"),
    [
        ({}, {}, ".config/git/ignore"),
        ({}, {"XDG_CONFIG_HOME": "xdg"}, "xdg/git/ignore"),
        ({".gitconfig": "~/mine"}, {}, "mine"),
        ({".config/git/config": "~/other"}, {}, "other"),
        ({".config/git/config": "~/other", ".gitconfig": "~/mine"}, {}, "mine"),
        ({"xdg/git/config": "~/other"}, {"XDG_CONFIG_HOME": "xdg"}, "other"),
        ({".gitconfig": "~/mine", "named": "~/third"}, {"GIT_CONFIG_GLOBAL": "named"}, "third"),
        ({".gitconfig": "~/mine"}, {"GIT_CONFIG_GLOBAL": "none"}, ".config/git/ignore"),
        ({".gitconfig": "~somebody/x"}, {}, None),
        ({".gitconfig": ""}, {}, None),
    ],
)
def test_excludes_file__is_the_one_that_git_takes(
    files: dict[str, str], variables: dict[str, str], found: str | None, tmp_path: Path
) -> None:
    for name, value in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'[core]\n\texcludesFile = "{value}"\n')
    environment = {
        "HOME": str(tmp_path),
        **{name: str(tmp_path / value) for name, value in variables.items()},
    }
    asked = find_excludes_file({}, tmp_path / "root", environment)
    assert asked == (None if found is None else tmp_path / found)


def test_excludes_file__of_the_repository_wins_and_is_relative_to_its_root(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path)}
    (tmp_path / ".gitconfig").write_text("[core]\nexcludesFile = ~/mine\n")
    settings = {"core.excludesfile": "conf/ex"}
    assert find_excludes_file(settings, tmp_path / "root", environment) == (
        tmp_path / "root/conf/ex"
    )
    assert find_excludes_file({"core.excludesfile": ""}, tmp_path, environment) is None
    assert find_excludes_file({}, tmp_path, {}) is None


def test_users_own_rules__hold_where_the_environment_is_given(
    repository: RepositoryBuilder, tmp_path: Path
) -> None:
    repository.write({"a.tmp": "", "b.txt": ""})
    (tmp_path / ".config/git").mkdir(parents=True)
    (tmp_path / ".config/git/ignore").write_text("*.tmp\n")
    with repository.open(environment={"HOME": str(tmp_path)}) as git:
        ignores = WorktreeIgnores(git)
        assert ignores.list_files().paths == ("a.tmp",)
        assert ignores.rules(["a.tmp"]) == {"a.tmp": IgnoreRule("core.excludesFile", 1, "*.tmp")}
        assert git.list_worktree().untracked == (b"b.txt",)
    with repository.open() as git:
        assert git.list_worktree().untracked == (b"a.tmp", b"b.txt")

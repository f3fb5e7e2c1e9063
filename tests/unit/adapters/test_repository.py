from __future__ import annotations

import os
from pathlib import Path

import pytest

from assembler.adapters.repository import find_marker, find_repository, read_git_config
from assembler.errors import UsageError
from tests.builders.repositories import RepositoryBuilder


def test_find_repository__is_found_from_a_folder_deep_inside(tmp_path: Path) -> None:
    repository = RepositoryBuilder(tmp_path / "r").write({"a/b/c.txt": "c"})
    found = find_repository(tmp_path / "r/a/b")
    assert found is not None
    assert found.root == repository.root
    assert found.git_dir == found.common_dir == repository.root / ".git"
    assert not found.foreign_owner


def test_find_repository__is_none_without_any_marker(tmp_path: Path) -> None:
    assert find_repository(tmp_path, ceilings=(tmp_path.parent,)) is None


def test_find_repository__walks_up_the_real_folder_of_a_link(tmp_path: Path) -> None:
    repository = RepositoryBuilder(tmp_path / "r").write({"a/f": ""})
    (tmp_path / "elsewhere").symlink_to(repository.root / "a")
    found = find_repository(tmp_path / "elsewhere")
    assert found is not None
    assert found.root == repository.root


def test_find_repository__takes_the_inner_one_of_two(tmp_path: Path) -> None:
    RepositoryBuilder(tmp_path / "r")
    inner = RepositoryBuilder(tmp_path / "r/inner").write({"sub/f": ""})
    found = find_repository(tmp_path / "r/inner/sub")
    assert found is not None
    assert found.root == inner.root


@pytest.mark.parametrize("content", ["empty", "link"])
def test_find_repository__passes_a_hollow_folder_and_names_it(tmp_path: Path, content: str) -> None:
    repository = RepositoryBuilder(tmp_path / "r").write({"pkg/f": ""})
    hollow = tmp_path / "r/pkg/.git"
    if content == "empty":
        hollow.mkdir()
    else:
        (tmp_path / "nothing").mkdir()
        hollow.symlink_to(tmp_path / "nothing")
    found = find_repository(tmp_path / "r/pkg")
    assert found is not None
    assert found.root == repository.root
    assert found.hollow == (hollow,)


def test_find_repository__stops_at_a_broken_file_without_objects(tmp_path: Path) -> None:
    RepositoryBuilder(tmp_path / "r").write({"pkg/.git": ""})
    found = find_repository(tmp_path / "r/pkg")
    assert found is not None
    assert (found.root, found.git_dir, found.common_dir) == (tmp_path / "r/pkg", None, None)


def test_find_repository__passes_a_fifo_without_waiting(tmp_path: Path) -> None:
    repository = RepositoryBuilder(tmp_path / "r").write({"pkg/f": ""})
    os.mkfifo(tmp_path / "r/pkg/.git")
    found = find_repository(tmp_path / "r/pkg")
    assert found is not None
    assert found.root == repository.root


def test_find_repository__never_takes_an_embedded_bare_repository(tmp_path: Path) -> None:
    repository = RepositoryBuilder(tmp_path / "r").write({"f": ""})
    repository.git("init", "-q", "--bare", "sub/x")
    found = find_repository(tmp_path / "r/sub/x")
    assert found is not None
    assert found.root == repository.root


def test_find_repository__takes_a_link_to_a_git_directory(tmp_path: Path) -> None:
    RepositoryBuilder(tmp_path / "store")
    (tmp_path / "r").mkdir()
    (tmp_path / "r/.git").symlink_to("../store/.git")
    found = find_repository(tmp_path / "r")
    assert found is not None
    assert (found.root, found.git_dir) == (tmp_path / "r", tmp_path / "store/.git")


def test_find_repository__knows_what_a_linked_worktree_shares(tmp_path: Path) -> None:
    repository = RepositoryBuilder(tmp_path / "r")
    repository.commit()
    repository.git("worktree", "add", "-q", "../wt", "-b", "side")
    found = find_repository(tmp_path / "wt")
    assert found is not None
    assert found.root == tmp_path / "wt"
    assert found.git_dir == tmp_path / "r/.git/worktrees/wt"
    assert found.common_dir == tmp_path / "r/.git"


def test_find_repository__takes_a_submodule_for_itself(tmp_path: Path) -> None:
    RepositoryBuilder(tmp_path / "lib").write({"f": "1"}).commit()
    outer = RepositoryBuilder(tmp_path / "r")
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", "../lib", "v/lib")
    found = find_repository(tmp_path / "r/v/lib")
    assert found is not None
    assert found.root == tmp_path / "r/v/lib"
    assert found.git_dir == tmp_path / "r/.git/modules/v/lib"


def test_find_repository__refuses_a_file_that_borrows_another_repository(tmp_path: Path) -> None:
    RepositoryBuilder(tmp_path / "private").commit()
    (tmp_path / "unpacked").mkdir()
    (tmp_path / "unpacked/.git").write_text("gitdir: ../private/.git\n")
    with pytest.raises(UsageError) as caught:
        find_repository(tmp_path / "unpacked")
    assert caught.value.code == "git-dir-foreign"


def test_find_repository__takes_a_separate_git_directory_that_names_the_folder(
    tmp_path: Path,
) -> None:
    repository = RepositoryBuilder(tmp_path / "r", make=False)
    repository.git("init", "-q", "--separate-git-dir", str(tmp_path / "store"))
    repository.git("config", "core.worktree", str(tmp_path / "r"))
    found = find_repository(tmp_path / "r")
    assert found is not None
    assert found.git_dir == tmp_path / "store"


def test_find_repository__refuses_files_that_are_elsewhere(tmp_path: Path) -> None:
    repository = RepositoryBuilder(tmp_path / "r")
    repository.git("config", "core.worktree", "/etc")
    with pytest.raises(UsageError) as caught:
        find_repository(tmp_path / "r")
    assert caught.value.code == "worktree-mismatch"
    repository.git("config", "core.worktree", str(repository.root))
    assert find_repository(tmp_path / "r") is not None


def test_find_repository__does_not_climb_into_a_ceiling(tmp_path: Path) -> None:
    RepositoryBuilder(tmp_path / "r").write({"a/b/f": ""})
    assert find_repository(tmp_path / "r/a/b", ceilings=(tmp_path / "r",)) is None
    assert find_repository(tmp_path / "r/a/b", ceilings=(tmp_path,)) is not None
    # A ceiling at the start itself closes nothing, as with git.
    assert find_repository(tmp_path / "r", ceilings=(tmp_path / "r",)) is not None


@pytest.mark.parametrize("kind", ["folder", "file", "dead link"])
def test_find_marker__takes_a_hollow_marker_for_the_root(tmp_path: Path, kind: str) -> None:
    RepositoryBuilder(tmp_path / "r").write({"pkg/sub/f": ""})
    marker = tmp_path / "r/pkg/.git"
    if kind == "folder":
        marker.mkdir()
    elif kind == "file":
        marker.write_text("")
    else:
        marker.symlink_to("nowhere")
    found = find_marker(tmp_path / "r/pkg/sub")
    assert found is not None
    assert (found.root, found.git_dir) == (tmp_path / "r/pkg", None)


def test_find_marker__answers_where_the_repository_is_refused(tmp_path: Path) -> None:
    RepositoryBuilder(tmp_path / "private").commit()
    (tmp_path / "unpacked").mkdir()
    (tmp_path / "unpacked/.git").write_text("gitdir: ../private/.git\n")
    found = find_marker(tmp_path / "unpacked")
    assert found is not None
    assert (found.root, found.git_dir) == (tmp_path / "unpacked", None)


def test_find_marker__knows_the_objects_of_a_real_repository(tmp_path: Path) -> None:
    repository = RepositoryBuilder(tmp_path / "r").write({"a/f": ""})
    assert find_marker(tmp_path / "r/a") == repository.places()
    assert find_marker(tmp_path / "r/a", names=("nothing-like-it",)) is None


def test_read_git_config__reads_quotes_comments_and_subsections(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text(
        '[core]\n\tbare = false # no\n\tWorkTree = "a b\\\\c"\n'
        '[remote "Up.Stream"] url=x;y\n[extensions]\nobjectFormat=sha256\nflag\n'
        "[include]\n\tpath = other\n"
    )
    (tmp_path / "other").write_text("[core]\n\tbare = true\n")
    settings = read_git_config(config)
    assert settings["core.bare"] == "false"
    assert settings["core.worktree"] == "a b\\c"
    assert settings["remote.Up.Stream.url"] == "x"
    assert settings["extensions.objectformat"] == "sha256"
    assert settings["extensions.flag"] == "true"


def test_read_git_config__refuses_a_fifo_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config")
    with pytest.raises(UsageError) as caught:
        read_git_config(tmp_path / "config")
    assert caught.value.code == "path-unreadable"
    assert read_git_config(tmp_path / "none") == {}

"""What differs from HEAD: told by names and records, or left to a look at the bytes."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from assembler.adapters.changed_files import Changes
from assembler.adapters.patterns import compile_patterns
from assembler.adapters.trees import IndexTree, WorktreeTree, open_tree
from assembler.authorize.read_scope import GrantLayer, ReadScope
from assembler.front.changed_paths import ChangedPaths
from tests.builders.repositories import RepositoryBuilder

EVERYTHING = ReadScope(
    (
        GrantLayer(
            name="host",
            deny=compile_patterns([], where="deny"),
            allow=compile_patterns(["**"], where="allow"),
        ),
    )
)


@pytest.fixture
def repository(tmp_path: Path) -> RepositoryBuilder:
    builder = RepositoryBuilder(tmp_path / "repository")
    builder.write({"a.md": "a\n", "b/c.md": "c\n", "b/d.md": "d\n"})
    builder.commit()
    settle(builder)
    return builder


def settle(builder: RepositoryBuilder) -> None:
    """Files older than the index: git itself looks at the bytes of younger ones."""
    for path in builder.root.rglob("*"):
        if path.is_file() and ".git" not in path.parts:
            os.utime(path, (1_700_000_000, 1_700_000_000))
    builder.git("update-index", "-q", "--refresh")


def changes(repository: RepositoryBuilder, at: str = "worktree") -> Changes:
    with repository.open() as git:
        tree = open_tree(repository.places(), git, at)
        assert isinstance(tree, WorktreeTree | IndexTree)
        return tree.changes()


def found(repository: RepositoryBuilder, pattern: str | None = None) -> str | None:
    patterns = None if pattern is None else compile_patterns([pattern], where="test")
    with repository.open() as git:
        tree = open_tree(repository.places(), git, "worktree")
        return ChangedPaths(tree, git, EVERYTHING).find(patterns)


def test_clean_worktree__is_known_without_a_look_at_bytes(repository: RepositoryBuilder) -> None:
    assert changes(repository) == Changes()
    assert changes(repository, "index") == Changes()
    with repository.open() as git:
        tree = open_tree(repository.places(), git, "worktree")
        assert isinstance(tree, WorktreeTree)
        tree.changes()
        # Commits, the tree of HEAD, the worktree's names with times and sizes of the index.
        assert git.process_count == 3


def test_names__tell_what_is_new_gone_or_in_conflict(repository: RepositoryBuilder) -> None:
    repository.write({"new.md": "n\n", "added.md": "n\n", "announced.md": "n\n"})
    repository.git("add", "added.md")
    repository.git("add", "-N", "announced.md")
    (repository.root / "b/d.md").unlink()
    assert changes(repository).told == ("added.md", "announced.md", "b/d.md", "new.md")
    assert changes(repository, "index").told[0] == "added.md"
    assert "b/d.md" not in changes(repository, "index").told


def test_touched_file__has_to_be_looked_at_and_is_the_same(repository: RepositoryBuilder) -> None:
    os.utime(repository.root / "a.md", (1_600_000_000, 1_600_000_000))
    assert list(changes(repository).unsure) == ["a.md"]
    assert found(repository) is None
    repository.write({"a.md": "b\n"})
    assert found(repository) == "a.md"
    assert found(repository, "b/**") is None


def test_file_as_young_as_the_index__has_to_be_looked_at(repository: RepositoryBuilder) -> None:
    later = time.time() + 3_600
    repository.write({"a.md": "x\n"})
    os.utime(repository.root / "a.md", (later, later))
    repository.git("add", "a.md")
    repository.git("commit", "-q", "-m", "later")
    assert "a.md" in changes(repository).unsure


def test_staged_change__that_the_disk_took_back_is_none(repository: RepositoryBuilder) -> None:
    repository.write({"a.md": "b\n"})
    repository.git("add", "a.md")
    repository.write({"a.md": "a\n"})
    assert changes(repository, "index").told == ("a.md",)
    assert found(repository) is None


def test_sparse_checkout__leaves_files_out_on_purpose(repository: RepositoryBuilder) -> None:
    repository.git("update-index", "--skip-worktree", "b/d.md")
    (repository.root / "b/d.md").unlink()
    assert changes(repository) == Changes()


def test_folder_in_place_of_a_file_and_the_other_way_round(repository: RepositoryBuilder) -> None:
    (repository.root / "a.md").unlink()
    repository.write({"a.md/inner": "x\n"})
    (repository.root / "b/c.md").unlink()
    (repository.root / "b/d.md").unlink()
    (repository.root / "b").rmdir()
    repository.link({"b": "elsewhere"})
    assert set(changes(repository).told) >= {"a.md", "a.md/inner", "b", "b/c.md", "b/d.md"}


def test_pipe_in_place_of_a_file__is_a_change_and_is_not_opened(
    repository: RepositoryBuilder,
) -> None:
    (repository.root / "a.md").unlink()
    os.mkfifo(repository.root / "a.md")
    assert found(repository) == "a.md"


def test_repository_inside__is_no_change(repository: RepositoryBuilder) -> None:
    RepositoryBuilder(repository.root / "inner").write({"x": "x"}).commit()
    assert changes(repository) == Changes()


def test_many_touched_files__are_compared_until_one_differs(repository: RepositoryBuilder) -> None:
    repository.write({f"many/{number:03}.md": f"{number}\n" for number in range(450)})
    repository.commit()
    repository.write({"many/449.md": "x\n"})
    for path in (repository.root / "many").iterdir():
        os.utime(path, (1_600_000_000, 1_600_000_000))
    assert found(repository, "many/**") == "many/449.md"


def test_file_whose_time_was_set_back__has_to_be_looked_at(repository: RepositoryBuilder) -> None:
    path = repository.root / "a.md"
    before = path.stat()
    path.write_text("b\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert list(changes(repository).unsure) == ["a.md"]
    assert found(repository) == "a.md"


@pytest.mark.parametrize("touched", [False, True])
def test_mode__is_a_change_where_the_file_system_has_modes(
    repository: RepositoryBuilder, touched: bool
) -> None:
    path = repository.root / "a.md"
    path.chmod(0o755)
    if touched:
        os.utime(path, (1_600_000_000, 1_600_000_000))
    assert changes(repository).told == ("a.md",)
    repository.git("config", "core.fileMode", "false")
    assert changes(repository).told == ()
    assert found(repository) is None
    repository.git("update-index", "--chmod=+x", "a.md")
    assert changes(repository).told == ("a.md",)
    assert changes(repository, "index").told == ("a.md",)
    repository.git("config", "core.fileMode", "true")
    path.chmod(0o644)
    assert changes(repository).told == ()


def test_link_in_place_of_a_file_with_its_text__is_a_change(repository: RepositoryBuilder) -> None:
    repository.write({"l": "a.md"}).link({"m": "a.md"}).commit()
    for name in ("l", "m"):
        (repository.root / name).unlink()
    repository.link({"l": "a.md"}).write({"m": "a.md"})
    assert changes(repository).told == ("l", "m")
    # There a link is checked out as a file that holds its text.
    repository.git("config", "core.symlinks", "false")
    assert changes(repository).told == ("l",)
    assert list(changes(repository).unsure) == ["m"]


@pytest.mark.parametrize("form", ["branch", "detached", "packed", "gone"])
def test_submodule__that_moved_is_a_change(repository: RepositoryBuilder, form: str) -> None:
    inner = RepositoryBuilder(repository.root / "inner")
    inner.write({"x": "x\n"}).commit()
    repository.commit()
    assert changes(repository) == Changes()
    inner.write({"x": "dirty\n"})
    assert changes(repository) == Changes()
    inner.commit()
    match form:
        case "detached":
            inner.git("checkout", "-q", "--detach")
        case "packed":
            inner.git("pack-refs", "--all")
        case "gone":
            shutil.rmtree(inner.root)
            inner.root.mkdir()
        case _:
            pass
    assert changes(repository).told == (() if form == "gone" else ("inner",))
    assert changes(repository).submodules == frozenset(changes(repository).told)
    if form != "gone":
        repository.git("add", "inner")
        assert changes(repository).told == ("inner",)
        repository.commit()
        assert changes(repository) == Changes()

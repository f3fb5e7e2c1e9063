"""Names that two trees do not share: git's own comparison decides, bounds hold for bombs."""

from __future__ import annotations

import random

import pytest

from assembler.adapters.git import GitRepository
from assembler.adapters.git_listing import TreeEntries, parse_folder
from assembler.adapters.one_sided import MAX_COMPARED_FOLDERS, MAX_ONE_SIDED, OneSidedNames
from assembler.errors import UsageError
from tests.builders.repositories import RepositoryBuilder

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def names_of(git: GitRepository) -> OneSidedNames:
    def read_folder(tree_id: str) -> TreeEntries | None:
        data = git.read_tree(tree_id)
        return parse_folder(data, id_bytes=20) if isinstance(data, bytes) else None

    return OneSidedNames(read_folder)


def test_names__are_those_that_git_tells(repository: RepositoryBuilder) -> None:
    """Random trees of few names, so that files, folders and links take each other's place."""
    draw = random.Random(7)
    blob = repository.git("hash-object", "-w", "--stdin", stdin=b"one\n").decode().strip()
    other = repository.git("hash-object", "-w", "--stdin", stdin=b"two\n").decode().strip()
    commit = repository.put_commit(EMPTY_TREE)
    files = [("100644", blob), ("100755", blob), ("100644", other), ("120000", blob)]

    def make(depth: int) -> str:
        entries = []
        for name in (b"a", b"a.b", b"a0", b"b", b"\xff"):
            if draw.random() < 0.4:
                continue
            if depth and draw.random() < 0.5:
                entries.append(("40000", name, make(depth - 1)))
            else:
                mode, object_id = draw.choice([*files, ("160000", commit)])
                entries.append((mode, name, object_id))
        entries.sort(key=lambda entry: entry[1] + (b"/" if entry[0] == "40000" else b""))
        return repository.put_tree(entries)

    repository.put_tree([])
    pairs = [(make(3), make(3)) for _ in range(60)]
    differing = 0
    with repository.open() as git:
        names = names_of(git)
        for old, new in pairs:
            told = repository.git(
                "diff-tree", "-r", "-z", "--no-renames", "--diff-filter=AD", "--name-status",
                old, new,
            ).split(b"\0")  # fmt: skip
            by_git = sorted(zip(told[::2], told[1::2], strict=False))
            found = names.compare(old, new)
            ours = [(b"D", path) for path in found.gone] + [(b"A", path) for path in found.new]
            assert sorted(ours) == by_git
            differing += len(ours)
            assert names.compare(new, old) == (found.new, found.gone)
    assert differing > 500


def test_folders_without_end__are_refused(repository: RepositoryBuilder) -> None:
    """Ten thousand million folders in eleven objects, with and without a file at their ends."""
    blob = repository.git("hash-object", "-w", "--stdin", stdin=b"x").decode().strip()
    empty = repository.put_tree([])
    for leaf, bound in ((empty, MAX_COMPARED_FOLDERS), (blob, MAX_ONE_SIDED)):
        mode, tree = ("40000", leaf) if leaf == empty else ("100644", leaf)
        for _ in range(10):
            tree = repository.put_tree([(mode, b"%d" % number, tree) for number in range(10)])
            mode = "40000"
        with repository.open() as git, pytest.raises(UsageError) as caught:
            names_of(git).compare(empty, tree)
        assert caught.value.code == "size-limit"
        assert f"{bound:,}" in caught.value.message or leaf == blob


def test_missing_folder__is_a_failure_of_git(repository: RepositoryBuilder) -> None:
    empty = repository.put_tree([])
    missing = repository.put_tree([("40000", b"gone", "1" * 40)])
    with repository.open() as git, pytest.raises(UsageError) as caught:
        names_of(git).compare(empty, missing)
    assert caught.value.code == "git-failed"

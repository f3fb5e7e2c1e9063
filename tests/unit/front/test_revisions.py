"""Which revision a file's bytes belong to, told for every item that is cut out of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from assembler.adapters.trees import open_tree
from assembler.front import revisions
from assembler.front.revisions import DIFFERS, NOT_IN_HEAD, ReadFiles, RevisionNames
from assembler.model.digest import git_blob_id
from tests.builders.repositories import RepositoryBuilder


def test_file_of_many_items__is_hashed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = RepositoryBuilder(tmp_path / "r")
    hashed: list[bytes] = []

    def note(data: bytes, *, object_format: str) -> str:
        hashed.append(data)
        return git_blob_id(data, object_format=object_format)

    monkeypatch.setattr(revisions, "git_blob_id", note)
    head = repository.write({"a.md": "a\n", "b.md": "b\n"}).commit()
    contents = {"a.md": b"a\n", "b.md": b"other\n", "c.md": b"c\n"}
    paths = {f"{path}#{number}": path for path in contents for number in range(50)}
    with repository.open() as git:
        tree = open_tree(repository.places(), git, "worktree")
        names = RevisionNames(tree, git, ReadFiles(contents, {path: path for path in contents}))
        found = names.of(paths)
    assert found["a.md#49"] == (head, None)
    assert found["b.md#0"] == (None, DIFFERS)
    assert found["c.md#7"] == (None, NOT_IN_HEAD)
    assert sorted(hashed) == [b"a\n", b"other\n"]

"""Reading authorized files: each once, and never other bytes than those that were digested."""

from __future__ import annotations

from pathlib import Path

import pytest

from assembler.adapters.trees import open_tree
from assembler.authorize.read_scope import ReadScope, authorize_evidence
from assembler.model.digest import sha256_hex
from assembler.model.tree import Authorized, Beginning, Unreadable
from assembler.offers import reader as module
from assembler.offers.reader import FileDigest, FileReader, TextHits, TextSearch
from assembler.ports import SourceTree
from tests.builders.repositories import RepositoryBuilder
from tests.builders.trees import FIFO, write_tree


def test_file__that_changed_since_its_digest_is_not_read(tmp_path: Path) -> None:
    reader = FileReader(write_tree(tmp_path, {"a": "one", "b": "same"}), ReadScope(()))
    entries = list(reader.tree.look_up(["a", "b"]).values())

    digests, _ = reader.digest(entries, "skills")
    (tmp_path / "a").write_text("two")
    contents, _ = reader.read_policy(entries, "skills")

    assert digests["a"] == FileDigest(sha256_hex(b"one"), 3)
    assert contents == {"a": Unreadable("changed-during-read"), "b": b"same"}


def test_digest__of_what_is_no_file_says_why(tmp_path: Path) -> None:
    reader = FileReader(write_tree(tmp_path, {"pipe": FIFO, "a": ""}), ReadScope(()))
    entries = list(reader.tree.look_up(["pipe", "a"]).values())

    digests, denied = reader.digest(entries, "skills")

    assert digests == {"pipe": Unreadable("not-a-file"), "a": FileDigest(sha256_hex(b""), 0)}
    assert denied == []


def test_digest__holds_a_part_of_the_files_at_a_time(tmp_path: Path) -> None:
    files = {f"f{number}": bytes(1 << 20) for number in range(40)}
    reader = FileReader(write_tree(tmp_path, files), ReadScope(()))
    entries = reader.tree.look_up(list(files)).values()
    held: list[int] = []
    read = reader.tree.read

    def watch(asked, *, limit_bytes):  # type: ignore[no-untyped-def]
        asked = list(asked)
        held.append(sum(file.entry.size_bytes or 0 for file in asked))
        return read(asked, limit_bytes=limit_bytes)

    reader.tree.read = watch  # type: ignore[method-assign]
    digests, _ = reader.digest(entries, "skills")

    assert len(digests) == 40
    assert max(held) <= module.BATCH_BYTES
    assert reader.contents == {}


def test_beginning__is_read_of_a_file_over_the_limit(tmp_path: Path) -> None:
    reader = FileReader(write_tree(tmp_path, {"a": "0123456789", "b": "0123"}), ReadScope(()))
    entries = reader.tree.look_up(["a", "b"]).values()

    contents, _ = reader.read_beginnings(entries, "skills", limit_bytes=5, most_bytes=3)

    assert contents == {"a": Beginning(b"012", 10), "b": b"0123"}


def searched(tree: SourceTree, paths: list[str], text: bytes) -> TextSearch:
    files = [
        permission
        for entry in tree.look_up(paths).values()
        if isinstance(permission := authorize_evidence(entry, ReadScope(())), Authorized)
    ]
    return TextSearch(files, text)


@pytest.mark.parametrize("at", ["worktree", "index", "HEAD"])
def test_find_texts__reads_each_file_once_for_all_searches_within_their_bounds(
    tmp_path: Path, at: str
) -> None:
    repository = RepositoryBuilder(tmp_path / "r")
    repository.write({"a": "xx one", "b": "x two", "c": "12345678", "d": "x", "e": "", "f": "one"})
    repository.commit()
    with repository.open() as git:
        tree = open_tree(git.places, git, at)
        reader = FileReader(tree, ReadScope(()))
        every = ["a", "b", "c", "d", "e", "f"]
        asked = [searched(tree, every, b"x"), searched(tree, ["c", "f"], b"one")]

        exact = reader.find_texts(asked, limit_bytes=8, most_bytes=23)
        small = reader.find_texts(asked, limit_bytes=7, most_bytes=23)
        short = reader.find_texts(asked, limit_bytes=8, most_bytes=20)

        assert exact == [TextHits(("a", "b", "d"), 0), TextHits(("f",), 0)]
        assert small == [TextHits(("a", "b", "d"), 1), TextHits(("f",), 1)]
        # The last one does not fit any more; an empty one always does.
        assert short == [TextHits(("a", "b", "d"), 1), TextHits(("f",), 0)]
        assert reader.contents == {}


def test_find_texts__remembers_what_it_saw(tmp_path: Path) -> None:
    reader = FileReader(write_tree(tmp_path, {"a": "one", "b": "two"}), ReadScope(()))
    search = searched(reader.tree, ["a", "b"], b"one")
    assert reader.find_texts([search], limit_bytes=9, most_bytes=9) == [TextHits(("a",), 0)]

    (tmp_path / "a").write_text("two")

    assert reader.read(search.files)["a"] == Unreadable("changed-during-read")

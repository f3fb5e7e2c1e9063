"""Reading authorized files: each once, and never other bytes than those that were digested."""

from __future__ import annotations

from pathlib import Path

from assembler.authorize.read_scope import ReadScope
from assembler.model.digest import sha256_hex
from assembler.model.tree import Beginning, Unreadable
from assembler.offers import reader as module
from assembler.offers.reader import FileDigest, FileReader
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

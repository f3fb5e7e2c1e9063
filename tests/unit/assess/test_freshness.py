from __future__ import annotations

from assembler.assess.freshness import compare_sources, differing_sources
from assembler.model.digest import sha256_hex
from assembler.model.evidence import Artifact, ArtifactSource
from assembler.model.tree import Entry, EntryKind

TEXT = b"one\ntwo\nthree\n"


def artifact(lines: tuple[int, int] | None, seen: bytes, blob: str | None = None) -> Artifact:
    source = ArtifactSource(path="a", lines=lines, sha256=sha256_hex(seen), blob=blob)
    return Artifact(id="s", file="s.md", revision="r1", sources=(source,))


def entry(blob: str | None = None) -> dict[str, Entry]:
    return {"a": Entry(path="a", kind=EntryKind.FILE, blob_id=blob)}


def test_same_bytes__are_current_at_any_revision() -> None:
    made = artifact((2, 2), b"two\n")
    (found,) = compare_sources(made, entry(), {"a": TEXT})
    assert found.current == found.seen
    assert differing_sources(made, (found,)) == ()


def test_other_bytes_of_the_named_lines__are_stale_and_others_are_not() -> None:
    made = artifact((2, 2), b"two\n")
    moved = b"zero\n" + TEXT
    (found,) = compare_sources(made, entry(), {"a": moved})
    assert found.current == sha256_hex(b"one\n")
    assert differing_sources(made, (found,)) == made.sources
    (same,) = compare_sources(made, entry(), {"a": TEXT + b"four\n"})
    assert same.current == same.seen


def test_lines_past_the_end__are_other_bytes() -> None:
    made = artifact((2, 9), b"two\n")
    (found,) = compare_sources(made, entry(), {"a": TEXT})
    assert found.current not in (None, found.seen)


def test_unreadable__leaves_it_unknown_and_is_nothing_to_read_again() -> None:
    made = artifact(None, TEXT)
    (found,) = compare_sources(made, entry(), {"a": None})
    assert found.current is None
    assert differing_sources(made, (found,)) == ()


def test_equal_blob__needs_no_bytes() -> None:
    made = artifact(None, TEXT, blob="b1")
    (found,) = compare_sources(made, entry("b1"), {})
    assert found.current == found.seen
    (other,) = compare_sources(made, entry("b2"), {"a": b"changed"})
    assert other.current == sha256_hex(b"changed")

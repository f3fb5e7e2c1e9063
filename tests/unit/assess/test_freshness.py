from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from assembler.adapters.symbols import TreeSitterReader
from assembler.assess.freshness import Comparison, SourceFile, compare_sources
from assembler.assess.line_map import MAX_LINES
from assembler.assess.moved_lines import MAX_HASHED_BYTES, PLACE_BYTES, SectionSearch, find_copies
from assembler.assess.sections import OldFile
from assembler.model.candidate import FreshnessEntry
from assembler.model.digest import sha256_hex
from assembler.model.evidence import Artifact, ArtifactSource, Section

TEXT = b"one\ntwo\nthree\n"


def artifact(lines: tuple[int, int] | None, seen: bytes, blob: str | None = None) -> Artifact:
    source = ArtifactSource(path="a", lines=lines, sha256=sha256_hex(seen), blob=blob)
    return Artifact(id="s", file="s.md", revision="r1", sources=(source,))


def compare(made: Artifact, current: Mapping[str, bytes | None]) -> tuple[FreshnessEntry, ...]:
    with TreeSitterReader() as symbols:
        return compare_sources(made, files_of(made, current), symbols).freshness


def files_of(made: Artifact, current: Mapping[str, bytes | None]) -> dict[str, SourceFile]:
    return {source.name: SourceFile(current.get(source.path)) for source in made.sources}


@pytest.fixture
def symbols() -> Iterator[TreeSitterReader]:
    with TreeSitterReader() as reader:
        yield reader


def test_same_bytes__are_current_at_any_revision() -> None:
    made = artifact((2, 2), b"two\n")
    (found,) = compare(made, {"a": TEXT})
    assert found.current == found.seen


def test_other_bytes_of_the_named_lines__are_stale_and_others_are_not() -> None:
    made = artifact((2, 2), b"two\n")
    (found,) = compare(made, {"a": b"one\n2\nthree\n"})
    assert found.current == sha256_hex(b"2\n")
    (same,) = compare(made, {"a": TEXT + b"four\n"})
    assert same.current == same.seen


def test_lines_past_the_end__are_other_bytes() -> None:
    made = artifact((2, 9), b"two\n")
    (found,) = compare(made, {"a": TEXT})
    assert found.current not in (None, found.seen)


def test_unreadable__leaves_it_unknown_and_is_nothing_to_read_again() -> None:
    made = artifact(None, TEXT)
    (found,) = compare(made, {"a": None})
    assert found.current is None


def test_digest__is_that_of_bytes_that_were_read_whatever_the_blob() -> None:
    made = artifact(None, TEXT, blob="b1")
    (unread,) = compare(made, {})
    assert unread.current is None
    (other,) = compare(made, {"a": b"changed"})
    assert other.current == sha256_hex(b"changed")


def test_moved_lines__are_current_and_told_where(symbols: TreeSitterReader) -> None:
    made = artifact((1, 3), TEXT)
    found = compare_sources(made, files_of(made, {"a": b"zero\n" + TEXT}), symbols)
    assert found == Comparison(
        freshness=(FreshnessEntry("a#L1-L3", sha256_hex(TEXT), sha256_hex(TEXT)),),
        notes=("a#L1-L3 stands at L2-L4 now",),
    )
    assert found.again == ()


@pytest.mark.parametrize(
    ("section", "is_current"),
    [(b"one\ntwo\n3\n", True), (b"one\ntwo\n", False), (b"one\n}\n\ntwo\n", False)],
)
def test_lines_of_an_unknown_file__are_known_again_by_three_that_say_something(
    symbols: TreeSitterReader, section: bytes, is_current: bool
) -> None:
    made = artifact((1, section.count(b"\n")), section)
    found = compare_sources(made, files_of(made, {"a": b"0\n" + section}), symbols)
    assert (found.freshness[0].current == found.freshness[0].seen) == is_current
    assert bool(found.again) != is_current


def test_lines_that_stand_twice_elsewhere__are_stale(symbols: TreeSitterReader) -> None:
    made = artifact((2, 4), TEXT)
    found = compare_sources(made, files_of(made, {"a": TEXT + b"2\n" + TEXT}), symbols)
    assert found.notes == ()
    assert [item.lines for item in found.again] == [(2, 4)]


@pytest.mark.parametrize(
    ("data", "lines", "section", "found"),
    [
        (b"a\nb\nc\n", 1, b"c\n", (3, 3)),
        (b"a\nb\nc", 1, b"c", (3, 3)),
        (b"a\nb\nc", 2, b"b\nc", (2, 3)),
        (b"a\nb\nc\n", 3, b"a\nb\nc\n", (1, 3)),
        (b"a\nb\nc\n", 4, b"a\nb\nc\n", None),
        (b"", 1, b"", None),
        (b"a\na\n", 1, b"a\n", None),
        (b"a\r\nb\r\n", 1, b"b\r\n", (2, 2)),
    ],
)
def test_section__is_found_by_its_digest(
    data: bytes, lines: int, section: bytes, found: tuple[int, int] | None
) -> None:
    assert SectionSearch().find(data, lines=lines, sha256=sha256_hex(section)) == found
    if found is not None:
        assert find_copies(data, section, most=2) == [found]


@pytest.mark.parametrize(
    ("data", "section", "found"),
    [
        (b"abc\nab", b"ab", [(2, 2)]),
        (b"ab\nabc\n", b"ab", []),
        (b"xab\nab\n", b"ab\n", [(2, 2)]),
        (b"a\na\na\n", b"a\na\n", [(1, 2), (2, 3)]),
        (b"a\nb\na\n", b"a\n", [(1, 1), (3, 3)]),
        (b"b\na\na\nb\na\na\n", b"a\n", [(2, 2), (3, 3), (5, 5)]),
        (b"\n\n\nx\n\n", b"\n", [(1, 1), (2, 2), (3, 3)]),
        (b"\n\nx\n", b"\n\n", [(1, 2)]),
        (b"x\n", b"", []),
        (b"", b"x\n", []),
        (b"a\nb", b"a\nb", [(1, 2)]),
    ],
)
def test_known_section__is_found_by_its_bytes_at_every_place(
    data: bytes, section: bytes, found: list[tuple[int, int]]
) -> None:
    assert find_copies(data, section, most=3) == found
    assert find_copies(data, section, most=1) == found[:1]


def test_section__is_not_looked_for_beyond_the_bound() -> None:
    data = b"".join(b"%07d\n" % number for number in range(20_000))
    section = data[8 * 6_000 : 8 * 16_000]
    assert len(section) * 10_000 > MAX_HASHED_BYTES
    assert SectionSearch().find(data, lines=10_000, sha256=sha256_hex(section)) is None
    two = SectionSearch((len(data) + 20_000 * PLACE_BYTES) * 2)
    assert two.find(data, lines=1, sha256=sha256_hex(data[:8])) == (1, 1)
    assert two.find(data, lines=1, sha256=sha256_hex(data[8:16])) == (2, 2)
    assert two.find(data, lines=1, sha256=sha256_hex(data[:8])) is None
    less = SectionSearch(len(data) + 20_000 * PLACE_BYTES - 1)
    assert less.find(data, lines=1, sha256=sha256_hex(data[:8])) is None
    small = data[8 * 6_000 : 8 * 6_100]
    assert SectionSearch().find(data, lines=100, sha256=sha256_hex(small)) == (6_001, 6_100)


def test_file_of_short_lines__uses_the_bound_up_and_one_over_it_is_not_looked_into() -> None:
    full = b"\n" * (MAX_HASHED_BYTES // PLACE_BYTES)
    search = SectionSearch()
    asked: dict[str, Any] = {"lines": 3, "sha256": sha256_hex(TEXT)}
    assert search.find(full + b"\n", **asked) is None
    assert search.find(TEXT, **asked) == (1, 3)
    search = SectionSearch()
    assert search.find(full, **asked) is None
    assert search.find(TEXT, **asked) is None


def test_search__is_one_for_all_summaries_that_share_it(symbols: TreeSitterReader) -> None:
    made = artifact((1, 3), TEXT)
    files = files_of(made, {"a": b"zero\n" + TEXT})
    once = SectionSearch(8 * PLACE_BYTES - 1)
    found = [compare_sources(made, files, symbols, None, once).again for _ in range(2)]
    assert [bool(again) for again in found] == [False, True]


FUNCTION = b"def f():\n    return 1\n"


def of_symbol(name: str, seen: bytes) -> Artifact:
    source = ArtifactSource("a.py", None, sha256_hex(seen), None, symbol=name)
    return Artifact(id="s", file="s.md", revision="r1", sources=(source,))


@pytest.mark.parametrize(
    ("now", "state"),
    [
        (FUNCTION, "current"),
        (b"import os\n\n\n" + FUNCTION + b"x = 1\n", "current"),
        (b"class A:\n    pass\n" + FUNCTION.replace(b"1", b"2"), "stale"),
        (b"@cached\n" + FUNCTION, "stale"),
        (b"def g(): pass\n", "lost"),
        (b"def f(:\n    return ) 1\n", "lost"),
        (None, "unread"),
    ],
)
def test_symbol__is_current_as_long_as_its_own_lines(
    symbols: TreeSitterReader, now: bytes | None, state: str
) -> None:
    made = of_symbol("f", FUNCTION)
    found = compare_sources(made, files_of(made, {"a.py": now}), symbols)
    (fresh,) = found.freshness
    assert fresh.source == "a.py#f"
    assert (fresh.current == fresh.seen) == (state == "current")
    assert (fresh.current is None) == (state in ("lost", "unread"))
    assert bool(found.notes) == (state == "lost")
    assert bool(found.again) == (state == "stale")


def followed(made: Artifact, now: bytes, old: bytes | None, path: str | None = None) -> Comparison:
    was = None if old is None else OldFile(old, "r1")
    files = {source.name: SourceFile(now, path=path, old=was) for source in made.sources}
    with TreeSitterReader() as symbols:
        return compare_sources(made, files, symbols)


def test_changed_lines__are_read_again_where_they_stand_and_the_reason_says_so() -> None:
    now = b"zero\none\ntwo, changed\nthree\n"
    (again,) = followed(artifact((2, 3), b"two\nthree\n"), now, TEXT).again
    assert again == Section("a", (3, 4), why="lines 2-3 at r1 stand at 3-4 now")


CONF = b"[prod]\ntimeout = 5\n[dev]\ntimeout = 5\n"


@pytest.mark.parametrize(
    ("now", "again"),
    [
        (CONF.replace(b"5", b"900", 1), (2, 2)),
        (b"# one\n" + CONF.replace(b"5", b"900", 1), (3, 3)),
        (CONF.replace(b"5", b"900", 1) + b"[test]\ntimeout = 5\n", (2, 2)),
        (CONF.replace(b"timeout = 5\n", b"", 1), None),
    ],
)
def test_place__that_the_old_file_had_already_is_no_move(
    now: bytes, again: tuple[int, int] | None
) -> None:
    found = followed(artifact((2, 2), b"timeout = 5\n"), now, CONF)
    assert found.freshness[0].current != found.freshness[0].seen
    assert [item.lines for item in found.again] == ([again] if again else [])
    assert bool(found.lost) == (again is None)


@pytest.mark.parametrize(
    ("now", "place"),
    [
        (b"[prod]\n9\nretries = 3\n[dev]\ntimeout = 5\n", None),
        (b"[prod]\nretries = 3\ntimeout = 900\n[dev]\ntimeout = 5\n", None),
        (b"[prod]\nretries = 3\n[dev]\n[test]\ntimeout = 5\n", None),
        (b"[prod]\nretries = 3\n[dev]\ntimeout = 5\n", "L4-L4"),
        (b"#\n[prod]\ntimeout = 5\nretries = 3\n[dev]\ntimeout = 5\n", "L3-L3"),
    ],
    ids=[
        "another in its place",
        "another beside",
        "below a new one",
        "cut and put there",
        "copied",
    ],
)
def test_short_section__has_moved_only_where_nothing_else_was_written(
    now: bytes, place: str | None
) -> None:
    old = b"[prod]\ntimeout = 5\nretries = 3\n[dev]\n"
    found = followed(artifact((2, 2), b"timeout = 5\n"), now, old)
    is_current = found.freshness[0].current == found.freshness[0].seen
    assert is_current == (place is not None)
    told = (f"a#L2-L2 stands at {place} now",) if place else ()
    assert [note for note in found.notes if "stands at" in note] == [*told]


def test_one_place__that_may_be_a_copy_is_told() -> None:
    old = b"[prod]\ntimeout = 5\nretries = 3\n[dev]\n"
    now = b"[prod]\nretries = 3\ntimeout = 900\n[dev]\ntimeout = 5\n"
    (note,) = followed(artifact((2, 2), b"timeout = 5\n"), now, old).notes
    assert note == "L5-L5 has the bytes of a#L2-L2; whether it is that can't be told"


def test_section__of_which_lines_are_left_in_place_has_not_moved_to_a_copy() -> None:
    block = b"host = a\nport = 1\nt = 5\n"
    old = b"[prod]\n" + block + b"\n[x]\ny = 1\n"
    now = old.replace(b"t = 5", b"t = 900") + b"[dev]\n" + block
    found = followed(artifact((2, 4), block), now, old)
    assert found.freshness[0].current != found.freshness[0].seen
    assert [item.lines for item in found.again] == [(2, 4)]


def test_section__whose_lines_are_paired_in_part_where_it_stands_is_current() -> None:
    old = b"a = 1\n---\n---\nkey = 1\nb = 2\n"
    now = b"a = 1\n---\nkey = 1\nb = 2\n"
    found = followed(artifact((3, 4), b"---\nkey = 1\n"), now, old)
    assert found.notes == ("a#L3-L4 stands at L2-L3 now",)


@pytest.mark.parametrize(("added", "is_current"), [(b"", True), (b"last\n", False)])
def test_section_of_a_file_over_the_bound__has_moved_only_with_all_behind_it(
    added: bytes, is_current: bool
) -> None:
    block = b"host = a\nport = 1\nt = 5\n"
    old = b"x\n" * MAX_LINES + block + b"y\n"
    found = followed(artifact((MAX_LINES + 1, MAX_LINES + 3), block), b"new\n" + old + added, old)
    assert (found.freshness[0].current == found.freshness[0].seen) == is_current


def test_long_section__has_moved_wherever_it_stands_once() -> None:
    old = b"a = 1\nb = 2\nc = 3\nd = 4\n"
    now = b"x\ny\nz\nd = 4\na = 1\nb = 2\nc = 3\n"
    found = followed(artifact((1, 3), b"a = 1\nb = 2\nc = 3\n"), now, old)
    assert found.notes == ("a#L1-L3 stands at L5-L7 now",)


@pytest.mark.parametrize("lines", [(2, 2), (4, 4)])
def test_one_of_equal_lines__is_current_where_it_is_kept(lines: tuple[int, int]) -> None:
    now = b"# one\n" + CONF
    found = followed(artifact(lines, b"timeout = 5\n"), now, CONF)
    place = f"L{lines[0] + 1}-L{lines[0] + 1}"
    assert found.notes == (f"a#L{lines[0]}-L{lines[0]} stands at {place} now",)
    assert found.freshness[0].current == found.freshness[0].seen


def test_one_of_equal_lines__is_not_lost_where_they_stand_and_can_not_be_told_apart() -> None:
    found = followed(artifact((1, 1), b"dup\n"), b"x\nother\ndup\ndup\n", b"dup\ndup\nother\n")
    assert (found.lost, found.again) == ((), ())
    assert found.freshness[0].current != found.freshness[0].seen
    (note,) = found.notes
    assert note == "L3-L3, L4-L4 have the bytes of a#L1-L1; which of them it is can't be told"


def test_changed_lines__of_the_same_numbers_need_no_reason() -> None:
    (again,) = followed(artifact((1, 2), b"one\ntwo\n"), b"one\n2\nthree\n", TEXT).again
    assert again == Section("a", (1, 2))


def test_lines_of_which_nothing_is_left__are_lost_and_nothing_is_read() -> None:
    found = followed(artifact((2, 2), b"two\n"), b"one\nthree\n", TEXT)
    assert found.lost == ("a#L2-L2",)
    assert found.again == ()
    assert found.freshness[0].current != found.freshness[0].seen


@pytest.mark.parametrize("old", [None, b"other\nfile\nthan that\n"])
def test_lines_of_an_unknown_file__are_those_of_the_same_numbers_and_the_row_says_so(
    old: bytes | None,
) -> None:
    (again,) = followed(artifact((2, 2), b"two\n"), b"one\nthree\n", old).again
    assert (again.path, again.lines) == ("a", (2, 2))
    assert again.why is not None
    assert "not at hand" in again.why


def test_renamed_file__is_current_where_the_section_stands_and_stale_where_it_does_not() -> None:
    made = artifact((2, 2), b"two\n")
    same = followed(made, b"zero\n" + TEXT, TEXT, "b")
    assert same.notes == ("a#L2-L2 stands at b#L3-L3 now",)
    assert same.freshness[0].current == same.freshness[0].seen
    (again,) = followed(made, b"one\n2\nthree\n", TEXT, "b").again
    assert (again.path, again.lines) == ("b", (2, 2))


def test_renamed_whole_file__is_told_by_its_new_path() -> None:
    assert followed(artifact(None, TEXT), TEXT, None, "b").notes == ("a stands at b now",)
    (again,) = followed(artifact(None, TEXT), b"x\n", None, "b").again
    assert again == Section("b")

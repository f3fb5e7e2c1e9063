"""Hunks of two texts: they rebuild either text, and they are those that `diff -u` makes."""

from __future__ import annotations

import difflib

from hypothesis import given, settings
from hypothesis import strategies as st

from assembler.compare.lines import TextChange, compare_texts
from assembler.compare.matching import MAX_DISTANCE

TEXTS = st.lists(st.sampled_from("abcd"), max_size=40).map("\n".join)
ENDS = st.sampled_from(["", "\n"])


def side(change: TextChange, mark: str) -> list[str]:
    return [line.text for hunk in change.hunks for line in hunk.lines if line.mark in (" ", mark)]


@settings(max_examples=300, deadline=None)
@given(TEXTS, TEXTS, ENDS, ENDS)
def test_hunks__rebuild_either_text(one: str, other: str, end: str, other_end: str) -> None:
    old, new = one + end, other + other_end
    change = compare_texts(old, new)
    assert bool(change.hunks) == (old != new)
    lines = old.split("\n") if old else []
    rebuilt: list[str] = []
    position = 0
    for hunk in change.hunks:
        start = hunk.old_start - 1 if hunk.old_lines else hunk.old_start
        rebuilt += lines[position:start]
        rebuilt += [line.text for line in hunk.lines if line.mark in (" ", "+")]
        position = start + hunk.old_lines
    tail = lines[position:]
    text = "\n".join([*rebuilt, *(tail if tail and tail[-1] else tail[:-1])])
    assert text.rstrip("\n") == new.rstrip("\n")
    mirror = compare_texts(new, old)
    assert [side(mirror, "+"), side(mirror, "-")] == [side(change, "-"), side(change, "+")]
    assert (mirror.added, mirror.removed) == (change.removed, change.added)


@settings(max_examples=300, deadline=None)
@given(TEXTS, TEXTS)
def test_hunks__have_the_lines_around_them_that_diff_has(one: str, other: str) -> None:
    old, new = f"{one}\n", f"{other}\n"
    said = [
        line
        for line in difflib.unified_diff(old.splitlines(), new.splitlines(), n=3, lineterm="")
        if line.startswith("@@")
    ]
    ours = compare_texts(old, new).hunks
    # Equal ends are taken off first, so that runs can differ; each hunk has at most three around.
    assert bool(said) == bool(ours)
    for hunk in ours:
        marks = "".join(line.mark for line in hunk.lines)
        assert len(marks) - len(marks.lstrip(" ")) <= 3
        assert len(marks) - len(marks.rstrip(" ")) <= 3
        assert " " * 7 not in marks


def test_missing_line_feed__makes_the_last_line_another_one() -> None:
    (hunk,) = compare_texts("a\nb", "a\nb\n").hunks
    assert [line.mark for line in hunk.lines] == [" ", "-", "\\", "+"]


def test_other_breaks__stay_in_their_line() -> None:
    (hunk,) = compare_texts("a\r\n\x0b\u2028b\n", "a\n\x0b\u2028b\n").hunks
    assert [line.text for line in hunk.lines] == ["a\r", "a", "\x0b\u2028b"]


def test_unlike_texts__are_told_as_a_whole() -> None:
    size = MAX_DISTANCE
    old = "".join(f"old {number}\n" for number in range(size))
    new = "".join(f"new {number}\n" for number in range(size))
    change = compare_texts(f"same\n{old}", f"same\n{new}")
    assert (change.removed, change.added) == (size, size)
    assert change.hunks[0].lines[0].text == "same"


def test_nothing__becomes_a_text_and_back() -> None:
    (hunk,) = compare_texts("", "a\n").hunks
    assert (hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines) == (0, 0, 1, 1)
    assert compare_texts("", "").hunks == ()

"""Matches of lines: in order, mirrored, and found in bounded time whatever comes."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assembler.compare.matching import MAX_DISTANCE, Match, match_lines

LINES = st.lists(st.sampled_from("abcdefgh"), max_size=30)


@settings(max_examples=300, deadline=None)
@given(LINES, LINES)
def test_matches__are_equal_lines_in_order_and_end_at_both_ends(
    old: list[str], new: list[str]
) -> None:
    matches = match_lines(old, new)
    before = after = 0
    for match in matches:
        assert match.old >= before
        assert match.new >= after
        before, after = match.old + match.lines, match.new + match.lines
        same = old[match.old : before]
        assert same == new[match.new : after]
        assert len(same) == match.lines
    assert (before, after) == (len(old), len(new))
    if old != new:
        turned = [Match(match.new, match.old, match.lines) for match in match_lines(new, old)]
        assert turned == matches


@pytest.mark.parametrize(("more", "found"), [(0, 2), (1, 0)], ids=["exactly full", "one over"])
def test_way__is_looked_for_up_to_the_distance(more: int, found: int) -> None:
    """No line stands once, so that only a way through the gap tells what is equal."""
    around = MAX_DISTANCE // 4 + more
    old = [*["x"] * around, "m", "m", *["x"] * around]
    new = [*["y"] * around, "m", "m", *["y"] * around]
    assert sum(match.lines for match in match_lines(old, new)) == found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["a", "b"] * 499, ["b", "a", "c", "a"] * 249),
        (["x"] * 999, ["y", *["x", "y"] * 400, *["x"] * 198]),
        (
            [str(line // 2) for line in range(40_000)],
            [str(line // 2) for line in range(40_000, 0, -1)],
        ),
    ],
    ids=["two lines repeated", "one line repeated", "each line twice, turned round"],
)
def test_time__is_bounded_by_the_text_alone(old: list[str], new: list[str]) -> None:
    """A search for the longest common stretch takes ten seconds for the first two."""
    begun = time.monotonic()
    match_lines(old, new)
    assert time.monotonic() - begun < 5

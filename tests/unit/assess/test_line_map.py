from __future__ import annotations

import random

import pytest

from assembler.assess.line_map import MAX_LINES, LineMap, LineMaps, OverBoundError
from assembler.model.symbols import LineRange


def text(*lines: object) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


TEN = text(*range(10))


def shuffled_text(lines: int) -> tuple[bytes, bytes]:
    shuffled = list(range(lines))
    random.Random(1).shuffle(shuffled)
    return text(*range(lines)), text(*shuffled)


@pytest.mark.parametrize(
    ("new", "lines", "found"),
    [
        (TEN, (3, 5), (3, 5)),
        (text("x", "y", *range(10)), (3, 5), (5, 7)),
        (text(*range(2), "x", *range(2, 10)), (3, 5), (4, 6)),
        (text(*range(5), "x", *range(5, 10)), (3, 5), (3, 5)),
        (text(0, 1, 2, "x", 3, 4, 5), (3, 5), (3, 6)),
        (text(0, 1, "x", 3, 4, 5), (3, 5), (3, 5)),
        (text(0, 1, "x", "y", 3, 4, 5), (3, 5), (3, 6)),
        (text(0, 1, 2, 3, "x", "y", 5), (3, 5), (3, 6)),
        (text(0, 1, "x", "y", 4, 5), (4, 5), (4, 5)),
        (text(0, 1, "x", "y", 5, 6), (3, 5), (3, 4)),
        (text(0, 1, 5, 6), (3, 5), None),
        (text("a", "b", 8, 9), (3, 5), None),
        (text(*"abcdefghij"), (3, 5), None),
        (text(*"abcdefghij"), (1, 10), (1, 10)),
        (b"", (1, 10), None),
        (text("new", *range(10)), (1, 3), (1, 4)),
        (text(*range(10), "new"), (9, 10), (9, 11)),
        (text(*range(3, 10)), (1, 3), None),
        (text(*range(7)), (8, 10), None),
    ],
    ids=[
        "same", "added above", "added right before", "added right behind", "added inside",
        "one changed", "first grew", "last grew", "changed evenly over the edge",
        "replaced just so", "deleted", "rewritten together with others", "all rewritten",
        "the whole file rewritten", "emptied", "added at the beginning", "added at the end",
        "first ones deleted", "last ones deleted",
    ],
)  # fmt: skip
def test_lines__stand_where_what_is_left_of_them_stands(
    new: bytes, lines: LineRange, found: LineRange | None
) -> None:
    assert LineMap(TEN, new).find(lines) == found


def test_blank_lines_and_brackets__are_nothing_that_is_left() -> None:
    old = text("def a():", "{", "", "}", "def b():", "{", "", "}")
    new = text("def b():", "{", "", "}")
    assert LineMap(old, new).find((1, 4)) is None
    assert LineMap(old, new).find((5, 8)) == (1, 4)


def test_last_line__may_have_no_line_feed() -> None:
    assert LineMap(b"a\nb", b"x\na\nb").find((2, 2)) == (3, 3)
    assert LineMap(b"a\nb\nc", b"a\nb\nc\n").find((2, 2)) == (2, 2)


def test_files__of_the_most_lines_are_compared_and_one_line_more_is_not() -> None:
    full = text(*range(MAX_LINES))
    assert LineMap(full, text("x") + full[2:]).find((5, 6)) == (5, 6)
    with pytest.raises(OverBoundError):
        LineMap(full, full + b"x\n")


def test_work__is_bounded_for_all_files_together() -> None:
    old, new = shuffled_text(2_000)
    steps = LineMap(old, new).steps
    assert steps > 0
    exact = LineMaps(steps)
    exact.compare(old, new).find((1, 9))
    exact.compare(old, new).find((5, 9))  # is known
    with pytest.raises(OverBoundError):
        exact.compare(old, new + b"x\n").find((1, 9))
    for _ in range(2):
        with pytest.raises(OverBoundError):
            LineMaps(steps - 1).compare(old, new).find((1, 9))


def test_work__that_ended_over_the_bound_is_taken_off_it() -> None:
    large, small = shuffled_text(2_000), shuffled_text(500)
    most = LineMap(*large).steps - 1
    with pytest.raises(OverBoundError) as over:
        LineMap(*large, most_steps=most)
    assert most - over.value.steps < LineMap(*small).steps <= most
    LineMaps(most).compare(*small)
    maps = LineMaps(most)
    for pair in (large, small):
        with pytest.raises(OverBoundError):
            maps.compare(*pair)


def test_file__of_more_lines_than_steps_are_left_costs_nothing() -> None:
    old, new = text(*range(100)), text(*range(100), "x")
    with pytest.raises(OverBoundError) as over:
        LineMap(old, new, most_steps=200)
    assert over.value.steps == 0
    assert LineMap(old, new, most_steps=201 + 1).steps <= 202


def test_map__of_random_edits_keeps_lines_that_nobody_touched() -> None:
    dice = random.Random(7)

    def edit(lines: list[str]) -> list[str]:
        """Some of the lines, and new ones between them."""
        kept = [line for line in lines if dice.random() < 0.7]
        for number in range(dice.randrange(4)):
            kept.insert(dice.randrange(len(kept) + 1), f"new {number}")
        return kept

    for _ in range(300):
        above = [f"line {dice.randrange(12)}" for _ in range(dice.randrange(12))]
        below = [f"line {dice.randrange(12)}" for _ in range(dice.randrange(12))]
        section = [f"only {number}" for number in range(1 + dice.randrange(4))]
        new_above, new_below = edit(above), edit(below)
        lines = (len(above) + 1, len(above) + len(section))
        start = len(new_above) + 1 if above else 1
        end = len(new_above) + len(section) + (0 if below else len(new_below))
        old, new = text(*above, *section, *below), text(*new_above, *section, *new_below)
        assert LineMap(old, new).find(lines) == (start, end)

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assembler.model.lines import _BLOCK_BYTES, _count_feeds, count_lines, join_lines, whole_lines

TEXT = b"one\ntwo\r\nthree\x0cstill three\nfour"


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (1, 1, b"one\n"),
        (2, 3, b"two\r\nthree\x0cstill three\n"),
        (4, 4, b"four"),
        (1, 4, TEXT),
        (4, 5, None),
        (5, 5, None),
    ],
)
def test_whole_lines__are_split_after_lf_only(
    first: int, last: int, expected: bytes | None
) -> None:
    assert whole_lines(TEXT, first, last) == expected


def test_whole_lines__no_bytes_have_no_line() -> None:
    assert whole_lines(b"", 1, 1) is None
    assert count_lines(b"") == 0


@given(st.binary(max_size=60), st.integers(1, 5), st.integers(0, 4))
def test_whole_lines__agree_with_a_list_of_lines(data: bytes, first: int, more: int) -> None:
    lines = [line + b"\n" for line in data.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    if lines[-1] == b"":
        lines.pop()
    assert count_lines(data) == len(lines)
    last = first + more
    expected = b"".join(lines[first - 1 : last]) if last <= len(lines) else None
    assert whole_lines(data, first, last) == expected


def test_lines_of_one_large_text__are_counted_once_for_all_of_them() -> None:
    data = b"".join(b"%07d\n" % number for number in range(1, 4_001))
    _count_feeds.cache_clear()
    for first in range(1, 4_001, 3):
        assert whole_lines(data, first, first) == b"%07d\n" % first
        assert join_lines(data, ((first, first),)) == b"%07d\n" % first
        assert count_lines(data) == 4_000
    assert _count_feeds.cache_info().misses == 1


@pytest.mark.parametrize("over", [-1, 0, 1])
def test_line__that_ends_at_the_edge_of_a_block_is_whole(over: int) -> None:
    first = b"x" * (_BLOCK_BYTES - 1 + over) + b"\n"
    data = first + b"\nlast"
    assert whole_lines(data, 1, 1) == first
    assert whole_lines(data, 2, 3) == b"\nlast"
    assert whole_lines(data, 3, 4) is None
    assert join_lines(data, ((1, 1), (3, 9))) == first + b"last"

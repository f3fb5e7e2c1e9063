from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assembler.model.lines import count_lines, whole_lines

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

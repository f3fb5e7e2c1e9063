from __future__ import annotations

import pytest

from assembler.model.line_ends import has_only_crlf, has_only_lf


@pytest.mark.parametrize(
    ("data", "crlf", "lf"),
    [
        (b"a\r\nb\r\n", True, False),
        (b"a\r\nb", True, False),
        (b"a\nb\n", False, True),
        (b"a\r\nb\n", False, False),
        (b"a\rb\r\n", False, False),
        (b"a\0\r\n", False, False),
        (b"a", False, False),
        (b"", False, False),
    ],
)
def test_line_ends__are_of_one_kind_or_of_none(data: bytes, crlf: bool, lf: bool) -> None:
    assert (has_only_crlf(data), has_only_lf(data)) == (crlf, lf)

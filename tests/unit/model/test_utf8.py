from __future__ import annotations

import pytest

from assembler.model.utf8 import first_bad_byte


@pytest.mark.parametrize("data", [b"", b"plain\n\0", "é\U0001f600".encode(), b"\xef\xbb\xbfa"])
def test_text__has_no_bad_byte(data: bytes) -> None:
    assert first_bad_byte(data) is None


@pytest.mark.parametrize(
    ("data", "offset"),
    [(b"\xff", 0), (b"ab\xff\xff", 2), (b"a\xc3", 1), (b"\xed\xa0\x80", 0), (b"\xc0\x80", 0)],
)
def test_other_bytes__first_bad_one_is_told(data: bytes, offset: int) -> None:
    assert first_bad_byte(data) == offset

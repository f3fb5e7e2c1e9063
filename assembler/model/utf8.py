"""Whether bytes are text."""

from __future__ import annotations


def first_bad_byte(data: bytes) -> int | None:
    """The offset in bytes from which data is not UTF-8; None where all of it is."""
    if data.isascii():
        return None
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return None

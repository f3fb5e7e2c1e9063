"""Line ends that a checkout writes and git does not store.

Pure. A file is taken for such a checkout where each of its line ends is CRLF, and each that git
has of it is LF; NUL or a lone CR make it a file that git's own conversion leaves alone.
"""

from __future__ import annotations

from typing import Final

from assembler.model.digest import git_blob_id

MOST_GROWTH: Final = 4
"""How many times as large as a file the blob may be that is read for its line ends."""
LEAST_LIMIT_BYTES: Final = 4_096


def with_line_feeds(data: bytes) -> bytes:
    """The same text with LF where it has CRLF."""
    return data.replace(b"\r\n", b"\n")


def is_checkout_of(data: bytes, blob_id: str, *, object_format: str) -> bool:
    """Whether the bytes are a blob's, as they are or with the line ends that a checkout writes."""
    if git_blob_id(data, object_format=object_format) == blob_id:
        return True
    plain = with_line_feeds(data)
    return plain != data and git_blob_id(plain, object_format=object_format) == blob_id


def has_only_crlf(data: bytes) -> bool:
    """Whether every line end is CRLF, and nothing says that the file is no text."""
    number = data.count(b"\r\n")
    return 0 < number == data.count(b"\n") == data.count(b"\r") and b"\0" not in data


def has_only_lf(data: bytes) -> bool:
    """Whether every line end is LF, and there is one."""
    return b"\r" not in data and b"\n" in data


def limit_of_blob(data: bytes) -> int:
    """The most bytes of a blob that are read for the line ends of a file."""
    return MOST_GROWTH * len(data) + LEAST_LIMIT_BYTES

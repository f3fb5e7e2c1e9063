"""SHA-256 as the formats write it: 64 lower-case hex digits.

`hashlib` is loaded by the first digest: it brings OpenSSL, and git is started before that.
"""

from __future__ import annotations

import re
from typing import Final

DIGEST_PATTERN: Final = r"[0-9a-f]{64}\Z"


def sha256_hex(data: bytes) -> str:
    """The digest of the bytes."""
    import hashlib

    return hashlib.sha256(data).hexdigest()


def is_digest(text: str) -> bool:
    """Whether the text is spelled as a digest."""
    return re.match(DIGEST_PATTERN, text) is not None


def git_blob_id(data: bytes, *, object_format: str = "sha1") -> str:
    """The id that git gives these bytes as a blob."""
    return git_object_id("blob", data, object_format)


def git_object_id(kind: str, data: bytes, object_format: str) -> str:
    """The id that git gives these bytes (`gitformat-pack`: type, size, NUL, bytes)."""
    import hashlib

    hasher = hashlib.new(object_format, usedforsecurity=False)
    hasher.update(b"%b %d\0" % (kind.encode("ascii"), len(data)))
    hasher.update(data)
    return hasher.hexdigest()

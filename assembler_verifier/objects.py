"""The stored bytes of a package's contents, given out only if they are what their name says."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from assembler_verifier.inventory import Candidate


class BrokenObjectError(Exception):
    """A content is needed whose object is missing or holds other bytes.

    Attributes:
        digest: the content's digest.
    """

    def __init__(self, digest: str) -> None:
        """Keep the digest."""
        super().__init__(digest)
        self.digest = digest


class Objects:
    """Contents by digest. Each is hashed once, on construction."""

    def __init__(self, stored: Mapping[str, bytes]) -> None:
        """Take the files of `objects/`, by name."""
        self._stored = stored
        self.altered = frozenset(
            name for name, data in stored.items() if hashlib.sha256(data).hexdigest() != name
        )
        self.names = frozenset(stored)

    def size(self, digest: str) -> int | None:
        """Length of a stored object, or nothing if there is none."""
        data = self._stored.get(digest)
        return None if data is None else len(data)

    def content(self, candidate: Candidate) -> bytes | None:
        """The bytes of a candidate; nothing if it never had any.

        Raises:
            BrokenObjectError: the inventory names a digest whose bytes are not here.
        """
        digest = candidate.digest
        if digest is None:
            return None
        if digest in self.altered or len(self._stored.get(digest, b"")) != candidate.size_bytes:
            raise BrokenObjectError(digest)
        if digest not in self._stored:
            raise BrokenObjectError(digest)
        return self._stored[digest]

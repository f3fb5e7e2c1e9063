"""Counters by name: code points, bytes, declared, and vocabularies counted offline.

A vocabulary is built from data files whose digest is checked; nothing is downloaded and no
plugin is looked for. Counts are kept by the digest of what was counted, so that the tokenizer
is loaded only for text that was never counted before.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final

from assembler.errors import CounterUnavailableError
from assembler.model.counting import DECLARED
from assembler.ports import Counter


class _Counting(ABC):
    """What counts one text, and so many."""

    @abstractmethod
    def count(self, text: bytes) -> int:
        """The count of one text."""

    def count_all(self, texts: Sequence[bytes]) -> list[int]:
        """The count of each text, in their order."""
        return [self.count(text) for text in texts]


class CodePointCounter(_Counting):
    """Unicode code points; never called tokens."""

    name: Final = "code-points"
    unit: Final = "code-point"
    vocabulary_sha256: Final = None
    library: Final = None

    def count(self, text: bytes) -> int:
        """The number of code points."""
        return len(text.decode("utf-8"))


class ByteCounter(_Counting):
    """Bytes of UTF-8."""

    name: Final = "utf8-bytes"
    unit: Final = "byte"
    vocabulary_sha256: Final = None
    library: Final = None

    def count(self, text: bytes) -> int:
        """The number of bytes."""
        return len(text)


class DeclaredCounter(_Counting):
    """Stands for sizes that were declared; it counts nothing."""

    name: Final = DECLARED
    unit: Final = "declared"
    vocabulary_sha256: Final = None
    library: Final = None

    def count(self, text: bytes) -> int:
        """Never: a declared size is not a measurement."""
        raise RuntimeError("declared sizes are summed, not counted")


def open_plain_counter(name: str) -> Counter:
    """A counter that needs no data.

    Raises:
        CounterUnavailableError: no such counter.
    """
    for counter in (CodePointCounter(), ByteCounter(), DeclaredCounter()):
        if counter.name == name:
            return counter
    raise CounterUnavailableError(
        "counter-unavailable",
        f"the counter {name} is unknown or not at hand",
        detail={"name": name},
        next_step="use o200k_base, cl100k_base, code-points, utf8-bytes or declared",
    )

"""The texts of a sight: each counted once, and looked through for secrets before it is shown."""

from __future__ import annotations

from collections.abc import Iterable

from assembler.adapters.text_scans import scan_secrets
from assembler.model.digest import sha256_hex
from assembler.ports import Counter


class SeenTexts:
    """Texts by digest, each counted once, and looked through for secrets before it is shown."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter
        self._prices: dict[str, int] = {}
        self.counts: dict[str, int] = {}
        self.shown: dict[str, bytes] = {}

    def add_all(self, texts: Iterable[bytes]) -> None:
        """Count several at once, which is cheaper than one by one."""
        fresh = {sha256_hex(text): text for text in texts}
        asked = {digest: fresh[digest] for digest in fresh.keys() - self.counts.keys()}
        counts = self._counter.count_all(list(asked.values()))
        for (digest, text), count in zip(asked.items(), counts, strict=True):
            self.counts[digest] = count
            if not scan_secrets(text):
                self.shown[digest] = text

    def tokens(self, digest: str | None) -> int:
        """How much a text counts; nothing where none is read."""
        return 0 if digest is None else self.counts[digest]

    def price(self, text: bytes) -> int:
        """How much a text counts that is only measured and never shown."""
        digest = sha256_hex(text)
        if digest not in self._prices:
            self._prices[digest] = self._counter.count(text)
        return self._prices[digest]

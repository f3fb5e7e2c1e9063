"""How much a server may send before it is refused, and the count of what it sent.

Pure: no stream, no clock but the one handed in.
"""

from __future__ import annotations

from typing import Final, NamedTuple

IDLE_SECONDS: Final = 60.0
"""While nothing is asked, the limits hold for so long and then begin again."""


class LiveLimits(NamedTuple):
    """Limits of one handshake or listing; the largest real catalog seen has 80 KB in one page."""

    line_bytes: int = 16 << 20
    """One line, event or body."""
    total_bytes: int = 64 << 20
    marks: int = 2_000_000
    """Brackets, colons and commas together: memory grows with their number more than with bytes."""
    messages: int = 10_000
    requests: int = 100
    """Of the server's own; each of them is answered."""
    skipped_lines: int = 1_000
    """Lines that are no message."""
    pages: int = 1_000
    """All listings together."""
    tools: int = 10_000
    """One listing."""
    listings: int = 6
    """How often the list is read while it keeps changing."""


class Meter:
    """Counts what arrived since it was last set to zero."""

    def __init__(self, limits: LiveLimits) -> None:
        self.limits = limits
        self.all_skipped_lines = 0
        """Since the connection began."""
        self._skipped_lines = 0
        self._bytes = 0
        self._marks = 0
        self._messages = 0
        self._requests = 0

    def restart(self) -> None:
        """Begin again, for the next listing."""
        self._skipped_lines = 0
        self._bytes = 0
        self._marks = 0
        self._messages = 0
        self._requests = 0

    def add_bytes(self, count: int) -> str | None:
        """Count bytes: None, or the limit that they break."""
        self._bytes += count
        limit = self.limits.total_bytes
        return f"it sent more than {limit:,} bytes" if self._bytes > limit else None

    def add_marks(self, data: bytes) -> str | None:
        """Count what makes values out of bytes: None, or the limit that it breaks."""
        self._marks += sum(data.count(mark) for mark in b"[{:,")
        limit = self.limits.marks
        return f"it sent more than {limit:,} values" if self._marks > limit else None

    def add_message(self) -> str | None:
        """Count a message: None, or the limit that it breaks."""
        self._messages += 1
        limit = self.limits.messages
        return f"it sent more than {limit:,} messages" if self._messages > limit else None

    def add_request(self) -> str | None:
        """Count a request of the server's: None, or the limit that it breaks."""
        self._requests += 1
        limit = self.limits.requests
        return (
            f"it sent more than {limit:,} requests of its own" if self._requests > limit else None
        )

    def add_skipped_line(self) -> str | None:
        """Count a line that was no message: None, or the limit that it breaks."""
        self._skipped_lines += 1
        self.all_skipped_lines += 1
        limit = self.limits.skipped_lines
        broken = self._skipped_lines > limit
        return f"it sent more than {limit:,} lines that are no message" if broken else None

    def check_line(self, size_bytes: int) -> str | None:
        """None, or the limit that a line, event or body of this size breaks."""
        limit = self.limits.line_bytes
        return f"it sent a message of more than {limit:,} bytes" if size_bytes > limit else None

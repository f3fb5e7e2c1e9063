"""Names and contents that are not text, spelled as text in one way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

MOST_SHOWN: Final = 8
"""Names of one list in a line for a person."""

_SAFE: Final = frozenset(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$&'()*+,-./:;=?@_~"
)


def escape_bytes(data: bytes) -> str:
    r"""Text of any bytes: a backslash is doubled, NUL and stray bytes become `\xHH`."""
    text = data.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")
    # Python writes stray bytes in lower case; what came from the content has two backslashes.
    text = re.sub(
        r"(\\\\)|\\x([0-9a-f]{2})",
        lambda match: match.group(1) or f"\\x{match.group(2).upper()}",
        text,
    )
    return text.replace("\0", "\\x00")


def write_name(text: str) -> str:
    """One spelling for each string: safe ASCII as itself, any other byte `%XX`."""
    return "".join(chr(byte) if byte in _SAFE else f"%{byte:02X}" for byte in text.encode("utf-8"))


def first_few(values: Sequence[object]) -> list[str]:
    """The first values in words, and how many more there are; JSON has them all."""
    shown = [str(value) for value in values[:MOST_SHOWN]]
    more = len(values) - len(shown)
    return [*shown, f"and {more:,} more"] if more else shown

"""Text with the escapes of quoted strings read as what they stand for, line by line.

An issue or a report in JSON has its line ends as two characters: the letter of one would stand at
the beginning of the next word, and hide it from every rule that asks for a word.
"""

from __future__ import annotations

import re
from typing import Final

_BLANK: Final = re.compile(rb"\\[bfnrtv]")
_CODE: Final = re.compile(rb"\\u([0-9a-fA-F]{4})")


def unescape(data: bytes) -> bytes:
    """The bytes without the escapes of strings; lines stay lines.

    Escaped blanks are blanks, a character by its number is that one, other marks are blanks.
    """
    if b"\\" not in data:
        return data
    plain = _CODE.sub(_character, _BLANK.sub(b"  ", data))
    return plain.replace(b"\\", b" ")


def _character(match: re.Match[bytes]) -> bytes:
    point = int(match.group(1), 16)
    if point in (0x0A, 0x0D) or 0xD800 <= point <= 0xDFFF:
        return b" "
    return chr(point).encode("utf-8")

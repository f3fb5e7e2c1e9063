"""Root-relative paths as authors write them, in one spelling."""

from __future__ import annotations

import re
from typing import Final

PINS_FOLDER: Final = ".assembler/pins"
"""Where a repository keeps its pins of tool catalogs."""

_SEPARATOR: Final = re.compile(r"[/\\]")
_ENCODED: Final = re.compile(r"%(2e|2f|5c)", re.IGNORECASE)
_DECODED: Final = {"2e": ".", "2f": "/", "5c": "\\"}
_DRIVE: Final = re.compile(r"[A-Za-z]:")


def normal_path(text: str) -> str | None:
    """The path without `.` and doubled slashes; None where it is none inside the root.

    Absolute paths, `..` in any place, NUL and the empty path are none.
    """
    if not text or text.startswith("/") or "\0" in text:
        return None
    parts = [part for part in text.split("/") if part not in ("", ".")]
    if not parts or ".." in parts:
        return None
    return "/".join(parts)


def is_at_or_below(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies in it; everything lies in the root, `""`."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def leads_out(path: str) -> bool:
    """Whether a path leaves the folder it is relative to, in any spelling of its parts."""
    spelled = _ENCODED.sub(lambda match: _DECODED[match.group(1).lower()], path)
    if spelled == "~" or spelled.startswith(("/", "\\", "~/")) or _DRIVE.match(spelled):
        return True
    depth = 0
    for part in _SEPARATOR.split(spelled):
        depth += -1 if part == ".." else part not in {"", "."}
        if depth < 0:
            return True
    return False

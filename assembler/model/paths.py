"""Root-relative paths as authors write them, in one spelling."""

from __future__ import annotations


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

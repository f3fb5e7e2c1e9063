"""The bytes of a file that is open, and what it means that one can't be opened or read.

Never here: a file read that changed while it was read.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

from assembler.errors import UsageError
from assembler.model.tree import Beginning, Unreadable


def read_descriptor(
    descriptor: int, *, limit_bytes: int, size_bytes: int | None = None
) -> bytes | Unreadable:
    """All bytes of an open regular file, which is closed."""
    try:
        before = os.fstat(descriptor)
        if before.st_size > limit_bytes:
            return Unreadable("size-limit")
        if size_bytes is not None and before.st_size != size_bytes:
            return Unreadable("changed-during-read")
        pieces: list[bytes] = []
        # One byte more than it measures, so that a file that grows is noticed.
        left = before.st_size + 1
        while left > 0 and (piece := os.read(descriptor, min(left, 1 << 20))):
            pieces.append(piece)
            left -= len(piece)
            if left == 1:  # one more read would say what the state of the file says too
                break
        if left != 1 or not _is_same(os.fstat(descriptor), before):
            return Unreadable("changed-during-read")
        return b"".join(pieces)
    except OSError as error:
        return unreadable(error)
    finally:
        os.close(descriptor)


def read_descriptor_beginning(
    descriptor: int, *, most_bytes: int
) -> bytes | Beginning | Unreadable:
    """The bytes of an open regular file, of a larger one the first; it is closed."""
    try:
        before = os.fstat(descriptor)
        if 0 < before.st_size <= most_bytes:
            return read_descriptor(os.dup(descriptor), limit_bytes=most_bytes)
        if before.st_size == 0:
            # Some file systems tell no size; an agent reads to the end.
            return _read_to_end(descriptor, most_bytes=most_bytes)
        pieces: list[bytes] = []
        left = most_bytes
        while left > 0 and (piece := os.read(descriptor, min(left, 1 << 20))):
            pieces.append(piece)
            left -= len(piece)
        if left or not _is_same(os.fstat(descriptor), before):
            return Unreadable("changed-during-read")
        return Beginning(b"".join(pieces), before.st_size)
    except OSError as error:
        return unreadable(error)
    finally:
        os.close(descriptor)


def _read_to_end(descriptor: int, *, most_bytes: int) -> bytes | Unreadable:
    pieces: list[bytes] = []
    left = most_bytes + 1
    while left > 0 and (piece := os.read(descriptor, min(left, 1 << 20))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces) if left else Unreadable("size-limit")


def _is_same(now: os.stat_result, before: os.stat_result) -> bool:
    """Whether nobody wrote into the file.

    One that another file took the name of meanwhile is whole: its links changed, not its bytes.
    """
    if (now.st_size, now.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
        return False
    return now.st_ctime_ns == before.st_ctime_ns or now.st_nlink < before.st_nlink


def error_symbol(error: OSError) -> str:
    """The symbolic errno, such as `EACCES`."""
    return errno.errorcode.get(error.errno or 0, "EIO")


def unreadable(error: OSError) -> Unreadable:
    """Why nothing is read; a link where none was is a change."""
    if error.errno in {errno.ENOENT, errno.ENOTDIR}:
        return Unreadable("missing")
    if error.errno == errno.ELOOP:
        return Unreadable("changed-during-read")
    return Unreadable(error_symbol(error))


def host_error(path: Path, error: OSError) -> UsageError:
    """The same as `path-missing` or `path-unreadable`, for a path that somebody named."""
    if error.errno in {errno.ENOENT, errno.ENOTDIR}:
        return UsageError("path-missing", "no such file", where=str(path))
    return UsageError("path-unreadable", f"can't be read ({error_symbol(error)})", where=str(path))

"""A file of events that is only ever added to, by one writer at a time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from assembler.adapters.open_file import error_symbol
from assembler.errors import UsageError

MAX_LOG_BYTES: Final = 256 * 1024 * 1024
_FLAGS: Final = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC


def append_line(path: Path, make_line: Callable[[bytes], bytes]) -> None:
    """Add one line, made from all that stands there, while nobody else can.

    Args:
        path: of the file; it is made where there is none.
        make_line: the line, from the bytes so far; ends with a line feed.

    Raises:
        UsageError: `path-unwritable`, `size-limit`.
    """
    try:
        with _locked(path) as descriptor:
            size = os.fstat(descriptor).st_size
            if size > MAX_LOG_BYTES:
                raise UsageError(
                    "size-limit", f"larger than {MAX_LOG_BYTES} bytes", where=str(path)
                )
            line = make_line(os.pread(descriptor, size, 0))
            # One write: a line is there as a whole, or the log is cut and says so.
            os.write(descriptor, line)
            os.fsync(descriptor)
    except OSError as error:
        raise UsageError(
            "path-unwritable", f"can't be written ({error_symbol(error)})", where=str(path)
        ) from None


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    descriptor = os.open(path, _FLAGS, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)

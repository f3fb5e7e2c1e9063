"""One writer at a time in a folder, whichever process it is in."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assembler.adapters.open_file import error_symbol
from assembler.errors import UsageError


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Hold the folder; others who hold it this way wait.

    Raises:
        UsageError: `path-unwritable`: it can't be opened or held.
    """
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise _unwritable(folder, error) from None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except OSError as error:
            raise _unwritable(folder, error) from None
        yield
    finally:
        os.close(descriptor)


def _unwritable(folder: Path, error: OSError) -> UsageError:
    return UsageError(
        "path-unwritable", f"can't be held ({error_symbol(error)})", where=str(folder)
    )

"""A package folder: it appears whole, or not at all, and nothing is ever overwritten."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from assembler.errors import UsageError

HEAD_NAME: Final = "head.json"
MAX_SYNCED_FILES: Final = 64
"""So many are brought to the disk one by one; more of them all at once, which waits less."""


def require_free_folder(out: Path) -> None:
    """Refuse a folder that holds something: nothing is ever overwritten.

    Raises:
        UsageError: `out-not-empty`, `out-not-a-folder`, `path-missing` or `out-unwritable`.
    """
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise UsageError("out-not-a-folder", f"{out} is no folder", where=str(out))
    if out.is_dir() and any(out.iterdir()):
        raise UsageError(
            "out-not-empty",
            f"{out} is not empty",
            where=str(out),
            next_step="name a new folder; nothing is overwritten",
        )
    if not out.parent.is_dir():
        raise UsageError("path-missing", f"no such folder: {out.parent}", where=str(out))
    _try_place(out)


def _try_place(out: Path) -> None:
    """Make and remove a folder there: a place that takes none is no reason for a half run."""
    trial = _staging_of(out)
    try:
        trial.mkdir()
        trial.rmdir()
    except FileExistsError:
        return
    except OSError as error:
        raise _unwritable(out, error) from None


def _staging_of(out: Path) -> Path:
    return out.parent / f".{out.name}.{os.getpid()}.partial"


def write_folder(out: Path, files: Mapping[str, bytes]) -> None:
    """Write a package folder as a whole.

    Raises:
        UsageError: `out-unwritable`; nothing is left behind.
    """
    require_free_folder(out)
    staging = _stage(out, files)
    _publish(staging, out)


@contextmanager
def staged_folder(out: Path, files: Mapping[str, bytes]) -> Iterator[Callable[[bytes], None]]:
    """Everything but the head is on disk before the outcome is; the folder appears after.

    Args:
        out: a new or empty folder.
        files: the package's files by name; a head among them is left out.

    Yields:
        What writes the head and lets the folder appear.

    Raises:
        UsageError: `out-unwritable`; nothing is left behind.
    """
    staging = _stage(out, {name: data for name, data in files.items() if name != HEAD_NAME})

    def publish(head: bytes) -> None:
        try:
            _write(staging / HEAD_NAME, head)
        except OSError as error:
            raise _unwritable(out, error) from None
        _publish(staging, out)

    try:
        yield publish
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _stage(out: Path, files: Mapping[str, bytes]) -> Path:
    staging = _staging_of(out)
    try:
        _remove_abandoned(out)
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir()
        if any(name.startswith("objects/") for name in files):
            (staging / "objects").mkdir()
        one_by_one = len(files) <= MAX_SYNCED_FILES
        for name, data in files.items():
            _write(staging / name, data, sync=one_by_one)
        if not one_by_one:
            os.sync()
    except OSError as error:
        shutil.rmtree(staging, ignore_errors=True)
        raise _unwritable(out, error) from None
    return staging


def _remove_abandoned(out: Path) -> None:
    """Clear away what a killed run left of this folder; its number names no process any more."""
    left = re.compile(rf"\.{re.escape(out.name)}\.([1-9][0-9]*)\.partial")
    for entry in [*out.parent.iterdir()]:
        found = left.fullmatch(entry.name)
        if found is not None and not _is_running(int(found[1])):
            shutil.rmtree(entry, ignore_errors=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _write(path: Path, data: bytes, *, sync: bool = True) -> None:
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        if sync:
            os.fsync(file.fileno())


def _publish(staging: Path, out: Path) -> None:
    try:
        # An empty folder of that name gives way; a full one does not.
        staging.rename(out)
    except OSError as error:
        shutil.rmtree(staging, ignore_errors=True)
        raise _unwritable(out, error) from None


def _unwritable(out: Path, error: OSError) -> UsageError:
    return UsageError(
        "out-unwritable",
        f"can't write {out}: {error.strerror or 'input/output error'}",
        where=str(out),
        next_step="free space, or name a folder you can write to",
    )

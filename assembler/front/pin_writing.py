"""Put a pin and its entry of the lock into the worktree: both, or neither.

What is written was planned and shown before; where the file is another one by now, nothing is.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from assembler.adapters.filesystem import (
    create_file_atomically,
    read_host_file,
    write_file_atomically,
)
from assembler.adapters.folder_lock import locked_folder
from assembler.config.defaults import LOCK
from assembler.config.lock import read_lock
from assembler.errors import UsageError
from assembler.front.profiles import MAX_CONFIG_BYTES, read_document
from assembler.model.chain import parent_folder
from assembler.model.paths import PINS_FOLDER
from assembler.record.lock import put_entry


class PinFile(NamedTuple):
    """A pin's file as it is to be."""

    root: Path
    place: str
    """Root-relative."""
    server: str
    catalog: str
    """`sha256:…`."""
    tokens: int
    data: bytes
    replaces: bytes | None
    """What has to stand there before; None: nothing."""


def is_lock_behind(root: Path, server: str, catalog: str) -> bool:
    """Whether there is a lock, and it has not this digest for the server.

    Raises:
        UsageError, ConfigError: the lock is a link, or says nothing usable.
    """
    lock = _read_lock(root)
    if lock is None:
        return False
    return read_lock(lock, path=LOCK, read_document=read_document).catalogs.get(server) != catalog


def write_pin_file(file: PinFile) -> bool:
    """Write the pin, and the lock's entry where there is a lock; whether there is one.

    Raises:
        UsageError: `path-outside` where a folder or the lock is a link, `tool-pin-changed` where
            another file stands there by now, `path-unwritable`.
        ConfigError: the lock says nothing usable.
    """
    folder = _make_folder(file.root)
    with locked_folder(folder):
        _require_as_planned(file)
        lock = _read_lock(file.root)
        if lock is not None:
            read_lock(lock, path=LOCK, read_document=read_document)
            write_file_atomically(file.root / LOCK, put_entry(lock, _entry(file)))
        try:
            if file.replaces is None:
                create_file_atomically(file.root / file.place, file.data)
            elif file.replaces != file.data:
                write_file_atomically(file.root / file.place, file.data)
        except BaseException:
            if lock is not None:
                write_file_atomically(file.root / LOCK, lock)
            raise
    return lock is not None


def replace_lock(root: Path, data: bytes) -> bool:
    """Write a lock file; False where the same stands there already.

    Raises:
        UsageError: `path-outside` where the lock or its folder is a link, `path-unwritable`.
    """
    folder = root / parent_folder(LOCK)
    if folder.is_symlink():
        raise _is_link(LOCK, "make it a file of the repository")
    folder.mkdir(exist_ok=True)
    with locked_folder(folder):
        if _read_lock(root) == data:
            return False
        write_file_atomically(root / LOCK, data)
    return True


def _entry(file: PinFile) -> dict[str, object]:
    return {
        "kind": "catalog",
        "name": file.server,
        "sha256": file.catalog.removeprefix("sha256:"),
        "tokens": file.tokens,
    }


def _make_folder(root: Path) -> Path:
    folder = root
    for name in PINS_FOLDER.split("/"):
        folder /= name
        if folder.is_symlink():
            raise _is_link(str(folder.relative_to(root)), "make it a folder of the repository")
        folder.mkdir(exist_ok=True)
    return folder


def _require_as_planned(file: PinFile) -> None:
    path = file.root / file.place
    stands = None
    if path.is_symlink():
        raise _is_link(file.place, "make it a file of the repository")
    if path.exists():
        limit = max(len(file.replaces or b""), 1)
        try:
            stands = read_host_file(path, limit_bytes=limit)
        except UsageError as error:
            if error.code != "size-limit":
                raise
            stands = b""
    if stands != file.replaces:
        raise UsageError(
            "tool-pin-changed",
            f"{file.place} is another one than a moment ago; nothing was written",
            where=file.place,
            next_step=f"assembler tools check {file.server}",
        )


def _read_lock(root: Path) -> bytes | None:
    """The bytes of the lock; None: there is none."""
    path = root / LOCK
    if path.is_symlink() or (root / parent_folder(LOCK)).is_symlink():
        raise _is_link(LOCK, "make it a file of the repository")
    return read_host_file(path, limit_bytes=MAX_CONFIG_BYTES) if path.exists() else None


def _is_link(place: str, next_step: str) -> UsageError:
    return UsageError(
        "path-outside", f"{place} is a link; nothing was written", where=place, next_step=next_step
    )

"""Read the files of a package folder without following, waiting or reading without end.

In: a path. Out: bytes by name, and findings about entries that do not belong there.
Every entry is judged by `lstat` before it is opened; links and special files never are.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assembler_verifier.report import printable
from assembler_verifier.schema import HEX_DIGEST

if TYPE_CHECKING:
    from pathlib import Path

INVENTORY = "inventory.json"
LEDGER = "ledger.jsonl"
MANIFEST = "manifest.json"
HEAD = "head.json"
REQUEST = "request.json"
RENDERED_TEXT = "input.txt"
RENDERED_JSON = "input.json"
OBJECTS = "objects"

RECORD_FILES = (INVENTORY, LEDGER, MANIFEST, HEAD, REQUEST)
_KNOWN_FILES = frozenset({*RECORD_FILES, RENDERED_TEXT, RENDERED_JSON})

MAX_FILE_BYTES = 64 * 2**20
MAX_OBJECTS_BYTES = 512 * 2**20
MAX_ENTRIES = 100_000
"""Entries of a folder that are looked at; of a package, ours (the format sets no limit)."""


class NoPackageError(Exception):
    """There is nothing to verify.

    Attributes:
        code: a word for programs.
        message: a sentence for readers.
    """

    def __init__(self, code: str, message: str) -> None:
        """Keep both."""
        super().__init__(message)
        self.code = code
        self.message = message


class NoStoreError(NoPackageError):
    """There is no store to verify, or none that this verifier reads."""


@dataclass(frozen=True, slots=True)
class Folder:
    """Bytes by name, all names at the top, and what was wrong with the entries."""

    files: dict[str, bytes]
    objects: dict[str, bytes]
    entries: frozenset[str]
    findings: tuple[str, ...]


def read_folder(directory: Path) -> Folder:
    """Read a package folder.

    Raises:
        NoPackageError: the folder is missing, unreadable or holds no file of a package.
    """
    findings: list[str] = []
    files: dict[str, bytes] = {}
    objects: dict[str, bytes] = {}
    entries = _list_top(directory)
    if not any(entry.name in RECORD_FILES for entry in entries):
        raise NoPackageError("not-a-package", "the folder holds no file of a package")
    for entry in _limited(entries, findings, "the folder"):
        if entry.name == OBJECTS and entry.is_dir(follow_symlinks=False):
            objects = _read_objects(directory / OBJECTS, findings)
        elif entry.name in _KNOWN_FILES:
            _read_into(files, entry, MAX_FILE_BYTES, findings, entry.name)
        else:
            findings.append(_foreign(entry.name))
    names = frozenset(entry.name for entry in entries)
    return Folder(files, objects, names, tuple(findings))


def folder_of(files: Mapping[str, bytes]) -> Folder:
    """A folder as it would be read, from bytes that are at hand already.

    Args:
        files: bytes by path below the folder, `objects/HEX` for an object.

    Returns:
        The same findings as a folder of these files would give.
    """
    top: dict[str, bytes] = {}
    objects: dict[str, bytes] = {}
    findings: list[str] = []
    for path in sorted(files):
        place, _, name = path.rpartition("/")
        if place == OBJECTS and HEX_DIGEST.fullmatch(name):
            objects[name] = files[path]
        elif place == OBJECTS:
            findings.append(_misnamed_object(name))
        elif path in _KNOWN_FILES:
            top[path] = files[path]
        else:
            findings.append(_foreign(path))
    entries = frozenset(path.partition("/")[0] for path in files)
    return Folder(top, objects, entries, tuple(findings))


def _foreign(name: str) -> str:
    return f"{printable(name)} does not belong to a package"


def _misnamed_object(name: str) -> str:
    return f"{printable(name)} in objects/ is not named by a digest"


def _list_top(directory: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as listing:
            return _take(listing)
    except FileNotFoundError:
        raise NoPackageError("no-such-folder", "there is no such folder") from None
    except NotADirectoryError:
        raise NoPackageError("not-a-folder", "this is not a folder") from None
    except (OSError, ValueError):
        raise NoPackageError("unreadable-folder", "the folder cannot be read") from None


def _take(listing: Iterator[os.DirEntry[str]]) -> list[os.DirEntry[str]]:
    taken = [entry for entry, _ in zip(listing, range(MAX_ENTRIES + 1), strict=False)]
    return sorted(taken, key=lambda entry: entry.name)


def _limited(
    entries: list[os.DirEntry[str]], findings: list[str], what: str
) -> list[os.DirEntry[str]]:
    if len(entries) > MAX_ENTRIES:
        findings.append(f"{what} has more than {MAX_ENTRIES} entries")
    return entries[:MAX_ENTRIES]


def _read_objects(folder: Path, findings: list[str]) -> dict[str, bytes]:
    objects: dict[str, bytes] = {}
    try:
        with os.scandir(folder) as listing:
            entries = _take(listing)
    except OSError:
        findings.append("objects/ cannot be read")
        return objects
    left = MAX_OBJECTS_BYTES
    for entry in _limited(entries, findings, "objects/"):
        if HEX_DIGEST.fullmatch(entry.name) is None:
            findings.append(_misnamed_object(entry.name))
            continue
        name = f"objects/{entry.name}"
        _read_into(objects, entry, min(left, MAX_FILE_BYTES), findings, name)
        left -= len(objects.get(entry.name, b""))
    return objects


def _read_into(
    files: dict[str, bytes],
    entry: os.DirEntry[str],
    limit_bytes: int,
    findings: list[str],
    shown: str,
) -> None:
    try:
        if not entry.is_file(follow_symlinks=False):
            findings.append(f"{shown} is not a regular file")
            return
        data = _read_regular(entry.path, limit_bytes)
    except OSError:
        findings.append(f"{shown} cannot be read")
        return
    if data is None:
        findings.append(f"{shown} is not a regular file of at most {limit_bytes} bytes")
        return
    files[entry.name] = data


def _read_regular(path: str, limit_bytes: int) -> bytes | None:
    # The entry may be exchanged after it was looked at, so the open file is looked at again.
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):
        flags |= getattr(os, name, 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > limit_bytes:
            return None
        data = file.read(limit_bytes + 1)
    return data if len(data) <= limit_bytes else None

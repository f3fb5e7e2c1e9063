"""One root folder, held open: what stands at a path below it, and its bytes.

In: root-relative paths, a size limit. Out: entries and bytes.
Never here: a link that the kernel follows, an opened FIFO, socket or device, recursion, a file
read that changed while it was read. One `open` per level; links are resolved here, part by part.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections import OrderedDict
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Final

from assembler.adapters.open_file import (
    error_symbol,
    host_error,
    read_descriptor,
    read_descriptor_beginning,
    unreadable,
)
from assembler.model.tree import Beginning, Entry, EntryKind, Unreadable

MAX_LINKS: Final = 40
"""Links on the way to one path, as the Linux kernel has it (path_resolution(7))."""

MAX_OPEN_FOLDERS: Final = 64
"""Descriptors kept for later look-ups; far below the usual limit of 1,024."""

# O_PATH opens a folder that may be searched and not listed; elsewhere reading is asked for.
_SEARCH: Final = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
_FOLDER: Final = _SEARCH | os.O_NOFOLLOW
_LISTED: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_OF_NAMES: Final = (sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())
"""How the system's names are spelled as text; `os.fsencode` asks what each name is first."""
READ_FLAGS: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


class RootFolder:
    """One root, held open, with the folders that were visited last."""

    def __init__(self, root: Path, *, any_name: bool = False) -> None:
        """Open the root.

        Args:
            root: a folder; links on the way to it are followed.
            any_name: names that are not UTF-8 are told with surrogates, and not as an error.
        """
        self._any_name = any_name
        self._root_parts = os.fsencode(os.path.realpath(root)).split(b"/")
        try:
            descriptor = os.open(root, _SEARCH)
        except OSError as error:
            raise host_error(root, error) from None
        self._root = descriptor
        self._kept: OrderedDict[bytes, int] = OrderedDict()
        # Paths that were met as real folders: a way through one of them starts there. What is
        # opened is opened without following links all the same.
        self._plain: set[bytes] = set()

    def __enter__(self) -> RootFolder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for descriptor in self._kept.values():
            os.close(descriptor)
        self._kept.clear()
        os.close(self._root)

    def look_up(self, path: str) -> Entry:
        """What stands at the path, links followed inside the root."""
        parts = self._split(path)
        if parts is None:
            return Entry(path=path, kind=EntryKind.ERROR, problem="EINVAL")
        found = _Resolution(self, parts, any_name=self._any_name)
        try:
            return found.entry(path)
        except OSError as error:
            return found.failure(path, error)

    def read(
        self, path: str, *, limit_bytes: int, size_bytes: int | None = None
    ) -> bytes | Unreadable:
        """The bytes of a regular file at a path without links.

        Args:
            path: root-relative.
            limit_bytes: a larger file is refused before anything is read.
            size_bytes: what it measured when it was looked at, if that is known.
        """
        descriptor = self._open_file(path)
        if isinstance(descriptor, Unreadable):
            return descriptor
        return read_descriptor(descriptor, limit_bytes=limit_bytes, size_bytes=size_bytes)

    def read_beginning(self, path: str, *, most_bytes: int) -> bytes | Beginning | Unreadable:
        """The bytes of a regular file at a path without links; of a larger one the first.

        Args:
            path: root-relative.
            most_bytes: what is read at most.
        """
        descriptor = self._open_file(path)
        if isinstance(descriptor, Unreadable):
            return descriptor
        return read_descriptor_beginning(descriptor, most_bytes=most_bytes)

    def _split(self, path: str) -> list[bytes] | None:
        return split_path(path, errors="surrogateescape" if self._any_name else "strict")

    def plain_parts(self, parts: Sequence[bytes]) -> int:
        """How many of the first parts are known to be real folders."""
        path = b"/".join(parts)
        count = len(parts)
        while path and path not in self._plain:
            path = path.rpartition(b"/")[0]
            count -= 1
        return count if path else 0

    def note_plain(self, parts: Sequence[bytes]) -> None:
        """Remember a real folder."""
        self._plain.add(b"/".join(parts))

    def _open_file(self, path: str) -> int | Unreadable:
        parts = self._split(path)
        if not parts:
            return Unreadable("not-a-file")
        try:
            parent = self.open_folder(parts[:-1])
            descriptor = _open_regular(parts[-1], parent)
        except OSError as error:
            return unreadable(error)
        return Unreadable("not-a-file") if descriptor is None else descriptor

    def open_folder(self, parts: Sequence[bytes]) -> int:
        """A descriptor of the folder, owned by this object; no part may be a link.

        Raises:
            OSError: ENOENT, ENOTDIR (also for a link), EACCES, ENAMETOOLONG.
        """
        return self.open_path(b"/".join(parts))

    def open_path(self, path: bytes, *, to_list: bool = False) -> int:
        """The same for a path in one piece; empty for the root.

        Args:
            path: root-relative.
            to_list: its names are wanted, which saves `list_names` an opening of its own.

        Raises:
            OSError: as `open_folder`.
        """
        descriptor, missing = self._nearest(path)
        while missing:
            name, _, missing = missing.partition(b"/")
            descriptor = _open_part(name, descriptor, to_list=to_list and not missing)
            self._keep(path[: len(path) - len(missing) - 1] if missing else path, descriptor)
        return descriptor

    def _nearest(self, key: bytes) -> tuple[int, bytes]:
        """The open folder nearest above the key, and the rest of the way."""
        end = len(key)
        while end > 0:
            descriptor = self._kept.get(key[:end])
            if descriptor is not None:
                self._kept.move_to_end(key[:end])
                return descriptor, key[end + 1 :]
            end = key.rfind(b"/", 0, end)
        return self._root, key

    def _keep(self, key: bytes, descriptor: int) -> None:
        self._kept[key] = descriptor
        if len(self._kept) > MAX_OPEN_FOLDERS:
            _, oldest = self._kept.popitem(last=False)
            os.close(oldest)

    def inside(self, target: bytes) -> list[bytes] | None:
        """The parts of an absolute link target below the root, or None if it leads elsewhere."""
        parts = target.split(b"/")
        root = self._root_parts if self._root_parts != [b"", b""] else [b""]
        if parts[: len(root)] != root:
            return None
        return parts[len(root) :]


class _Resolution:
    """The way to one path: which parts are done, which wait, and which came out of a link."""

    def __init__(self, folder: RootFolder, parts: list[bytes], *, any_name: bool) -> None:
        self._folder = folder
        self._any_name = any_name
        known = folder.plain_parts(parts)
        self._done: list[bytes] = parts[:known]
        # Last part first; True: it comes from a link's text, so that its absence is a dead link.
        self._waiting = [(part, False) for part in reversed(parts[known:])]
        self._asked_left = len(parts) - known
        self._from_link = False
        self._links = 0
        self._link_text: str | None = None

    def entry(self, path: str) -> Entry:
        """The entry at the end of the way.

        Raises:
            OSError: on the way; `failure` says what it means.
        """
        status: os.stat_result | None = None
        while self._waiting:
            part, self._from_link = self._waiting.pop()
            self._asked_left -= 0 if self._from_link else 1
            if part in {b"", b"."}:
                if status is not None and not stat.S_ISDIR(status.st_mode):
                    raise OSError(errno.ENOTDIR, "not a folder")
                continue
            if part == b"..":
                if status is not None and not stat.S_ISDIR(status.st_mode):
                    raise OSError(errno.ENOTDIR, "not a folder")
                if not self._done:
                    return self._outside(path)
                self._done.pop()
                status = None
                continue
            parent = self._folder.open_folder(self._done)
            status = os.stat(part, dir_fd=parent, follow_symlinks=False)
            if stat.S_ISLNK(status.st_mode):
                if not self._follow(part, parent):
                    return self._outside(path)
                status = None
                continue
            self._done.append(part)
            if stat.S_ISDIR(status.st_mode):
                self._folder.note_plain(self._done)
        return self._final(path, status)

    def failure(self, path: str, error: OSError) -> Entry:
        """What an error on the way means for the path."""
        kind = EntryKind.ERROR
        if error.errno == errno.ENOENT:
            kind = EntryKind.DANGLING_LINK if self._from_link else EntryKind.MISSING
        problem = error_symbol(error) if kind is EntryKind.ERROR else None
        return Entry(path=path, kind=kind, link_text=self._link_text, problem=problem)

    def _follow(self, part: bytes, parent: int) -> bool:
        """Put the link's parts on the way; False if it leads out of the root."""
        self._links += 1
        if self._links > MAX_LINKS:
            raise OSError(errno.ELOOP, "too many links")
        target = os.readlink(part, dir_fd=parent)
        if self._asked_left == 0 and self._link_text is None:
            self._link_text = target.decode("utf-8", "backslashreplace")
        if target.startswith(b"/"):
            inner = self._folder.inside(target)
            if inner is None:
                return False
            self._done.clear()
        else:
            inner = target.split(b"/")
        self._waiting.extend((name, True) for name in reversed(inner))
        return True

    def _outside(self, path: str) -> Entry:
        return Entry(path=path, kind=EntryKind.OUTSIDE_LINK, link_text=self._link_text)

    def _final(self, path: str, status: os.stat_result | None) -> Entry:
        if status is None:
            status = os.fstat(self._folder.open_folder(self._done))
        try:
            errors = "surrogateescape" if self._any_name else "strict"
            real_path = b"/".join(self._done).decode("utf-8", errors)
        except UnicodeDecodeError:
            return Entry(
                path=path, kind=EntryKind.ERROR, link_text=self._link_text, problem="EILSEQ"
            )
        is_file = stat.S_ISREG(status.st_mode)
        return Entry(
            path=path,
            kind=kind_of(status.st_mode),
            real_path=real_path,
            size_bytes=status.st_size if is_file else None,
            link_text=self._link_text,
            names=status.st_nlink if is_file else 1,
            is_foreign=is_file and status.st_uid != os.geteuid(),
        )


def split_path(path: str, *, errors: str = "strict") -> list[bytes] | None:
    """The parts of a root-relative path, or None if it is not one."""
    try:
        encoded = path.encode("utf-8", errors)
    except UnicodeEncodeError:
        return None
    if not encoded:
        return []
    parts = encoded.split(b"/")
    if b"\0" in encoded or any(part in {b"", b".", b".."} for part in parts):
        return None
    return parts


def is_utf8(name: bytes) -> bool:
    """Whether a name can be told as text."""
    try:
        name.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def list_names(folder: int, *, most_names: int) -> list[bytes]:
    """Names in an open folder, in no order; not more than that many.

    Raises:
        OSError: the folder can't be listed.
    """
    try:
        return _names_of(folder, most_names)
    except OSError as error:
        if error.errno != errno.EBADF:
            raise
    # It was opened to be searched, and not to be read.
    descriptor = os.open(b".", _LISTED, dir_fd=folder)
    try:
        return _names_of(descriptor, most_names)
    finally:
        os.close(descriptor)


def _names_of(descriptor: int, most_names: int) -> list[bytes]:
    with os.scandir(descriptor) as found:
        return [item.name.encode(*_OF_NAMES) for item in islice(found, most_names)]


def _open_part(name: bytes, parent: int, *, to_list: bool) -> int:
    """One folder of a path; one that may not be read is opened to be searched.

    Raises:
        OSError: as `open_folder`.
    """
    if to_list:
        try:
            return os.open(name, _LISTED | os.O_NOFOLLOW, dir_fd=parent)
        except PermissionError:
            pass
    return os.open(name, _FOLDER, dir_fd=parent)


def kind_of(mode: int) -> EntryKind:
    """File, directory or other, of a mode that is no link's."""
    if stat.S_ISREG(mode):
        return EntryKind.FILE
    return EntryKind.DIRECTORY if stat.S_ISDIR(mode) else EntryKind.OTHER


def _open_regular(name: bytes, parent: int) -> int | None:
    """A descriptor of a regular file, or None if it is something else.

    Raises:
        OSError: it can't be opened; ELOOP if it is a link.
    """
    # A device may do things when it is opened, so its kind is asked before and after.
    if not _may_open(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
        return None
    descriptor = os.open(name, READ_FLAGS | os.O_NOFOLLOW, dir_fd=parent)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    return None


def _may_open(mode: int) -> bool:
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)

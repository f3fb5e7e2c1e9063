"""Files below a root, and files that the invoker or the host names.

In: a root folder and root-relative paths, or a path of the host; limits. Out: entries and bytes.
Never here: a link out of the root followed, anything opened but folders and regular files.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from assembler.adapters.open_file import error_symbol, host_error, read_descriptor
from assembler.adapters.root_folder import READ_FLAGS, RootFolder, is_utf8, list_names, split_path
from assembler.errors import UsageError
from assembler.model.tree import Authorized, Beginning, Entry, Listing, Unreadable


def look_up(root: Path, paths: Sequence[str]) -> dict[str, Entry]:
    """What stands at each root-relative path; opens folders only.

    Raises:
        UsageError: `path-missing` or `path-unreadable`, about the root itself.
    """
    with RootFolder(root) as folder:
        return {path: folder.look_up(path) for path in paths}


def names_in(root: Path, folders: Sequence[str], *, most_names: int) -> dict[str, frozenset[str]]:
    """The names in each folder; empty where it can't be listed, or holds more than that.

    Raises:
        UsageError: `path-missing` or `path-unreadable`, about the root itself.
    """
    with RootFolder(root) as folder:
        return {path: frozenset(_names(folder, path, most_names)) for path in folders}


def read_file(root: Path, path: str, *, limit_bytes: int) -> bytes | Unreadable:
    """The bytes of one regular file; no part of the path may be a link.

    Raises:
        UsageError: `path-missing` or `path-unreadable`, about the root itself.
    """
    with RootFolder(root) as folder:
        return folder.read(path, limit_bytes=limit_bytes)


def read_authorized(
    root: Path, files: Iterable[Authorized], *, limit_bytes: int
) -> Mapping[str, bytes | Unreadable]:
    """The bytes of each file at the place where its links led when it was authorized.

    Raises:
        UsageError: `path-missing` or `path-unreadable`, about the root itself.
    """
    contents: dict[str, bytes | Unreadable] = {}
    with RootFolder(root) as folder:
        for file in files:
            entry = file.entry
            place = entry.path if entry.real_path is None else entry.real_path
            contents[entry.path] = folder.read(
                place, limit_bytes=limit_bytes, size_bytes=entry.size_bytes
            )
    return contents


def read_beginnings(
    root: Path, files: Iterable[Authorized], *, most_bytes: int
) -> Mapping[str, bytes | Beginning | Unreadable]:
    """The same; of a file that is larger than `most_bytes` the first ones.

    Raises:
        UsageError: `path-missing` or `path-unreadable`, about the root itself.
    """
    with RootFolder(root) as folder:
        return {
            file.entry.path: folder.read_beginning(
                file.entry.path if file.entry.real_path is None else file.entry.real_path,
                most_bytes=most_bytes,
            )
            for file in files
        }


def list_under(root: Path, folders: Sequence[str], *, max_depth: int, max_entries: int) -> Listing:
    """Files, links and other things below the folders; `.git` is passed over.

    Args:
        root: the folder that all paths start from.
        folders: root-relative; one that is missing adds nothing, one that is a link is listed
            at the place it leads to, under the name asked for.
        max_depth: folders below an asked folder, 0 lists the folder's own files only.
        max_entries: entries in all.

    Raises:
        UsageError: `path-missing` or `path-unreadable`, about the root itself.
    """
    # Most commands look at paths and list nothing.
    from assembler.adapters.folder_walk import FolderWalk

    with RootFolder(root) as folder:
        walk = FolderWalk(folder, max_depth=max_depth, max_entries=max_entries)
        for name in sorted(set(folders)):
            walk.enter(name)
        return walk.listing()


def read_host_file(path: Path, *, limit_bytes: int) -> bytes:
    """The bytes of a file that the invoker or the host names, wherever it is; links followed.

    Raises:
        UsageError: `path-missing`, `path-unreadable` (also for what is no regular file),
            `size-limit`.
    """
    try:
        descriptor = os.open(path, READ_FLAGS)
    except OSError as error:
        raise host_error(path, error) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UsageError("path-unreadable", "not a regular file", where=str(path))
    content = read_descriptor(descriptor, limit_bytes=limit_bytes)
    if isinstance(content, bytes):
        return content
    if content.reason == "size-limit":
        raise UsageError("size-limit", f"larger than {limit_bytes} bytes", where=str(path))
    raise UsageError("path-unreadable", f"can't be read ({content.reason})", where=str(path))


def write_file_atomically(path: Path, data: bytes) -> None:
    """Put the bytes at the path as a whole or not at all; what stood there before is replaced.

    Raises:
        UsageError: `path-missing` (no such folder), `path-unwritable`.
    """
    _write_whole(path, data, lambda temporary: temporary.replace(path))


def create_file_atomically(path: Path, data: bytes) -> None:
    """Put the bytes at the path as a whole or not at all; never over anything that stands there.

    Raises:
        UsageError: `path-exists`, `path-missing` (no such folder), `path-unwritable`.
    """

    def put(temporary: Path) -> None:
        # A rename replaces; a second name for the file fails where there is one.
        os.link(temporary, path)
        temporary.unlink()

    _write_whole(path, data, put)


def _write_whole(path: Path, data: bytes, put: Callable[[Path], object]) -> None:
    temporary = path.parent / f".{path.name[:100]}.{os.urandom(6).hex()}.tmp"
    try:
        descriptor = os.open(
            temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666
        )
        try:
            with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor, no path
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            put(temporary)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        _sync_folder(path.parent)
    except FileExistsError:
        raise UsageError("path-exists", "is there already", where=str(path)) from None
    except OSError as error:
        code = "path-missing" if error.errno == errno.ENOENT else "path-unwritable"
        raise UsageError(
            code, f"can't be written ({error_symbol(error)})", where=str(path)
        ) from None


def _names(folder: RootFolder, path: str, most_names: int) -> list[str]:
    parts = split_path(path)
    try:
        parent = folder.open_folder(parts if parts is not None else [b""])
        names = list_names(parent, most_names=most_names + 1)
    except OSError:
        return []
    # Half of a folder in the order of the disk would be another half on another one.
    if len(names) > most_names:
        return []
    try:
        return b"/".join(names).decode("utf-8").split("/") if names else []
    except UnicodeDecodeError:  # one of them has a name that can't be told
        return [name.decode("utf-8") for name in names if is_utf8(name)]


def _sync_folder(folder: Path) -> None:
    """Make a rename last through a power loss."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

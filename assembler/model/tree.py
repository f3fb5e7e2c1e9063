"""What stands at a path of a repository, and the permission to read it."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple


class EntryKind(StrEnum):
    """What a path is, links followed as long as they stay inside the root."""

    FILE = "file"
    DIRECTORY = "directory"
    OTHER = "other"
    """FIFO, socket, device or submodule: never opened."""
    LINK = "link"
    """In a listing only: a link, not followed; `look_up` says where it leads."""
    MISSING = "missing"
    DANGLING_LINK = "dangling-link"
    OUTSIDE_LINK = "outside-link"
    """A link that leaves the root: never opened."""
    ERROR = "error"
    """Loop, permission, name too long, or a directory that is not one."""


UNMERGED: Final = "UNMERGED"
"""The problem of a path that a merge left in conflict in the index."""


class Entry(NamedTuple):
    """One path of a source tree, looked at and not opened."""

    path: str
    """Root-relative, `/` between its parts, no `.` or `..`."""
    kind: EntryKind
    real_path: str | None = None
    """Where links lead, root-relative; equal to `path` without links; None if not known."""
    size_bytes: int | None = None
    """Of a file."""
    blob_id: str | None = None
    """Of a file that is read from git objects or the index, and in the listing of a worktree of a
    tracked one, which may have other bytes on disk."""
    link_text: str | None = None
    """What the link says, where `path` itself is a link."""
    problem: str | None = None
    """With `ERROR`: the symbolic errno (`ELOOP`, `EACCES`, `ENAMETOOLONG`, `ENOTDIR` …), or
    `UNMERGED`."""
    names: int = 1
    """Names that a file on disk has: more than one, and it can be changed from elsewhere."""
    is_foreign: bool = False
    """A file on disk that belongs to another user."""


class Authorized(NamedTuple):
    """A file that may be read; made by the room `authorize` alone."""

    entry: Entry
    grant: str
    """The rule or the role that allows it."""


class Unreadable(NamedTuple):
    """A file that could not be read, and why; never any of its content.

    `reason`: `missing`, `not-a-file`, `size-limit`, `changed-during-read`, `corrupt-object`,
    or a symbolic errno.
    """

    reason: str


class Beginning(NamedTuple):
    """The first bytes of a file that is larger than what is read of it."""

    data: bytes
    size_bytes: int
    """Of the whole file."""


class Listing(NamedTuple):
    """Files below some folders, sorted by path; links are listed and not followed."""

    entries: tuple[Entry, ...]
    unnamable: tuple[bytes, ...] = ()
    """Paths that are not UTF-8, sorted."""
    truncated: bool = False
    """A bound was reached, so something may be missing."""


class IgnoreRule(NamedTuple):
    """The line of a file by which git ignores a path."""

    file: str
    """`.gitignore` of the root or a folder, `.git/info/exclude`, or `core.excludesFile`."""
    line: int
    pattern: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.pattern}"


class IgnoredFiles(NamedTuple):
    """Files on disk that git ignores, by name alone."""

    paths: tuple[str, ...]
    """Sorted; those that are not UTF-8 are left out."""
    is_cut: bool = False
    """A bound was reached, so something may be missing."""


class NamedPaths(NamedTuple):
    """Where some names stand in a tree: files, links and folders that hold something."""

    paths: frozenset[str]
    """Root-relative, each ending with one of the names."""
    alike: frozenset[str] = frozenset()
    """Files whose name is none of them and looks like one."""
    unnamable: tuple[bytes, ...] = ()
    """Those that are not UTF-8, sorted."""
    truncated: bool = False
    """A bound was reached, so something may be missing."""


class Denied(NamedTuple):
    """A path that may not be read, and the rule that says so; it is never opened."""

    path: str
    rule: str

"""What git's listings say: paths with their modes and object ids, and which paths no tree may hold.

In: the bytes of `ls-tree -z` or `ls-files -z`. Out: plain values.
Never here: a process, a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from assembler.errors import UsageError

TreeEntry: TypeAlias = tuple[str, str]
"""Mode (six octal digits) and object id."""

TreeEntries: TypeAlias = dict[bytes, TreeEntry]

MODE_LINK: Final = "120000"
MODE_SUBMODULE: Final = "160000"
MODE_TREE: Final = "040000"
MODES_OF_FILES: Final = ("100644", "100664", "100755")
"""100664 stands in old repositories."""

_RENAME: Final = re.compile(
    rb":(\d{6}) (\d{6}) [0-9a-f]+ [0-9a-f]+ R(\d{3})\0"
    rb"([^\0]+)\0([^\0]+)\0"
)
_PAIR: Final = re.compile(rb"([0-9a-f]+) [0-9a-f]+[\n\0]")

# What git refuses to write into an index (`verify_path`): empty parts, `.`, `..`, and every
# spelling of `.git` on some file system, with NTFS's trailing dots, spaces and streams.
_HOSTILE: Final = rb"(?:^|/)(?:\.{0,2}|(?:\.[gG][iI][tT]|[gG][iI][tT]~1)[ .]*(?::[^/]*)?)(?:/|\Z)"
# The same over a whole listing, where a path follows a tab and ends with NUL: too much rather
# than too little, so that one quick search tells nearly always that nothing is wrong.
_SUSPICIOUS: Final = rb"[\t/](?:\.{0,2}|(?:\.[gG][iI][tT]|[gG][iI][tT]~1)[ .]*(?::[^/\0]*)?)[/\0]"
# HFS+ ignores these, so that `.g<ZWNJ>it` is `.git` there.
_HFS_IGNORED: Final = "[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]"
_DEBUG: Final = rb"(?:  [a-z]+: [^\n]*\n){4}  size: \d+\tflags: ([0-9a-f]+)\n"
_STAT: Final = (
    rb"  ctime: (\d+):(\d+)\n  mtime: (\d+):(\d+)\n(?:  [a-z]+: [^\n]*\n){2}"
    rb"  size: (\d+)\tflags: ([0-9a-f]+)\n"
)
INTENT_TO_ADD: Final = 1 << 29
"""`CE_INTENT_TO_ADD` of git's index entries."""


class IndexFiles(NamedTuple):
    """The index: what would be committed, and what is in conflict."""

    entries: TreeEntries
    """Stage 0 only."""
    conflicted: tuple[bytes, ...]
    """Paths with other stages, sorted."""


class IndexStat(NamedTuple):
    """What the index has of one path, and what git saw of its file on disk then."""

    mode: str
    blob_id: str
    ctime_ns: int
    """0 where it was not recorded."""
    mtime_ns: int
    size_bytes: int
    """Modulo 2^32, as an index keeps it."""
    flags: int


class WorktreeFiles(NamedTuple):
    """What git names in a worktree: tracked files, there or not, and unignored others."""

    tracked: TreeEntries
    """Paths with the mode and the blob that the index has for them."""
    untracked: tuple[bytes, ...]
    """Sorted; one that ends with `/` is a repository of its own."""
    conflicted: tuple[bytes, ...]

    @property
    def paths(self) -> list[bytes]:
        """All of them, sorted."""
        paths = list(self.tracked)
        if self.untracked or self.conflicted:
            paths.extend(self.untracked)
            paths.extend(self.conflicted)
            paths.sort()
        return paths


def parse_tree(blocks: Iterable[bytes]) -> TreeEntries:
    """The entries of `ls-tree -z`.

    Args:
        blocks: the output in pieces that end behind a NUL.

    Raises:
        UsageError: `hostile-path`.
    """
    entries: TreeEntries = {}
    count = 0
    for block in blocks:
        _refuse_hostile(block)
        for line in block.split(b"\0")[:-1]:
            meta, _, path = line.partition(b"\t")
            entries[path] = (_mode(meta[:6]), meta[meta.rindex(b" ") + 1 :].decode("ascii"))
            count += 1
    if len(entries) != count:
        raise UsageError("hostile-path", "a tree holds two entries of one name")
    return entries


def parse_index(blocks: Iterable[bytes]) -> IndexFiles:
    """The entries of `ls-files -s -z`.

    Raises:
        UsageError: `hostile-path`.
    """
    entries: TreeEntries = {}
    conflicted: set[bytes] = set()
    for block in blocks:
        _refuse_hostile(block)
        for line in block.split(b"\0")[:-1]:
            meta, _, path = line.partition(b"\t")
            if meta.endswith(b" 0"):
                entries[path] = (_mode(meta[:6]), meta[7:-2].decode("ascii"))
            else:
                conflicted.add(path)
    return IndexFiles(entries, tuple(sorted(conflicted)))


def parse_worktree(blocks: Iterable[bytes]) -> WorktreeFiles:
    """The entries of `ls-files -t -s -c -o -z`: a letter tells an index line from a bare path.

    Raises:
        UsageError: `hostile-path`.
    """
    tracked: TreeEntries = {}
    untracked: list[bytes] = []
    conflicted: set[bytes] = set()
    for block in blocks:
        _refuse_hostile(block)
        for line in block.split(b"\0")[:-1]:
            if line.startswith(b"? "):
                untracked.append(line[2:])
                continue
            meta, _, path = line.partition(b"\t")
            if meta.endswith(b" 0"):
                tracked[path] = (_mode(meta[2:8]), meta[9:-2].decode("ascii"))
            else:
                conflicted.add(path)
    return WorktreeFiles(tracked, tuple(sorted(untracked)), tuple(sorted(conflicted)))


def parse_intent_to_add(blocks: Iterable[bytes]) -> set[bytes]:
    """The paths of `ls-files --debug -z` that were announced and not added."""
    announced: set[bytes] = set()
    path, *rest = b"".join(blocks).split(b"\0")
    for piece in rest:
        debug = re.match(_DEBUG, piece)
        if debug is None:
            break
        if int(debug.group(1), 16) & INTENT_TO_ADD:
            announced.add(path)
        path = piece[debug.end() :]
    return announced


def parse_folder(data: bytes, *, id_bytes: int) -> TreeEntries | None:
    """The entries of a tree object by name; None where its bytes are those of no tree.

    Args:
        data: `mode SP name NUL id`, one after the other.
        id_bytes: of an object id, 20 or 32.
    """
    entries: TreeEntries = {}
    position = 0
    while position < len(data):
        space, end = data.find(b" ", position), data.find(b"\0", position)
        mode, name = data[position:space], data[space + 1 : end]
        position = end + 1 + id_bytes
        if not 0 < space < end or position > len(data) or not name or name in entries:
            return None
        entries[name] = (_mode(mode.zfill(6)), data[end + 1 : position].hex())
    return entries


class RenamedFile(NamedTuple):
    """One file that has another name in the second tree."""

    old: bytes
    new: bytes
    similarity: int
    """Percent of lines and bytes that git takes for the same; 100 for the same bytes."""


def parse_renames(data: bytes) -> dict[str, list[RenamedFile]]:
    """What `diff-tree --stdin -r -M -z --diff-filter=R` says, by the id of the first tree."""
    found: dict[str, list[RenamedFile]] = {}
    position, first = 0, ""
    while position < len(data):
        if pair := _PAIR.match(data, position):
            first, position = pair.group(1).decode("ascii"), pair.end()
        elif renamed := _RENAME.match(data, position):
            position = renamed.end()
            before, after, similarity, old, new = renamed.groups()
            if {before.decode("ascii"), after.decode("ascii")} <= set(MODES_OF_FILES):
                found.setdefault(first, []).append(RenamedFile(old, new, int(similarity)))
        else:
            break
    return found


def parse_recorded(blocks: Iterable[bytes]) -> tuple[WorktreeFiles, dict[bytes, IndexStat]]:
    """The entries of `ls-files -t -s --debug -z`, with or without `-o`.

    Returns:
        The names as of `parse_worktree`, and what git recorded of each file that is tracked and
        not in conflict.

    Raises:
        UsageError: `hostile-path`.
    """
    stats: dict[bytes, IndexStat] = {}
    untracked: list[bytes] = []
    conflicted: set[bytes] = set()
    line, *rest = b"".join(blocks).split(b"\0")
    for piece in rest:
        _refuse_hostile(line + b"\0")
        if line.startswith(b"? "):
            untracked.append(line[2:])
            line = piece
            continue
        meta, _, path = line.partition(b"\t")
        found = re.match(_STAT, piece)
        if found is None:
            break
        if meta.endswith(b" 0"):
            changed, changed_ns, seconds, nanoseconds, size, flags = found.groups()
            stats[path] = IndexStat(
                mode=_mode(meta[2:8]),
                blob_id=meta[9:-2].decode("ascii"),
                ctime_ns=int(changed) * 10**9 + int(changed_ns),
                mtime_ns=int(seconds) * 10**9 + int(nanoseconds),
                size_bytes=int(size),
                flags=int(flags, 16),
            )
        else:
            conflicted.add(path)
        line = piece[found.end() :]
    tracked = {path: (entry.mode, entry.blob_id) for path, entry in stats.items()}
    names = WorktreeFiles(tracked, tuple(sorted(untracked)), tuple(sorted(conflicted)))
    return names, stats


def is_hostile(path: bytes) -> bool:
    """Whether git itself would refuse to have the path in an index."""
    if re.search(_HOSTILE, path) or path.startswith(b"/"):
        return True
    if path.isascii():
        return False
    plain = re.sub(_HFS_IGNORED, "", path.decode("utf-8", "replace"))
    return re.search(_HOSTILE, plain.encode()) is not None


@cache
def _mode(digits: bytes) -> str:
    """The mode as text; cached so that all files share a few objects."""
    return digits.decode("ascii")


def _refuse_hostile(block: bytes) -> None:
    """Refuse a listing with a path that would lead elsewhere when used as one.

    Raises:
        UsageError: `hostile-path`, naming the first of them.
    """
    if block.isascii() and not re.search(_SUSPICIOUS, block):
        return
    for line in block.split(b"\0")[:-1]:
        # An untracked repository ends with `/`; its line has no tab where nobody named it so.
        is_untracked = line.startswith(b"? ")
        path = line[2:].removesuffix(b"/") if is_untracked else line.partition(b"\t")[2]
        if is_hostile(path):
            shown = path.decode("utf-8", "backslashreplace")
            raise UsageError("hostile-path", "a path that git itself refuses", where=shown)

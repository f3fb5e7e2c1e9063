"""Reads authorized files of one tree, each once: the tree is asked for many at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from assembler.authorize.read_scope import ReadScope, authorize_policies
from assembler.model.digest import sha256_hex
from assembler.model.limits import MAX_ITEM_BYTES, is_countable
from assembler.model.tree import Authorized, Beginning, Denied, Entry, Unreadable
from assembler.ports import SourceTree

BATCH_BYTES: Final = 32 << 20
"""Held at once of files of which only the digest is wanted."""
UNMEASURED_BYTES: Final = 1 << 20
"""What a file of a commit counts for: git tells no sizes with its names."""

SEARCHED_BYTES: Final = UNMEASURED_BYTES // 8
"""The same where only small files are read."""


class FileDigest(NamedTuple):
    """What is kept of a file that was read for its digest alone."""

    sha256: str
    size_bytes: int


class TextSearch(NamedTuple):
    """A text that is looked for, and the files that may hold it."""

    files: Sequence[Authorized]
    text: bytes


class TextHits(NamedTuple):
    """What a search found."""

    paths: tuple[str, ...]
    unread: int
    """Files that a bound left out, so that no hit is no silence."""


class _RunningSearch:
    """One search on its way through the files."""

    def __init__(self, search: TextSearch, most_bytes: int) -> None:
        self._paths = frozenset(file.entry.path for file in search.files)
        self._text = search.text
        self._left_bytes = most_bytes
        self.found: list[str] = []
        self.unread = 0

    def look(self, path: str, data: bytes | Unreadable) -> bool:
        """Whether a file is one of its own and holds the text."""
        if path not in self._paths:
            return False
        if isinstance(data, Unreadable):
            self.unread += data.reason == "size-limit"
            return False
        if len(data) > self._left_bytes:
            self._left_bytes = 0
            self.unread += 1
            return False
        self._left_bytes -= len(data)
        if self._text not in data:
            return False
        self.found.append(path)
        return True


class FileReader:
    """Reads authorized files of one tree, each once, and remembers what it read."""

    def __init__(
        self, tree: SourceTree, scope: ReadScope, *, instruction_tree: SourceTree | None = None
    ) -> None:
        """Read from a tree.

        Args:
            tree: what everything is read from.
            scope: what stays closed.
            instruction_tree: the same tree with the links out of it that the host allows for
                instruction files.
        """
        self.tree = tree
        self.instruction_tree = tree if instruction_tree is None else instruction_tree
        self.scope = scope
        self.contents: dict[str, bytes] = {}
        """Bytes of each file that was read, by path."""
        self.real_paths: dict[str, str] = {}
        """Where the links of each file's path lead."""
        self._failures: dict[str, Unreadable] = {}
        self._digests: dict[str, str] = {}
        """Of files that were read for their digest: their bytes may not be others later."""

    def read(
        self, files: Iterable[Authorized], *, limit_bytes: int = MAX_ITEM_BYTES
    ) -> Mapping[str, bytes | Unreadable]:
        """The bytes of each file, from memory where they were read before.

        What is over a lower limit than usual may still be read with the usual one.
        """
        asked = list({file.entry.path: file for file in files}.values())
        too_large: dict[str, Unreadable] = {}
        new = [
            file
            for file in asked
            if file.entry.path not in self.contents and file.entry.path not in self._failures
        ]
        for file in new:
            self.real_paths[file.entry.path] = file.entry.real_path or file.entry.path
        for path, found in self.instruction_tree.read(new, limit_bytes=limit_bytes).items():
            if isinstance(found, Unreadable):
                is_kept = found.reason != "size-limit" or limit_bytes == MAX_ITEM_BYTES
                (self._failures if is_kept else too_large)[path] = found
            elif not is_countable(found):
                self._failures[path] = Unreadable("size-limit")
            elif path in self._digests and sha256_hex(found) != self._digests[path]:
                self._failures[path] = Unreadable("changed-during-read")
            else:
                self.contents[path] = found
        known: Mapping[str, bytes | Unreadable] = {**self._failures, **too_large, **self.contents}
        return {file.entry.path: known[file.entry.path] for file in asked}

    def read_policy(
        self, entries: Iterable[Entry], role: str
    ) -> tuple[dict[str, bytes | Unreadable], list[Denied]]:
        """The bytes of policy files, and those that a deny rule keeps closed."""
        allowed, denied = authorize_policies(list(entries), self.scope, role)
        return dict(self.read(allowed)), denied

    def read_beginnings(
        self, entries: Iterable[Entry], role: str, *, limit_bytes: int, most_bytes: int
    ) -> tuple[dict[str, bytes | Beginning | Unreadable], list[Denied]]:
        """The bytes of policy files; of one that can't be read whole the first.

        Args:
            entries: what to read.
            role: what for.
            limit_bytes: of a file that is read whole.
            most_bytes: read of another one.
        """
        allowed, denied = authorize_policies(list(entries), self.scope, role)
        contents: dict[str, bytes | Beginning | Unreadable] = {
            **self.read(allowed, limit_bytes=limit_bytes)
        }
        failed = [file for file in allowed if isinstance(contents[file.entry.path], Unreadable)]
        if failed:
            begun = self.tree.read_beginnings(failed, most_bytes=most_bytes)
            contents.update(
                (path, found) for path, found in begun.items() if isinstance(found, Beginning)
            )
        return contents, denied

    def find_texts(
        self, searches: Sequence[TextSearch], *, limit_bytes: int, most_bytes: int
    ) -> list[TextHits]:
        """Which files hold the text of each search; every file is read once for all of them.

        No bytes are kept: there may be far more of them than are ever asked for.

        Args:
            searches: each with its files in the order in which they are looked into.
            limit_bytes: of a file that is looked into.
            most_bytes: of all files of one search; what comes after that is not looked into.
        """
        running = [_RunningSearch(search, most_bytes) for search in searches]
        files = {file.entry.path: file for search in searches for file in search.files}
        for batch in _batches([files[path] for path in sorted(files)], SEARCHED_BYTES):
            new = [file for file in batch if file.entry.path not in self.contents]
            read = self.instruction_tree.read(new, limit_bytes=limit_bytes) if new else {}
            for path in (file.entry.path for file in batch):
                data = self.contents[path] if path in self.contents else read[path]
                if isinstance(data, bytes) and len(data) > limit_bytes:
                    data = Unreadable("size-limit")
                holding = [search.look(path, data) for search in running]
                if True in holding:
                    assert isinstance(data, bytes)  # it holds a text
                    self._digests[path] = sha256_hex(data)
        return [TextHits(tuple(search.found), search.unread) for search in running]

    def digest(
        self, entries: Iterable[Entry], role: str
    ) -> tuple[dict[str, FileDigest | Unreadable], list[Denied]]:
        """Digest and size of policy files, and those that a deny rule keeps closed.

        No bytes are kept: there may be far more of them than are ever asked for.
        """
        allowed, denied = authorize_policies(list(entries), self.scope, role)
        digests: dict[str, FileDigest | Unreadable] = {}
        for batch in _batches(allowed):
            new = [file for file in batch if file.entry.path not in self.contents]
            read = self.tree.read(new, limit_bytes=MAX_ITEM_BYTES) if new else {}
            for file in batch:
                path = file.entry.path
                data = read[path] if path in read else self.contents[path]
                if isinstance(data, Unreadable):
                    digests[path] = data
                    continue
                digests[path] = digest = _digest_of(data)
                self._digests[path] = digest.sha256
        return digests, denied


def _digest_of(data: bytes) -> FileDigest:
    return FileDigest(sha256_hex(data), len(data))


def _batches(
    files: Iterable[Authorized], unmeasured_bytes: int = UNMEASURED_BYTES
) -> Iterator[list[Authorized]]:
    """The files in parts of at most `BATCH_BYTES`; what nobody measured counts as a large one."""
    batch: list[Authorized] = []
    total = 0
    for file in files:
        size = unmeasured_bytes if file.entry.size_bytes is None else file.entry.size_bytes
        if batch and total + size > BATCH_BYTES:
            yield batch
            batch, total = [], 0
        batch.append(file)
        total += size
    if batch:
        yield batch

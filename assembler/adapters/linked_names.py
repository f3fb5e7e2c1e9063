"""Look paths up in what git knows, links followed inside it: of a listing or of a commit's folders.

In: what stands at a name, and a way to read blobs. Out: entries.
Never here: the file system. Links are blobs whose text is followed inside the tree.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from assembler.adapters.git_listing import MODE_LINK, MODE_SUBMODULE, TreeEntry
from assembler.adapters.root_folder import MAX_LINKS, split_path
from assembler.model.tree import UNMERGED, Entry, EntryKind, Unreadable

MAX_LINK_BYTES: Final = 4_096
"""As long as a path may be (PATH_MAX)."""


FOLDER: Final = "folder"
"""In place of a mode: other names go through this one."""

BlobReader = Callable[[Iterable[str], int], Mapping[str, bytes | Unreadable]]
"""Blobs by id, each of at most so many bytes."""


class _LinkTextNeededError(Exception):
    """A look-up met a link whose blob was not read yet."""

    def __init__(self, blob_id: str) -> None:
        super().__init__(blob_id)
        self.blob_id = blob_id


class LinkedNames(ABC):
    """Names with links among them, and what a path leads to."""

    def __init__(self, read_blobs: BlobReader) -> None:
        self._read_blobs = read_blobs
        self._link_texts: dict[str, bytes | Unreadable] = {}

    @abstractmethod
    def _look(self, name: bytes) -> str:
        """The mode of what stands there, `FOLDER` or `UNMERGED`; empty if nothing does."""

    @abstractmethod
    def _entry(self, name: bytes) -> TreeEntry:
        """Mode and blob of a file or link that stands there."""

    def look_up(self, paths: Sequence[str]) -> dict[str, Entry]:
        """What stands at each path, links followed inside the tree."""
        found: dict[str, Entry] = {}
        pending = list(dict.fromkeys(paths))
        while pending:
            needed: dict[str, list[str]] = {}
            for path in pending:
                try:
                    found[path] = self._resolve(path)
                except _LinkTextNeededError as link:
                    needed.setdefault(link.blob_id, []).append(path)
            self._link_texts.update(self._read_blobs(needed, MAX_LINK_BYTES))
            pending = [path for waiting in needed.values() for path in waiting]
        return {path: found[path] for path in paths}

    def _resolve(self, path: str) -> Entry:
        """One look-up.

        Raises:
            _LinkTextNeededError: a link's blob is needed first.
        """
        parts = split_path(path)
        if parts is None:
            return Entry(path=path, kind=EntryKind.ERROR, problem="EINVAL")
        waiting = [(part, False) for part in reversed(parts)]
        asked_left = len(parts)
        done: list[bytes] = []
        links = 0
        link_text: str | None = None
        while waiting:
            part, from_link = waiting.pop()
            asked_left -= 0 if from_link else 1
            if part in {b"", b"."}:
                continue
            if part == b"..":
                if not done:
                    return Entry(path=path, kind=EntryKind.OUTSIDE_LINK, link_text=link_text)
                done.pop()
                continue
            name = b"/".join([*done, part])
            mode = self._look(name)
            if mode != MODE_LINK:
                done.append(part)
                if not mode or (waiting and mode != FOLDER):
                    return _stopped(path, mode, link_text, from_link=from_link)
                continue
            links += 1
            target = self._link_target(name)
            if target is None or links > MAX_LINKS:
                problem = "ELOOP" if target is not None else "EIO"
                return Entry(path=path, kind=EntryKind.ERROR, problem=problem, link_text=link_text)
            if asked_left == 0 and link_text is None:
                link_text = target.decode("utf-8", "backslashreplace")
            # An absolute target names a place of one machine, and a commit is read on any.
            if target.startswith(b"/"):
                return Entry(path=path, kind=EntryKind.OUTSIDE_LINK, link_text=link_text)
            waiting.extend((inner, True) for inner in reversed(target.split(b"/")))
        return self._found(path, b"/".join(done), link_text)

    def _link_target(self, name: bytes) -> bytes | None:
        """A link's text, or None if it can't be read."""
        blob_id = self._entry(name)[1]
        if blob_id not in self._link_texts:
            raise _LinkTextNeededError(blob_id)
        text = self._link_texts[blob_id]
        return text if isinstance(text, bytes) and text and b"\0" not in text else None

    def _found(self, path: str, name: bytes, link_text: str | None) -> Entry:
        mode = self._look(name)
        try:
            real_path = name.decode("utf-8")
        except UnicodeDecodeError:
            return Entry(path=path, kind=EntryKind.ERROR, problem="EILSEQ", link_text=link_text)
        if mode == UNMERGED:
            return Entry(path=path, kind=EntryKind.ERROR, problem=UNMERGED, link_text=link_text)
        if mode == FOLDER:
            kind, blob_id = EntryKind.DIRECTORY, None
        elif mode == MODE_SUBMODULE:
            kind, blob_id = EntryKind.OTHER, None
        else:
            kind, blob_id = EntryKind.FILE, self._entry(name)[1]
        return Entry(
            path=path, kind=kind, real_path=real_path, blob_id=blob_id, link_text=link_text
        )


def _stopped(path: str, mode: str, link_text: str | None, *, from_link: bool) -> Entry:
    """Where a way ends early: nothing there, or something that holds no paths."""
    if not mode:
        kind = EntryKind.DANGLING_LINK if from_link else EntryKind.MISSING
        return Entry(path=path, kind=kind, link_text=link_text)
    if mode == MODE_SUBMODULE:
        # What a submodule holds is in another repository.
        return Entry(path=path, kind=EntryKind.OTHER, link_text=link_text)
    problem = UNMERGED if mode == UNMERGED else "ENOTDIR"
    return Entry(path=path, kind=EntryKind.ERROR, problem=problem, link_text=link_text)

"""A tree that git has listed (an index or a commit): look-ups and listings by its paths alone.

In: paths with modes and blob ids, and a way to read blobs. Out: entries and listings.
Never here: the file system. Links are blobs whose text is followed inside the listing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from assembler.adapters.git_listing import MODE_LINK, MODE_SUBMODULE, TreeEntries
from assembler.adapters.root_folder import MAX_LINKS, split_path
from assembler.model.tree import Authorized, Entry, EntryKind, Listing, Unreadable

MAX_LINK_BYTES: Final = 4_096
"""As long as a path may be (PATH_MAX)."""

UNMERGED: Final = "UNMERGED"
"""The problem of a path that is in conflict in the index."""

BlobReader = Callable[[Iterable[str], int], Mapping[str, bytes | Unreadable]]
"""Blobs by id, each of at most so many bytes."""


class _LinkTextNeededError(Exception):
    """A look-up met a link whose blob was not read yet."""

    def __init__(self, blob_id: str) -> None:
        super().__init__(blob_id)
        self.blob_id = blob_id


class ListedTree:
    """Files by path; a folder is whatever some path goes through."""

    def __init__(
        self, entries: TreeEntries, read_blobs: BlobReader, *, conflicted: Iterable[bytes] = ()
    ) -> None:
        self._entries = entries
        self._read_blobs = read_blobs
        self._conflicted = frozenset(conflicted)
        self._names = sorted([*entries, *self._conflicted.difference(entries)])
        self._link_texts: dict[str, bytes | Unreadable] = {}

    @property
    def names(self) -> Sequence[bytes]:
        """Every path of the tree, sorted."""
        return self._names

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

    def list_files(self) -> Listing:
        """Every path of the tree."""
        unnamable: list[bytes] = []
        entries: list[Entry] = []
        for name in self._names:
            try:
                path = name.decode("utf-8")
            except UnicodeDecodeError:
                unnamable.append(name)
                continue
            entries.append(self._listed(name, path, path))
        return Listing(entries=_by_path(entries), unnamable=tuple(unnamable))

    def list_paths(self) -> tuple[str, ...]:
        """The paths of `list_files` without the rest of an entry, which costs more."""
        return paths_of(self._names)

    def names_in(self, folders: Sequence[str], *, most_names: int) -> dict[str, frozenset[str]]:
        """The names in each folder; empty where there are more than that."""
        found: dict[str, frozenset[str]] = {}
        for folder in folders:
            names = self._children(folder.encode(), most_names)
            found[folder] = frozenset() if len(names) > most_names else frozenset(paths_of(names))
        return found

    def list_under(self, folders: Sequence[str], *, max_depth: int, max_entries: int) -> Listing:
        """Files below the folders, as a walk of the same tree on disk would list them."""
        entries: dict[str, Entry] = {}
        unnamable: set[bytes] = set()
        truncated = False
        tops = self.look_up(sorted(set(folders)))
        for top in tops.values():
            if top.kind is EntryKind.ERROR:
                entries[top.path] = top
            if top.kind is not EntryKind.DIRECTORY or top.real_path is None:
                continue
            real = top.real_path.encode()
            for name in self._below(real):
                rest = name[len(real) + 1 :] if real else name
                if rest.count(b"/") > max_depth:
                    truncated = True
                    continue
                if len(entries) + len(unnamable) >= max_entries:
                    truncated = True
                    break
                shown = top.path.encode() + b"/" + rest if top.path else rest
                try:
                    path, real_path = shown.decode("utf-8"), name.decode("utf-8")
                except UnicodeDecodeError:
                    unnamable.add(shown)
                    continue
                entries[path] = self._listed(name, path, real_path)
        return Listing(
            entries=_by_path(entries.values()),
            unnamable=tuple(sorted(unnamable)),
            truncated=truncated,
        )

    def read(
        self, files: Iterable[Authorized], *, limit_bytes: int
    ) -> dict[str, bytes | Unreadable]:
        """The blob at the place that each file was authorized for."""
        blob_ids: dict[str, str] = {}
        contents: dict[str, bytes | Unreadable] = {}
        for file in files:
            entry = file.entry
            place = entry.path if entry.real_path is None else entry.real_path
            mode, blob_id = self._entries.get(place.encode(), ("", ""))
            if not mode:
                contents[entry.path] = Unreadable("missing")
            elif mode in {MODE_LINK, MODE_SUBMODULE}:
                contents[entry.path] = Unreadable("not-a-file")
            else:
                blob_ids[entry.path] = blob_id
        blobs = self._read_blobs(set(blob_ids.values()), limit_bytes)
        contents.update((path, blobs[blob_id]) for path, blob_id in blob_ids.items())
        return contents

    def _listed(self, name: bytes, path: str, real_path: str) -> Entry:
        if name in self._conflicted:
            return Entry(path=path, kind=EntryKind.ERROR, problem=UNMERGED)
        mode, blob_id = self._entries[name]
        if mode == MODE_LINK:
            return Entry(path=path, kind=EntryKind.LINK)
        if mode == MODE_SUBMODULE:
            return Entry(path=path, kind=EntryKind.OTHER, real_path=real_path)
        return Entry(path=path, kind=EntryKind.FILE, real_path=real_path, blob_id=blob_id)

    def _is_folder(self, name: bytes) -> bool:
        if not name:
            return True
        prefix = name + b"/"
        place = bisect_left(self._names, prefix)
        return place < len(self._names) and self._names[place].startswith(prefix)

    def _below(self, folder: bytes) -> Sequence[bytes]:
        """The names below a folder, sorted."""
        if not folder:
            return self._names
        first = bisect_left(self._names, folder + b"/")
        last = bisect_left(self._names, folder + b"0")  # the character after `/`
        return self._names[first:last]

    def _children(self, folder: bytes, most_names: int) -> list[bytes]:
        """The names in a folder, those of folders in it too; one more than wanted at most."""
        below = self._below(folder)
        start = len(folder) + 1 if folder else 0
        found: list[bytes] = []
        place = 0
        while place < len(below) and len(found) <= most_names:
            name, slash, _ = below[place][start:].partition(b"/")
            found.append(name)
            if slash:
                # Past all that lies below it: the character after `/`.
                place = bisect_left(below, below[place][:start] + name + b"0", lo=place)
            else:
                place += 1
        return found

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
            mode = self._mode(name)
            if mode != MODE_LINK:
                done.append(part)
                if not mode or (waiting and mode != _FOLDER):
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

    def _mode(self, name: bytes) -> str:
        """The mode of what stands there; empty if nothing does."""
        if name in self._conflicted:
            return UNMERGED
        entry = self._entries.get(name)
        if entry is not None:
            return entry[0]
        return _FOLDER if self._is_folder(name) else ""

    def _link_target(self, name: bytes) -> bytes | None:
        """A link's text, or None if it can't be read."""
        blob_id = self._entries[name][1]
        if blob_id not in self._link_texts:
            raise _LinkTextNeededError(blob_id)
        text = self._link_texts[blob_id]
        return text if isinstance(text, bytes) and text and b"\0" not in text else None

    def _found(self, path: str, name: bytes, link_text: str | None) -> Entry:
        mode = self._mode(name)
        try:
            real_path = name.decode("utf-8")
        except UnicodeDecodeError:
            return Entry(path=path, kind=EntryKind.ERROR, problem="EILSEQ", link_text=link_text)
        if mode == UNMERGED:
            return Entry(path=path, kind=EntryKind.ERROR, problem=UNMERGED, link_text=link_text)
        if mode == _FOLDER:
            kind, blob_id = EntryKind.DIRECTORY, None
        elif mode == MODE_SUBMODULE:
            kind, blob_id = EntryKind.OTHER, None
        else:
            kind, blob_id = EntryKind.FILE, self._entries[name][1]
        return Entry(
            path=path, kind=kind, real_path=real_path, blob_id=blob_id, link_text=link_text
        )


_FOLDER: Final = "folder"


def paths_of(names: Iterable[bytes]) -> tuple[str, ...]:
    """Those of the names that are UTF-8, as sorted text."""
    paths: list[str] = []
    for name in names:
        try:
            paths.append(name.decode("utf-8"))
        except UnicodeDecodeError:
            continue
    return tuple(sorted(paths))


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


def _by_path(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    return tuple(sorted(entries, key=lambda entry: entry.path))

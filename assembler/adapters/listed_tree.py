"""A tree that git has listed (an index or a commit): look-ups and listings by its paths alone.

In: paths with modes and blob ids, and a way to read blobs. Out: entries and listings.
Never here: the file system. Links are blobs whose text is followed inside the listing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from assembler.adapters.git_listing import MODE_LINK, MODE_SUBMODULE, TreeEntries, TreeEntry
from assembler.adapters.linked_names import FOLDER, BlobReader, LinkedNames
from assembler.model.tree import UNMERGED, Authorized, Entry, EntryKind, Listing, Unreadable


class ListedTree(LinkedNames):
    """Files by path; a folder is whatever some path goes through."""

    def __init__(
        self, entries: TreeEntries, read_blobs: BlobReader, *, conflicted: Iterable[bytes] = ()
    ) -> None:
        super().__init__(read_blobs)
        self._entries = entries
        self._conflicted = frozenset(conflicted)
        self._names = sorted([*entries, *self._conflicted.difference(entries)])

    @property
    def names(self) -> Sequence[bytes]:
        """Every path of the tree, sorted."""
        return self._names

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

    def _look(self, name: bytes) -> str:
        """The mode of what stands there; empty if nothing does."""
        if name in self._conflicted:
            return UNMERGED
        entry = self._entries.get(name)
        if entry is not None:
            return entry[0]
        return FOLDER if self._is_folder(name) else ""

    def _entry(self, name: bytes) -> TreeEntry:
        return self._entries[name]


def paths_of(names: Iterable[bytes]) -> tuple[str, ...]:
    """Those of the names that are UTF-8, as sorted text."""
    paths: list[str] = []
    for name in names:
        try:
            paths.append(name.decode("utf-8"))
        except UnicodeDecodeError:
            continue
    return tuple(sorted(paths))


def _by_path(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    return tuple(sorted(entries, key=lambda entry: entry.path))

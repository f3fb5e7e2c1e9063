"""What is listed by its name alone: changed paths, files of folders, names that are no text.

In: listings. Out: `Discovered` pieces that decide nothing and are not opened, and rows of lists
that are empty. Never here: contents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from assembler.discover.evidence import discover_file
from assembler.model.candidate import Absent, Candidate
from assembler.model.digest import sha256_hex
from assembler.model.evidence import ChangedListing, Discovered
from assembler.model.limits import MAX_ID_BYTES, MAX_WORDS_BYTES, bounded_name
from assembler.model.names import escape_bytes
from assembler.model.paths import is_at_or_below
from assembler.model.tree import Entry, EntryKind

MAX_FOLDER_FILES: Final = 50
"""Files of one folder that become rows."""
MAX_FOLDERS: Final = 20
"""Folders of one run whose files are listed."""

_GONE: Final = (EntryKind.MISSING, EntryKind.DIRECTORY)
"""A changed path where a folder stands now is a file that is gone."""


def discover_changed(
    listing: ChangedListing, entries: Mapping[str, Entry], trust: str
) -> list[Discovered]:
    """Each changed path; one that is gone says so."""
    found = []
    for path in listing.paths:
        gone = "; deleted" if entries[path].kind in _GONE else ""
        gone = "; submodule at another commit" if path in listing.submodules else gone
        item = discover_file(path, trust=trust, found_by=f"{listing.describe()}{gone}")
        found.append(item._replace(is_listed=True))
    return found


def changed_not_found(listing: ChangedListing) -> Candidate:
    """The row of a list of changed paths that has none."""
    return _row("changed", listing.describe())


def folders_not_listed(number: int) -> Candidate:
    """The row of the folders that a bound left out."""
    return _row("folders", f"folders: {number:,} more are not listed, limit {MAX_FOLDERS}")


def _row(identifier: str, words: str) -> Candidate:
    return Candidate(
        id=identifier,
        kind="search",
        section="evidence",
        trust="repository",
        content=Absent("unreadable"),
        discovered_by=bounded_name(words, most_bytes=MAX_WORDS_BYTES),
    )


def discover_folder(
    folder: str, files: Iterable[str], trust: str, *, is_deep: bool, what: str, but: Sequence[str]
) -> list[Discovered]:
    """The files of a folder, those directly in it first.

    Args:
        folder: root-relative.
        files: every file that may be listed.
        trust: word of the class of files.
        is_deep: whether files of folders inside it come after them.
        what: whose files these are, in words.
        but: files that are not listed.
    """
    inside = [path for path in files if is_at_or_below(path, folder) and path not in but]
    depth = folder.count("/") + 1 if folder else 0
    if not is_deep:
        inside = [path for path in inside if path.count("/") == depth]
    inside.sort(key=lambda path: (path.count("/"), path))
    shown = inside[:MAX_FOLDER_FILES]
    number = "1 file" if len(shown) == 1 else f"{len(shown)} files"
    more = " and more" if len(inside) > len(shown) else ""
    found_by = f"{what}: {number}{more}, limit {MAX_FOLDER_FILES}"
    return [
        discover_file(path, trust=trust, found_by=found_by)._replace(is_listed=True)
        for path in shown
    ]


def discover_unnamable(path: bytes, found_by: str) -> Candidate:
    """A file whose name is not UTF-8: offered, so that it is on record, and never opened."""
    identifier = f"bytes://{escape_bytes(path)}"
    if len(identifier.encode("utf-8")) > MAX_ID_BYTES:
        identifier = f"bytes://sha256:{sha256_hex(path)}"
    return Candidate(
        id=identifier,
        kind="source",
        section="evidence",
        trust="repository",
        content=Absent("path-not-utf8"),
        discovered_by=found_by,
    )

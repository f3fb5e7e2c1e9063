"""Lists of names: what is changed, what stands in a folder. Rows of metadata, nothing opened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from assembler.authorize.read_scope import authorize_evidence
from assembler.discover.listed import (
    MAX_FOLDER_FILES,
    MAX_FOLDERS,
    changed_not_found,
    discover_changed,
    discover_folder,
    discover_unnamable,
    folders_not_listed,
)
from assembler.model.candidate import Absent, Candidate
from assembler.model.chain import parent_folder
from assembler.model.evidence import Discovered
from assembler.model.paths import is_at_or_below
from assembler.model.run import EvidenceTerms
from assembler.model.tree import Denied, Entry, EntryKind
from assembler.offers.reader import FileReader


class Listed(NamedTuple):
    """Names, and rows of lists without one and of names that are no text."""

    items: tuple[Discovered, ...] = ()
    rows: tuple[Candidate, ...] = ()


def list_names(
    terms: EvidenceTerms,
    targets: Sequence[str],
    entries: Mapping[str, Entry],
    reader: FileReader,
) -> Listed:
    """Changed paths and files of folders, as far as task and profile ask for them.

    Args:
        terms: what is asked.
        targets: root-relative.
        entries: what stands at each target.
        reader: of the tree that evidence is from.
    """
    changed = _list_changed(terms, reader)
    folders = _list_folders(terms, targets, entries, reader)
    rows = {row.id: row for row in (*changed.rows, *folders.rows)}
    return Listed((*changed.items, *folders.items), tuple(rows.values()))


def _list_changed(terms: EvidenceTerms, reader: FileReader) -> Listed:
    listing = terms.changed
    if listing is None:
        return Listed()
    found = discover_changed(listing, reader.tree.look_up(listing.paths), terms.trust["source"])
    rows = [discover_unnamable(path, listing.describe()) for path in listing.unnamable]
    if not found and not rows:
        rows.append(changed_not_found(listing))
    return Listed(tuple(found), tuple(rows))


def _list_folders(
    terms: EvidenceTerms,
    targets: Sequence[str],
    entries: Mapping[str, Entry],
    reader: FileReader,
) -> Listed:
    folders = {
        entry.real_path if entry.real_path is not None else path: ("target's folder", True)
        for path in targets
        if (entry := entries[path]).kind is EntryKind.DIRECTORY
    }
    if terms.lists_siblings:
        for path in targets:
            if entries[path].kind is EntryKind.FILE:
                folders.setdefault(parent_folder(path), ("beside a target", False))
    if not folders:
        return Listed()
    listing = reader.tree.list_files()
    names = [entry.path for entry in listing.entries]
    items: list[Discovered] = []
    rows: list[Candidate] = []
    for folder, (what, is_deep) in list(folders.items())[:MAX_FOLDERS]:
        items += discover_folder(
            folder, names, terms.trust["source"], is_deep=is_deep, what=what, but=targets
        )
        unnamable = [
            path
            for path in listing.unnamable
            if is_at_or_below(path.decode("utf-8", "replace"), folder)
        ]
        rows += [
            discover_unnamable(path, "listing of files") for path in unnamable[:MAX_FOLDER_FILES]
        ]
    if len(folders) > MAX_FOLDERS:
        rows.append(folders_not_listed(len(folders) - MAX_FOLDERS))
    return Listed(tuple(items), tuple(rows))


def name_listed(items: Iterable[Discovered], reader: FileReader) -> list[Candidate]:
    """A row of metadata for each name that nothing else wants: denied, gone or unread."""
    asked = list(items)
    entries = reader.tree.look_up([item.path for item in asked])
    return [_name(item, entries[item.path], reader) for item in asked]


def _name(item: Discovered, entry: Entry, reader: FileReader) -> Candidate:
    permission = authorize_evidence(entry, reader.scope)
    if isinstance(permission, Denied):
        return item.candidate._replace(content=Absent("denied", rule=permission.rule))
    if entry.kind in (EntryKind.MISSING, EntryKind.DIRECTORY):
        return item.candidate._replace(content=Absent("unreadable"))
    return item.candidate

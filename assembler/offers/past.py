"""Files as they were: found by revision or by blob, under the same read grant as now.

In: paths with a revision or a blob id. Out: the old file, or why there is none.
Never here: a fetch, a near name for a revision, a file that a rule keeps closed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from assembler.authorize.read_scope import ReadScope, authorize_evidence
from assembler.model.history import NOT_IN_CLONE
from assembler.model.tree import Authorized, Denied, Entry, EntryKind, Unreadable
from assembler.ports import History

_BLOB_ID: Final = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")


class Wanted(NamedTuple):
    """A file as it was."""

    path: str
    revision: str | None = None
    blob_id: str | None = None
    """Of the whole file; where git has it, it says which file is meant."""


class PastFile(NamedTuple):
    """A file that this clone has."""

    file: Authorized
    commit_id: str | None
    """A commit that has it at its path; None: it is known by its blob alone."""

    @property
    def blob_id(self) -> str:
        """Of the whole file."""
        return str(self.file.entry.blob_id)


class NotAtHand(NamedTuple):
    """Why the old file can't be had."""

    why: str
    """`no-revision`, `submodule`, `no-object` or `no-file`."""


PastAnswer = PastFile | Denied | NotAtHand


def find_past(
    wanted: Iterable[Wanted], history: History, scope: ReadScope
) -> dict[Wanted, PastAnswer]:
    """Each old file, or why there is none.

    Args:
        wanted: what to look for.
        history: the commits of this clone.
        scope: what stays closed, then as now.
    """
    asked = list(dict.fromkeys(wanted))
    commits = history.resolve([item.revision for item in asked if item.revision is not None])
    places = {
        item: (commit, item.path)
        for item in asked
        if item.revision is not None and (commit := commits[item.revision]) is not None
    }
    entries = history.look_up(sorted(set(places.values())))
    blobs = {blob for item in asked if (blob := item.blob_id) and _is_blob_id(blob, history)}
    sizes = history.sizes(sorted(blobs))
    return {
        item: _answer(item, places.get(item), entries, sizes=sizes, scope=scope) for item in asked
    }


def _is_blob_id(text: str, history: History) -> bool:
    digits = 40 if history.object_format == "sha1" else 64
    return len(text) == digits and _BLOB_ID.match(text) is not None


def _answer(
    item: Wanted,
    place: tuple[str, str] | None,
    entries: Mapping[tuple[str, str], Entry],
    *,
    sizes: Mapping[str, int | Unreadable],
    scope: ReadScope,
) -> PastAnswer:
    entry = None if place is None else entries[place]
    commit = None if place is None else place[0]
    is_there = item.blob_id is not None and isinstance(sizes.get(item.blob_id), int)
    if is_there and (entry is None or entry.blob_id != item.blob_id):
        # The name leads to a commit with another file, or to none: the blob says what is meant.
        entry = Entry(item.path, EntryKind.FILE, real_path=item.path, blob_id=item.blob_id)
        commit = None
    if entry is None:
        return NotAtHand("no-revision")
    permission = authorize_evidence(entry, scope)
    if isinstance(permission, Denied):
        return permission
    if entry.kind is EntryKind.FILE:
        return PastFile(permission, commit)
    if entry.kind is EntryKind.OTHER:
        return NotAtHand("submodule")
    return NotAtHand("no-object" if entry.problem == NOT_IN_CLONE else "no-file")

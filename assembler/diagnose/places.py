"""Which file of a repository a row is about, and which folder an instruction applies to.

Read off ids, sources, scopes and cited sources; a row that names no file has no place.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from assembler.diagnose.trace import Item, Trace
from assembler.model.chain import OVERRIDE_NAME, REGULAR_NAME, parent_folder

EVERYWHERE: Final = ""
"""The folder of what applies to the whole run: the user's own file, and the root's."""

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def path_in(text: str | None, prefix: str = "file:") -> str | None:
    """The root-relative path that an id or a source spells; None where it spells none.

    Args:
        text: `file:PATH`, `PATH`, each with `#lines` or `#symbol` or without.
        prefix: what may stand in front of the path.
    """
    path = (text or "").removeprefix(prefix).partition("#")[0]
    is_elsewhere = path.startswith(("/", "~", "./", "../")) or "//" in path
    return None if not path or is_elsewhere or _SCHEME.match(path) else path


def path_of(item: Item) -> str | None:
    """The file that an item shows, whole or in part."""
    if item.kind == "instruction" or item.section == "policy":
        return path_in(item.id, "policy:") or path_in(item.source)
    if item.id.startswith("file:"):
        return path_in(item.id)
    return path_in(item.source or item.id) if item.kind == "source" else None


def is_whole(item: Item) -> bool:
    """Whether an item that shows a file says no lines or symbol of it."""
    return "#" not in item.id and "#" not in (item.source or "") and item.address is None


def instruction_names(trace: Trace) -> frozenset[str]:
    """Names of instruction files: the usual ones, and those that are in as policy."""
    paths = (path_of(item) for item in trace.selected if is_instruction(item))
    return frozenset(
        {OVERRIDE_NAME, REGULAR_NAME, *(path.rpartition("/")[2] for path in paths if path)}
    )


def is_instruction(item: Item) -> bool:
    """Whether an item was offered as policy."""
    return item.kind == "instruction" or item.section == "policy"


def is_named_so(path: str | None, names: Collection[str]) -> bool:
    """Whether a path ends in one of the names."""
    return path is not None and path.rpartition("/")[2] in names


def folder_of_scope(scope: str) -> str:
    """`/`, `.` and `**` are everywhere; else the folder, as `a/b`, `a/b/` and `a/b/**` spell it."""
    folder = re.sub(r"(?:^|/)\*{1,2}$", "", scope.removeprefix("./")).strip("/")
    return EVERYWHERE if folder == "." else folder


def folder_of_instruction(item: Item) -> str | None:
    """Where an instruction applies: its scope, else the folder of its file; None: not told."""
    if item.scope is not None:
        return folder_of_scope(item.scope)
    path = path_of(item)
    return None if path is None or path == "instruction" else parent_folder(path)


class Places:
    """The files and folders that a run is about, each with the row that says so."""

    def __init__(self, trace: Trace, names: Collection[str]) -> None:
        """Take the places of the evidence that is in, and of what was offered to decide.

        Args:
            trace: the run.
            names: of instruction files; such a file is no work by itself.
        """
        self._witnesses: dict[str, Item] = {}
        for item in trace.items:
            if not _speaks_of_work(item) or is_named_so(path_of(item), names):
                continue
            for place in _places_of(item, trace.by_id):
                for folder in _with_parents(place):
                    self._witnesses.setdefault(folder, item)

    def is_empty(self) -> bool:
        """Whether no row names a file or a folder."""
        return not self._witnesses

    def find(self, folder: str) -> Item | None:
        """The first row that is about something in a folder."""
        return self._witnesses.get(folder)


def _speaks_of_work(item: Item) -> bool:
    """What is in, and what could have been and names a decision: the work is where it is."""
    if item.section != "evidence" or is_instruction(item):
        return False
    return item.is_in or (item.is_eligible and item.decides is not None)


def _places_of(item: Item, offered: Mapping[str, Item]) -> Iterator[str]:
    """Its own file and scope, and the files that it was made from."""
    named: list[str | None] = [path_of(item)]
    named += [None if item.scope is None else folder_of_scope(item.scope)]
    named += [path_in(entry.source) for entry in item.freshness]
    named += [path_of(offered[name]) for name in item.lineage if name in offered]
    named += [path_in(name) for name in item.lineage if name.startswith("file:")]
    return (place for place in named if place)


def _with_parents(path: str) -> Iterable[str]:
    """A path, each folder above it, and the root."""
    parts = path.split("/")
    return ["/".join(parts[:length]) for length in range(len(parts), -1, -1)]

"""Find instruction files: one walk from the root to where the agent works.

In: a source tree, rules, the folders where the walk ends. Out: which file of each folder is used,
what it hides, what is passed over, what is never read, what lies below. Metadata only: the tree
is asked a few times, for all folders and names together, and no file is opened.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from assembler.model.chain import (
    FolderFinds,
    InstructionSearch,
    WalkRules,
    folders_down_to,
    is_allowed_outside,
    is_unsafe_hard_link,
    join_path,
    leaves_top,
    parent_folder,
)
from assembler.model.look_alikes import look_alikes
from assembler.model.tree import UNMERGED, Entry, EntryKind

if TYPE_CHECKING:
    from assembler.ports import SourceTree

MAX_FOLDER_NAMES: Final = 20_000
"""Names of a folder among which look-alikes are looked for; of a bigger one none is told."""

_PASSED: Final = frozenset({EntryKind.DIRECTORY, EntryKind.OTHER, EntryKind.DANGLING_LINK})
"""What Codex passes over as if it were not there, and tries the next name."""

_HIDDEN: Final = frozenset({EntryKind.FILE, EntryKind.OUTSIDE_LINK})

_NO_MARKER: Final = frozenset({EntryKind.MISSING, EntryKind.DANGLING_LINK, EntryKind.ERROR})


def find_instructions(
    tree: SourceTree,
    ends: Sequence[str],
    *,
    rules: WalkRules,
    targets: Sequence[str] = (),
    top: str = "",
    listed: Collection[str] | None = None,
) -> InstructionSearch:
    """Walk from `top` down to each end and say what stands in each folder.

    Args:
        tree: the root of it is the root of the repository, or of the file system.
        ends: where the walk ends; of a path that is no folder its parent. Several ends give the
            union of their walks.
        rules: names and their order.
        targets: paths whose own instructions are reported too where the walk does not reach them.
        top: where the walk starts, root-relative; an end that is not below it is walked alone.
        listed: the paths of a listing, where there is one: then names of other agents are looked
            at only if it has them, which is cheaper for many folders.

    Returns:
        Folders root first, parents before children, each once.
    """
    asked = [*ends, *targets]
    maybe = _folders(asked, top)
    paths = [join_path(folder, name) for folder in maybe for name in rules.names]
    others = [join_path(folder, name) for folder in maybe for name in rules.off_names]
    if listed is not None:
        others = [path for path in others if path in listed]
    entries = dict(tree.look_up(list(dict.fromkeys((*maybe, *paths, *others)))))
    alike = _look_alikes(tree, maybe, entries, rules)
    if any(alike.values()):
        entries.update(tree.look_up([path for found in alike.values() for path in found]))

    def end_folder(path: str) -> str:
        # What a merge left in conflict is a file, also where nobody can say what is in it.
        is_file = not _is_folder(entries[path]) or entries[path].problem == UNMERGED
        return parent_folder(path) if is_file else path

    walked = _folders((end_folder(path) for path in ends), top)
    wanted = _folders((end_folder(path) for path in targets), top)
    below = [folder for folder in wanted if folder not in set(walked)]
    return InstructionSearch(
        top=top,
        folders=tuple(_finds(folder, rules, entries, alike) for folder in walked),
        below=tuple(_finds(folder, rules, entries, alike) for folder in below),
    )


def files_to_read(search: InstructionSearch, rules: WalkRules) -> tuple[Entry, ...]:
    """The files whose bytes the chain needs, root first; never one outside the root.

    Those that only apply to a target come last.
    """
    used = (finds.used for finds in (*search.folders, *search.below))
    return tuple(
        entry
        for entry in used
        if entry is not None
        and entry.kind is EntryKind.FILE
        and (
            rules.outside_links == "followed"
            or (
                (is_allowed_outside(entry) or not leaves_top(entry, search.top))
                and not is_unsafe_hard_link(entry)
            )
        )
    )


def find_marker_root(tree: SourceTree, start: str, markers: Sequence[str]) -> str | None:
    """The nearest folder at or above `start` where a marker exists; None if there is none.

    A marker is joined to the folder as it is, so `a/b` and `../x` work and a pattern does not;
    an absolute one is meant from the root of the tree, and an empty one is the folder itself.
    """
    places = {
        folder: [marker_place(folder, marker) for marker in markers]
        for folder in reversed(folders_down_to(start))
    }
    entries = tree.look_up([place for found in places.values() for place in found])
    for folder, found in places.items():
        if any(entries[place].kind not in _NO_MARKER for place in found):
            return folder
    return None


def _folders(paths: Iterable[str], top: str) -> tuple[str, ...]:
    """All folders down to the paths, each after its parents, neighbours together."""
    found = {folder for path in paths for folder in folders_down_to(path, top=top)}
    return tuple(sorted(found, key=lambda folder: folder.split("/") if folder else []))


def _is_folder(entry: Entry) -> bool:
    """A path that can't be looked at counts as a folder, so that its trouble is told.

    A link that leads in a circle is a broken file: its folder is what applies to it.
    """
    return entry.kind is EntryKind.DIRECTORY or (
        entry.kind is EntryKind.ERROR and entry.problem != "ENOTDIR" and entry.link_text is None
    )


def _look_alikes(
    tree: SourceTree, folders: Iterable[str], entries: Mapping[str, Entry], rules: WalkRules
) -> dict[str, tuple[str, ...]]:
    """Paths by folder whose names look like a read one."""
    real_paths = {
        folder: entries[folder].real_path or folder
        for folder in folders
        if entries[folder].kind is EntryKind.DIRECTORY
        and not (entries[folder].real_path or "").startswith("/")
    }
    names = tree.names_in(sorted(set(real_paths.values())), most_names=MAX_FOLDER_NAMES)
    return {
        folder: tuple(join_path(folder, name) for name in look_alikes(names[real], rules.names))
        for folder, real in real_paths.items()
    }


def _finds(
    folder: str,
    rules: WalkRules,
    entries: Mapping[str, Entry],
    alike: Mapping[str, tuple[str, ...]],
) -> FolderFinds:
    """Apply the order of names to what stands in the folder."""
    itself = entries[folder]
    if not _is_folder(itself):
        # A folder behind a link out of the root may hold instructions that nobody will see.
        outside = itself.kind is EntryKind.OUTSIDE_LINK
        return FolderFinds(folder, used=itself if outside else None)
    if itself.kind is EntryKind.ERROR:
        return FolderFinds(folder, used=itself)
    passed: list[Entry] = []
    hidden: list[Entry] = []
    used: Entry | None = None
    for name in rules.names:
        entry = entries[join_path(folder, name)]
        if used is not None:
            if entry.kind in _HIDDEN:
                hidden.append(entry)
        elif entry.kind in _PASSED:
            passed.append(entry)
        elif entry.kind is not EntryKind.MISSING:
            used = entry
    return FolderFinds(
        folder,
        passed=tuple(passed),
        used=used,
        hidden=tuple(hidden),
        off=_off(folder, rules, entries, alike.get(folder, ())),
    )


def _off(
    folder: str, rules: WalkRules, entries: Mapping[str, Entry], alike: Sequence[str]
) -> tuple[Entry, ...]:
    others = (join_path(folder, name) for name in rules.off_names if name not in rules.names)
    found = (entries.get(path) for path in (*alike, *others))
    return tuple(entry for entry in found if entry is not None and entry.kind in _HIDDEN)


def marker_place(folder: str, marker: str) -> str:
    """Where a marker would stand below the top, `.` and `..` resolved by their letters."""
    if marker.startswith("/"):
        folder = ""
    parts: list[str] = []
    for part in join_path(folder, marker).split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)

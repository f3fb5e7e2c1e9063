"""Every instruction chain of a repository, at one place in time.

A folder that is a repository of its own, or that git ignores as a whole, is not looked into.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from assembler.adapters.repository import MARKER, find_repository
from assembler.assess.chain import with_findings
from assembler.assess.surroundings import with_surroundings
from assembler.errors import UsageError
from assembler.front.opening import OpenRepository, chain_names, open_repository
from assembler.front.places import Workplace
from assembler.front.revisions import Versions
from assembler.front.secret_findings import find_in_instructions
from assembler.front.surroundings import look_around_each
from assembler.model.chain import Chain, WalkRules, folders_down_to, join_path, parent_folder
from assembler.model.look_alikes import right_name
from assembler.model.tree import NamedPaths
from assembler.offers.chains import read_chains


class ChainsFound(NamedTuple):
    """The chains of a repository, and what could not be looked at."""

    by_folder: Mapping[str, Chain]
    """Of each folder with instruction files, parents before children."""
    bare: Mapping[str, Chain]
    """Of the root, and of folders asked for by name, where they have none."""
    start: Literal["root", "folder"]
    """Where a walk starts; without a repository each folder is a root of its own."""
    unnamable: tuple[bytes, ...]
    """Instruction files on a path that is not UTF-8."""
    truncated: bool
    """The plain folder holds more than is listed."""


class ChainsReport(NamedTuple):
    """The chains, and how much the texts of each count."""

    found: ChainsFound
    tokens: Mapping[str, Mapping[str, int]]
    """Of the loaded text of each file, by folder and path."""
    at: str
    revision: str | None
    rules: WalkRules
    profile: str
    counter: str


def find_chains(
    repository: OpenRepository, *, named: Sequence[str] = (), listed: NamedPaths | None = None
) -> ChainsFound:
    """The chains of all folders that have instruction files.

    Args:
        repository: as opened.
        named: folders to look at besides, whatever a listing says of them; in this repository.
        listed: where the `chain_names`, and maybe others, stand; None: they are looked for.
    """
    tree, rules = repository.tree, repository.rules
    found = tree.list_named(chain_names(rules)) if listed is None else listed
    names = frozenset(rules.names)
    files = [path for path in found.paths if path.rpartition("/")[2] in names]
    asked = {parent_folder(path) for path in files}
    start = _start(repository.workplace)
    versions = Versions(tree, repository.git, repository.reader)
    if tree.at == "worktree":
        versions.begin(files)
    chains = read_chains(
        repository.reader,
        rules,
        folders=_own_folders(repository, asked),
        named=("", *named, *_folders_of_look_alikes(repository, found, rules)),
        start=start,
        listed=None if found.truncated else _maybe_there(found.paths, rules, named),
        find_untracked=versions.find_untracked if tree.at == "worktree" else None,
    )
    around = look_around_each(
        repository.workplace,
        tree.at,
        repository.environment,
        rules,
        (*chains.by_folder, *chains.bare),
    )

    # A file stands in the chains of all folders below it, and is looked into once.
    texts = {
        path: text
        for chain in (*chains.bare.values(), *chains.by_folder.values())
        for path, text in chain.texts.items()
    }
    secrets = find_in_instructions(texts)

    def finish(found: Mapping[str, Chain]) -> dict[str, Chain]:
        return {
            folder: with_findings(
                with_surroundings(chain, around[folder]),
                (finding for finding in secrets if finding.path in chain.texts),
            )
            if secrets
            else with_surroundings(chain, around[folder])
            for folder, chain in found.items()
        }

    return ChainsFound(
        by_folder=finish(chains.by_folder),
        bare=finish(chains.bare),
        start=start,
        unnamable=tuple(path for path in found.unnamable if _last_part(path) in names),
        truncated=found.truncated,
    )


def _folders_of_look_alikes(
    repository: OpenRepository, found: NamedPaths, rules: WalkRules
) -> list[str]:
    """Folders with a name that only looks right, where no other may have been meant.

    `agents.md` and `Agents.md` are most often pages of documentation (public repositories), so
    that one alone makes no folder worth telling.
    """
    wanted = set()
    for path in found.alike:
        folder, _, name = path.rpartition("/")
        is_page = name.isascii() and not name.partition(".")[0].isupper()
        if not is_page and right_name(name, rules.names) is not None:
            wanted.add(folder)
    return _own_folders(repository, wanted)


def _start(workplace: Workplace) -> Literal["root", "folder"]:
    """A marker that leads to no repository still ends the walk upwards, as it does for git."""
    has_root = workplace.is_repository or find_repository(workplace.root) is not None
    return "root" if has_root else "folder"


def list_chains(
    cwd: Path,
    *,
    environment: Mapping[str, str],
    at: str = "worktree",
    profile: str | None = None,
    host: Path | None = None,
) -> ChainsReport:
    """All chains with their counts; arguments and failures as `open_repository`."""
    with open_repository(
        cwd, environment=environment, at=at, profile=profile, host=host
    ) as repository:
        found = find_chains(repository)
        return ChainsReport(
            found=found,
            tokens=_count(found, repository.counter, environment),
            at=at,
            revision=repository.tree.revision,
            rules=repository.rules,
            profile=repository.profile,
            counter=repository.counter,
        )


def _maybe_there(paths: frozenset[str], rules: WalkRules, named: Sequence[str]) -> frozenset[str]:
    """The paths of a listing, and what may be there besides under a name that is never read.

    It does not enter a link, another repository or an ignored folder; a named folder may lie in
    one.
    """
    inside = [name.partition("/") for name in rules.off_names if "/" in name]
    more = [
        f"{path}/{rest}"
        for path in paths
        for folder, _, rest in inside
        if path.rpartition("/")[2] == folder
    ]
    ways = {folder for end in named for folder in folders_down_to(end)}
    more += [join_path(folder, name) for folder in ways for name in rules.off_names]
    return paths.union(more)


def _last_part(path: bytes) -> str:
    return path.rpartition(b"/")[2].decode("utf-8", "replace")


def _own_folders(repository: OpenRepository, folders: Collection[str]) -> list[str]:
    """Those that a walk from this root reaches: no link on the way, no repository of its own.

    A listing of git can be older than the disk: it names a folder that has become one since.
    """
    if repository.tree.at != "worktree":
        return sorted(folders)
    root = os.fsencode(repository.workplace.root)
    closed: set[str] = set()
    for folder in {way for end in folders for way in folders_down_to(end)} - {""}:
        place = os.path.join(root, folder.encode())  # noqa: PTH118 - git's bytes, whatever the locale
        marker = os.path.join(place, MARKER.encode())  # noqa: PTH118
        is_marked = os.path.lexists(marker) and is_own_root(repository.workplace, folder)
        if is_marked or os.path.islink(place):  # noqa: PTH114
            closed.add(folder)
    return sorted(folder for folder in folders if closed.isdisjoint(folders_down_to(folder)))


def leave_for_own_root(repository: OpenRepository, folder: str, as_given: str) -> None:
    """Refuse a folder that lies in another repository inside this one.

    Raises:
        UsageError: `path-outside`.
    """
    if folder and not _own_folders(repository, {folder}):
        raise UsageError(
            "path-outside",
            f"{as_given} lies in a repository of its own",
            where=as_given,
            next_step="start there with -C",
        )


def is_own_root(workplace: Workplace, folder: str) -> bool:
    """Whether the walk from a folder starts below this root."""
    try:
        places = find_repository(workplace.root / folder)
    except UsageError:
        return True
    return places is not None and places.root != workplace.root


def _count(
    found: ChainsFound, name: str, environment: Mapping[str, str]
) -> dict[str, dict[str, int]]:
    """The count of each loaded text, each counted once."""
    from assembler.front.counting import counters

    known: dict[bytes, int] = {}
    with counters(environment) as open_counter:
        counter = open_counter(name)
        counts: dict[str, dict[str, int]] = {}
        for folder, chain in found.by_folder.items():
            of_chain = counts[folder] = {}
            for path, text in chain.texts.items():
                if text not in known:
                    known[text] = counter.count(text)
                of_chain[path] = known[text]
    return counts

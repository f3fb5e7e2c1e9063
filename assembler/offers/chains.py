"""The instruction chains of many folders at once: found, authorized, read, assessed.

The tree is asked once and each file is read once, however many chains it stands in.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from assembler.assess.chain import assess_chain
from assembler.assess.instruction_text import TextFacts
from assembler.discover.instructions import files_to_read, find_instructions
from assembler.model.chain import (
    Chain,
    FolderFinds,
    InstructionSearch,
    WalkRules,
    folders_down_to,
)
from assembler.model.tree import Unreadable
from assembler.offers.reader import FileReader


class ReadChains(NamedTuple):
    """Chains by folder, parents before children; each is what the walk to it alone gives."""

    by_folder: Mapping[str, Chain]
    """Of each folder that has an instruction file."""
    bare: Mapping[str, Chain]
    """Of those asked for by name that have none."""


def read_chains(
    reader: FileReader,
    rules: WalkRules,
    *,
    folders: Sequence[str],
    named: Collection[str],
    start: Literal["root", "folder"],
    listed: Collection[str] | None = None,
    find_untracked: Callable[[Collection[str]], Collection[str]] | None = None,
) -> ReadChains:
    """The chain of each folder that has an instruction file.

    Args:
        reader: of the tree.
        rules: of the walk.
        folders: where to look; the folders above them are looked at too.
        named: those whose chain is wanted whatever they have.
        start: where each walk starts: at the root, or (without a repository) in its own folder.
        listed: as `find_instructions` takes it.
        find_untracked: of the files that were read those that no commit holds, if that is told.
    """
    search = find_instructions(
        reader.instruction_tree, (*folders, *named), rules=rules, listed=listed
    )
    holding = {found.folder for found in search.folders if holds_instructions(found)}
    walks = dict(_walks(search, holding.union(named), start))
    wanted = {entry.path: entry for walk in walks.values() for entry in files_to_read(walk, rules)}
    contents, denied = reader.read_policy(wanted.values(), "instructions")
    untracked = () if find_untracked is None else find_untracked(tuple(contents))
    contents.update((item.path, Unreadable("denied")) for item in denied)
    cache: dict[str, TextFacts] = {}
    chains = {
        folder: assess_chain(walk, contents, rules, cache=cache, untracked=untracked)
        for folder, walk in walks.items()
    }
    return ReadChains(
        by_folder={folder: chain for folder, chain in chains.items() if folder in holding},
        bare={folder: chain for folder, chain in chains.items() if folder not in holding},
    )


def _walks(
    search: InstructionSearch, ends: Collection[str], start: Literal["root", "folder"]
) -> Iterator[tuple[str, InstructionSearch]]:
    """The walk to each of the ends that was met."""
    finds = {found.folder: found for found in search.folders}
    for folder, found in finds.items():
        if folder not in ends:
            continue
        if start == "folder":
            yield folder, InstructionSearch(top=folder, folders=(found,))
        else:
            way = tuple(finds[above] for above in folders_down_to(folder))
            yield folder, InstructionSearch(top=search.top, folders=way)


def holds_instructions(found: FolderFinds) -> bool:
    """Whether the folder has anything under a name that is read."""
    return found.used is not None or bool(found.passed)

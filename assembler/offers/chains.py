"""The instruction chains of many folders at once: found, authorized, read, assessed.

The tree is asked once and each file is read once, however many chains it stands in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Literal

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


def read_chains(
    reader: FileReader,
    rules: WalkRules,
    *,
    folders: Sequence[str],
    start: Literal["root", "folder"],
    listed: Collection[str] | None = None,
) -> dict[str, Chain]:
    """The chain of each folder that has an instruction file, and of the root whatever it has.

    Args:
        reader: of the tree.
        rules: of the walk.
        folders: where to look; the folders above them are looked at too.
        start: where each walk starts: at the root, or (without a repository) in its own folder.
        listed: as `find_instructions` takes it.

    Returns:
        By folder, parents before children; each is what the walk to that folder alone gives.
    """
    search = find_instructions(reader.tree, ("", *folders), rules=rules, listed=listed)
    walks = {walk.folders[-1].folder: walk for walk in _walks(search, start)}
    wanted = {entry.path: entry for walk in walks.values() for entry in files_to_read(walk, rules)}
    contents, denied = reader.read_policy(wanted.values(), "instructions")
    contents.update((item.path, Unreadable("denied")) for item in denied)
    cache: dict[str, TextFacts] = {}
    return {
        folder: assess_chain(walk, contents, rules, cache=cache) for folder, walk in walks.items()
    }


def _walks(
    search: InstructionSearch, start: Literal["root", "folder"]
) -> Iterator[InstructionSearch]:
    """One walk to each folder that has something, and to the root."""
    finds = {found.folder: found for found in search.folders}
    for folder, found in finds.items():
        if folder and not holds_instructions(found):
            continue
        if start == "folder":
            yield InstructionSearch(top=folder, folders=(found,))
        else:
            way = tuple(finds[above] for above in folders_down_to(folder))
            yield InstructionSearch(top=search.top, folders=way)


def holds_instructions(found: FolderFinds) -> bool:
    """Whether the folder has anything under a name that is read."""
    return found.used is not None or bool(found.passed)

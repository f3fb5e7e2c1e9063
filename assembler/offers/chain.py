"""The instruction chain of some folders: found, authorized, read, assessed."""

from __future__ import annotations

from collections.abc import Callable, Collection

from assembler.assess.chain import assess_chain
from assembler.discover.instructions import files_to_read, find_instructions
from assembler.model.chain import Chain, WalkRules
from assembler.model.tree import Unreadable
from assembler.offers.reader import FileReader


def read_chain(
    reader: FileReader,
    rules: WalkRules,
    *,
    ends: tuple[str, ...],
    targets: tuple[str, ...] = (),
    find_untracked: Callable[[Collection[str]], Collection[str]] | None = None,
) -> tuple[Chain, dict[str, str]]:
    """The instruction chain of some ends, and the deny rule of each file kept closed.

    Args:
        reader: of the tree that is walked.
        rules: of the walk.
        ends: the folders where it ends.
        targets: paths whose own instructions are told too where the walk misses them.
        find_untracked: of the files that were read those that no commit holds, if that is told.
    """
    search = find_instructions(reader.instruction_tree, ends, rules=rules, targets=targets)
    contents, denied = reader.read_policy(files_to_read(search, rules), "instructions")
    closed = dict.fromkeys((item.path for item in denied), Unreadable("denied"))
    untracked = () if find_untracked is None else find_untracked(tuple(contents))
    chain = assess_chain(search, {**contents, **closed}, rules, untracked=untracked)
    return chain, {item.path: item.rule for item in denied}

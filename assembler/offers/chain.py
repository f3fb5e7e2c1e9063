"""The instruction chain of some folders: found, authorized, read, assessed."""

from __future__ import annotations

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
) -> tuple[Chain, dict[str, str]]:
    """The instruction chain of some ends, and the deny rule of each file kept closed."""
    search = find_instructions(reader.tree, ends, rules=rules, targets=targets)
    contents, denied = reader.read_policy(files_to_read(search, rules), "instructions")
    closed = dict.fromkeys((item.path for item in denied), Unreadable("denied"))
    chain = assess_chain(search, {**contents, **closed}, rules)
    return chain, {item.path: item.rule for item in denied}

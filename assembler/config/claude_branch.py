"""Which lines of a log of Claude Code are of the conversation that goes on.

The lines are a tree: each names its parent, and a conversation that went back to an earlier point
is a branch. The live one leads to the last line. Results of calls that ran side by side have each
its own call as parent, so that only one of them is an ancestor of what follows: the others belong
to the same turn all the same, and are sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Node(NamedTuple):
    """A line as a part of the tree."""

    uuid: str | None
    parent: str | None
    message: str | None
    """Of a block of the model's message: its id."""
    is_result: bool
    is_attachment: bool


def live_lines(nodes: Sequence[Node]) -> list[bool]:
    """Whether each line is of the live branch; one without a name always is."""
    chain = _ancestors(nodes)
    blocks: dict[str, str | None] = {}
    """Live blocks of the model's messages, with the id of the message."""
    beside: set[str] = set()
    """Live lines that are no ancestors, and no blocks."""
    live = []
    for node in nodes:
        is_live = node.uuid is None or node.uuid in chain
        if not is_live and node.parent is not None:
            if node.message is not None:
                is_live = blocks.get(node.parent) == node.message
            elif node.is_result:
                is_live = node.parent in blocks
            elif node.is_attachment:
                is_live = node.parent in beside
        live.append(is_live)
        if not is_live or node.uuid is None:
            continue
        if node.message is not None:
            blocks[node.uuid] = node.message
        elif node.uuid not in chain:
            beside.add(node.uuid)
    return live


def _ancestors(nodes: Sequence[Node]) -> set[str]:
    """The last line, and all that leads to it."""
    parents = {node.uuid: node.parent for node in nodes if node.uuid is not None}
    uuid = next((node.uuid for node in reversed(nodes) if node.uuid is not None), None)
    chain: set[str] = set()
    while uuid is not None and uuid in parents and uuid not in chain:
        chain.add(uuid)
        uuid = parents[uuid]
    return chain

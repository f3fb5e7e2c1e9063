"""What `chain` found: a chain, with the facts that only adapters know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from assembler.front.agent_chain import AgentLoad
    from assembler.model.chain import Chain, ChainRow


class ChainReport(NamedTuple):
    """A chain with the facts that only adapters know."""

    chain: Chain
    tokens: Mapping[str, int]
    """Of the loaded text of each file, by path."""
    versions: Mapping[str, str]
    """Of files that are not those of HEAD, by path."""
    cwd: str
    targets: tuple[str, ...]
    at: str
    revision: str | None
    searched_folders: int
    profile: str
    counter: str
    names: tuple[str, ...]
    """Of instruction files, in the order they are tried."""
    agent: AgentLoad | None = None
    """What a named agent makes of it; None: the chain by the strict rules."""

    @property
    def lost(self) -> tuple[ChainRow, ...]:
        """The files of which something is missing that was due."""
        return self.chain.lost

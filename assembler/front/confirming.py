"""`--confirm`: the installed agent's own dump, compared byte for byte. The only way it is run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from assembler.adapters.agent_program import ask_version, dump_block, find_program
from assembler.front.agent_chain import AgentLoad


class Confirmation(NamedTuple):
    """What the installed program says, beside what was worked out here."""

    version: str
    is_equal: bool
    sha256: str | None
    """Of the program's block; None: it loads no instructions."""
    size_bytes: int
    own_size_bytes: int
    first_difference: int | None
    """Offset of the first byte that differs."""

    def to_json(self) -> dict[str, Any]:
        """The members as the JSON output has them."""
        return self._asdict()


def confirm_block(
    load: AgentLoad, cwd: Path, *, environment: Mapping[str, str], overrides: Sequence[str]
) -> Confirmation:
    """Run the installed agent in the folder and compare its block with ours.

    The program writes into its own folder below HOME, as it does whenever it is run.

    Raises:
        UsageError: `agent-missing`, `agent-failed`.
    """
    program = find_program(load.agent, environment)
    version = ask_version(program, load.agent, environment)
    there = dump_block(program, load.agent, cwd, environment=environment, overrides=overrides)
    here = None if load.block is None else load.block.encode("utf-8")
    is_equal = there == here
    return Confirmation(
        version=version,
        is_equal=is_equal,
        sha256=None if there is None else hashlib.sha256(there).hexdigest(),
        size_bytes=len(there or b""),
        own_size_bytes=len(here or b""),
        first_difference=None if is_equal else _first_difference(there or b"", here or b""),
    )


def _first_difference(one: bytes, other: bytes) -> int:
    shorter = min(len(one), len(other))
    return next((place for place in range(shorter) if one[place] != other[place]), shorter)

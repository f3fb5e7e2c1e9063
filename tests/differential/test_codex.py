"""Random trees against the real Codex, where CODEX_BIN names one; CODEX_TREES says how many."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from assembler.adapters.agent_program import dump_block
from assembler.errors import UsageError
from assembler.front.agent_chain import load_as_agent
from assembler.model.agent import CODEX
from tests.builders.agent_trees import AgentTree, random_tree
from tests.builders.random_codex import BATCHES, PROGRAM, needs_codex, require_equal_answers

pytestmark = needs_codex


@pytest.mark.parametrize("batch", range(BATCHES))
def test_block__is_what_codex_puts_into_its_input(batch: int, base: Path) -> None:
    require_equal_answers(batch, random_tree, lambda tree: answers(tree, base))


def answers(tree: AgentTree, base: Path) -> str | None:
    """Both answers, where they differ."""
    place = base / "tree"
    cwd, home = tree.write(place)
    environment = {"HOME": str(home), "PATH": os.defpath}
    try:
        theirs, ours = ask(tree, cwd, environment), load(tree, cwd, environment)
    finally:
        shutil.rmtree(place)
    return None if theirs == ours else f"codex: {theirs!r:.1500}\nours:  {ours!r:.1500}"


def ask(tree: AgentTree, cwd: Path, environment: dict[str, str]) -> bytes | str | None:
    assert PROGRAM is not None
    try:
        return dump_block(
            Path(PROGRAM), CODEX, cwd, environment=environment, overrides=tree.overrides
        )
    except UsageError:
        return "refused"


def load(tree: AgentTree, cwd: Path, environment: dict[str, str]) -> bytes | str | None:
    try:
        block = load_as_agent(CODEX, cwd, environment=environment, overrides=tree.overrides).block
    except UsageError as error:
        return "refused" if error.code == "agent-config" else f"{error.code}: {error.message}"
    return None if block is None else block.encode()

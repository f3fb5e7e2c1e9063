"""Random trees against the real Codex, where CODEX_BIN names one; CODEX_TREES says how many."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from assembler.adapters.agent_program import dump_block
from assembler.errors import UsageError
from assembler.front.agent_chain import load_as_agent
from assembler.model.agent import CODEX
from tests.builders.agent_trees import AgentTree, minimise, random_tree

PROGRAM = os.environ.get("CODEX_BIN")
TREES = int(os.environ.get("CODEX_TREES", "100"))
FIRST = int(os.environ.get("CODEX_FIRST_TREE", "0"))
BATCHES = 20

pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="CODEX_BIN names no Codex to compare with (npm: @openai/codex)"
)


@pytest.fixture
def base() -> Iterator[Path]:
    """A short path, so that no name is too long for it."""
    folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="codex-")))
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_block__is_what_codex_puts_into_its_input(batch: int, base: Path) -> None:
    for number in range(FIRST + batch, FIRST + TREES, BATCHES):
        tree = random_tree(number)
        if answers(tree, base) is not None:
            least = minimise(tree, lambda smaller: answers(smaller, base) is not None)
            pytest.fail(f"tree {number}: {least}\n{answers(least, base)}")


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

"""Random trees that a real Codex is asked about: how many, and how a difference is told.

CODEX_BIN names the program, CODEX_TREES says how many trees, CODEX_FIRST_TREE which is the first.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

import pytest

from tests.builders.agent_trees import AgentTree, minimise

PROGRAM: Final = os.environ.get("CODEX_BIN")
TREES: Final = int(os.environ.get("CODEX_TREES", "100"))
FIRST: Final = int(os.environ.get("CODEX_FIRST_TREE", "0"))
BATCHES: Final = 20

needs_codex = pytest.mark.skipif(
    PROGRAM is None, reason="CODEX_BIN names no Codex to compare with (npm: @openai/codex)"
)


def require_equal_answers(
    batch: int, make: Callable[[int], AgentTree], answers: Callable[[AgentTree], str | None]
) -> None:
    """Fail with the least tree of a batch that is answered otherwise.

    Args:
        batch: below `BATCHES`.
        make: the tree of a number.
        answers: both answers where they differ, else None.
    """
    for number in range(FIRST + batch, FIRST + TREES, BATCHES):
        tree = make(number)
        if answers(tree) is not None:
            least = minimise(tree, lambda smaller: answers(smaller) is not None)
            pytest.fail(f"tree {number}: {least}\n{answers(least)}")

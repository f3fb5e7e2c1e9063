"""Recorded and random trees against the real programs; AGENT_TREES says how many.

CLAUDE_BIN, GEMINI_BIN and OPENCODE_BIN name them. Nothing leaves the machine (`real_agents`).
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assembler.errors import ConfigError
from assembler.front.agent_inputs import find_rules, load_agent
from tests.builders.agent_cases import Built, build, write_blocks
from tests.builders.random_agents import random_case
from tests.builders.real_agents import VARIABLES, ask_case, program_of
from tests.builders.wide_agents import wide_case

TREES = int(os.environ.get("AGENT_TREES", "10"))
AGENTS = [
    pytest.param(
        agent, marks=pytest.mark.skipif(program_of(agent) is None, reason=f"no {variable}")
    )
    for agent, variable in VARIABLES.items()
]


@pytest.fixture
def base() -> Iterator[Path]:
    folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="agent-")))
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("seed", range(TREES))
@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("make", [random_case, wide_case])
def test_random_tree__is_loaded_as_the_program_does(
    make: Callable[[str, int], dict[str, Any]], agent: str, seed: int, base: Path
) -> None:
    case = make(agent, seed)
    (base / "case.json").write_text(json.dumps(case))
    try:
        built = build(base / "case.json", base)
    except (FileExistsError, NotADirectoryError):
        pytest.skip("no such tree can be")
    sent = ask_case(built)
    assert comparable(agent, sent.blocks) == comparable(agent, ours(built)), json.dumps(case)


def ours(built: Built) -> list[str]:
    try:
        got = load_agent(
            find_rules(built.agent),
            built.cwd,
            environment=built.environment,
            options=built.options,
            system_folder=built.system_folder,
        )
    except ConfigError:
        return []
    return write_blocks(built.agent, got)


def comparable(agent: str, blocks: list[str]) -> list[Any]:
    """The blocks; of opencode by line, whose files of one pattern have no order."""
    if agent == "opencode":
        return [sorted(block.rstrip("\n").split("\n")) for block in blocks]
    return [block.rstrip("\n") for block in blocks]

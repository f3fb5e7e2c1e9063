"""Each recorded tree of Claude Code, Gemini CLI and opencode: entries, order, texts, absentees.

The recordings lie beside the repository; without them these tests are skipped.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from assembler.errors import ConfigError
from assembler.front.agent_inputs import find_rules, load_agent
from tests.builders.agent_cases import Built, build
from tests.builders.other_user import as_another_user

CASES = Path(__file__).parents[3] / "shared" / "cases" / "agents"
AGENTS = ("claude", "gemini", "opencode")


def names() -> list[str]:
    found = [f"{path.parent.name}/{path.stem}" for a in AGENTS for path in (CASES / a).glob("*")]
    return sorted(found) or ["claude/missing"]


@pytest.fixture
def base() -> Iterator[Path]:
    """A folder that another user may enter, unlike pytest's own."""
    folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="agent-case-")))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("name", names())
def test_tree__is_loaded_as_it_was_recorded(name: str, base: Path) -> None:
    built = build(CASES / f"{name}.json", base)
    assert as_another_user(lambda: differences(built)) == []


def differences(built: Built) -> list[str]:
    try:
        got = load_agent(
            find_rules(built.agent),
            built.cwd,
            environment=built.environment,
            options=built.options,
            system_folder=built.system_folder,
        )
    except ConfigError as error:
        assert error.where is not None
        return [] if built.case["expected"]["rc"] else [error.message]
    return built.check(got)

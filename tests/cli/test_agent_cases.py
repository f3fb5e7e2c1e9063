"""Each recorded tree of Claude Code, Gemini CLI and opencode: entries, order, texts, absentees.

The recordings lie beside the repository; without them these tests are skipped.
"""

from __future__ import annotations

import os
import re
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


def nested() -> list[str]:
    found = [f"{p.parent.name}/{p.stem}" for a in AGENTS for p in (CASES / f"{a}-nested").glob("*")]
    return sorted(found) or ["claude-nested/missing"]


@pytest.mark.parametrize("name", nested())
def test_read_of_a_file__adds_what_was_recorded(name: str, base: Path) -> None:
    built = build(CASES / f"{name}.json", base)
    got = load_agent(
        find_rules(built.agent),
        built.cwd,
        environment=built.environment,
        system_folder=built.system_folder,
        reads=[str(built.root / built.case["read"])],
    )
    added = "".join(built.replace(part["text"]) for part in built.case["expected"]["added"])
    position = 0
    for entry in got.on_read:
        position = added.index(f"{entry.path}", position)
        position = added.index(entry.text, position)
    # What stands beside the file, or in no folder above it, is not in.
    marks = set(re.findall(r"mk\w+", added.replace(str(built.root), ""))) - {"mkkidskill"}
    assert marks == {mark for entry in got.on_read for mark in re.findall(r"mk\w+", entry.text)}


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

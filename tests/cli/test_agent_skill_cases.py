"""Each recorded tree of skills of Claude Code, Gemini CLI and opencode: the catalog, to the letter.

The recordings lie beside the repository; without them these tests are skipped.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from assembler.front.agent_skill_lists import report_skill_list
from tests.builders.agent_cases import build
from tests.builders.agent_skill_cases import check_skills
from tests.builders.command_line import CommandLine

CASES = Path(__file__).parents[3] / "shared" / "cases" / "agents"
AGENTS = ("claude", "gemini", "opencode")


def names() -> list[str]:
    folders = [CASES / f"{agent}-skills" for agent in AGENTS]
    found = [f"{path.parent.name}/{path.stem}" for folder in folders for path in folder.glob("*")]
    return sorted(found) or ["claude-skills/missing"]


@pytest.fixture
def base() -> Iterator[Path]:
    folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="agent-skill-case-")))
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("name", names())
def test_catalog__is_the_recorded_one(name: str, base: Path) -> None:
    built = build(CASES / f"{name}.json", base)
    report = report_skill_list(
        built.agent,
        built.cwd,
        environment=built.environment,
        system_folder=built.system_folder,
    )

    assert report.answer.exit_code == built.case["expected"]["rc"]
    assert check_skills(built, [row.to_json() for row in report.answer.rows]) == []


@pytest.mark.parametrize("name", [f"{agent}-skills/s_forms" for agent in AGENTS])
def test_catalog__through_the_command_line(name: str, base: Path) -> None:
    built = build(CASES / f"{name}.json", base)
    command = CommandLine(
        cwd=built.cwd, home=built.home, variables=tuple(built.environment.items())
    )
    result = command("skills", "list", f"--agent={built.agent}", "--format=json")

    assert result.code == 0
    assert result.json["schema"] == "assembler/skills/1"
    assert result.json["agent"]["name"] == built.agent
    assert built.case["expected"]["agent_version"].endswith(result.json["agent"]["version"])
    assert check_skills(built, result.json["skills"]) == []

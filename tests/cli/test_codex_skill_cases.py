"""Every recorded folder of skills of the real Codex: lines, list, errors and warnings.

The recordings lie beside the repository; without them these tests are skipped.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from assembler.cli.agent_skill_output import FORMATS
from assembler.cli.agent_skill_view import show_agent_skills
from assembler.cli.session import Session
from assembler.front.agent_skills import report_agent_skills
from assembler.model.agent_skills import CODEX_SKILLS
from tests.builders.codex_cases import Built, build
from tests.builders.codex_skills import read_error
from tests.builders.command_line import CommandLine

CASES = Path(__file__).parents[3] / "shared" / "cases" / "codex_skills"


class Answer(NamedTuple):
    """What we say."""

    lines: list[str]
    skills: list[dict[str, Any]]
    findings: list[dict[str, Any]]


def names() -> list[str]:
    return sorted(path.stem for path in CASES.glob("*.json")) or ["missing"]


@pytest.fixture
def base() -> Iterator[Path]:
    folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="skill-case-")))
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("name", names())
def test_case__in_process(name: str, base: Path) -> None:
    built = build(CASES / f"{name}.json", base)
    report = report_agent_skills(
        "codex",
        built.cwd,
        environment=built.environment,
        overrides=built.overrides,
        system_folder=built.system_folder,
    )

    skills = [dict(skill.to_json()) for skill in report.skills]
    findings = [finding.to_json() for finding in report.findings]
    check(built, Answer(list(report.lines), skills, findings))


@pytest.mark.parametrize("name", names())
def test_case__as_json(name: str, base: Path, capfd: pytest.CaptureFixture[str]) -> None:
    built = build(CASES / f"{name}.json", base)
    options = {
        "agent": "codex",
        "overrides": built.overrides,
        "system_folder": str(built.system_folder),
        "at": "worktree",
    }
    session = Session(
        cwd=built.cwd,
        cwd_as_named=built.cwd,
        output_format=FORMATS[1],
        quiet=False,
        verbose=False,
        color=False,
        environment=built.environment,
    )

    assert show_agent_skills(session, options) == built.case["expected"]["rc"]
    check(built, read_document(json.loads(capfd.readouterr().out)))


@pytest.mark.parametrize("name", names())
def test_case__through_the_command_line(name: str, base: Path) -> None:
    built = build(CASES / f"{name}.json", base)
    command = CommandLine(
        cwd=built.cwd, home=built.home, variables=tuple(built.environment.items())
    )

    result = command(
        "skills",
        "list",
        "--agent=codex",
        f"--agent-system-dir={built.system_folder}",
        "--format=json",
        *(part for text in built.overrides for part in ("--agent-config", text)),
    )

    assert result.code == built.case["expected"]["rc"]
    check(built, read_document(result.json))


def read_document(document: Any) -> Answer:
    assert document["schema"] == "assembler/skills/1"
    agent = document["agent"]
    assert {"name", "version", "lines", "roots", "budget", "framing"} <= agent.keys()
    return Answer(agent["lines"], document["skills"], document["findings"])


def check(built: Built, got: Answer) -> None:
    expected = built.case["expected"]
    assert got.lines == [built.replace(line) for line in expected["lines"]]
    assert listed(got) == [
        (skill["name"], skill["scope"], in_tree(built, skill["path"]), skill["enabled"])
        for skill in expected["skills_list"]
    ]
    assert {skill["line"] for skill in got.skills} - {None} == set(got.lines)
    for error in expected["errors"]:
        path, slug, place = read_error(error)
        assert is_told(got, in_tree(built, path), slug, place), error
    for warning in built.warnings:
        assert is_warned_of(got, warning), warning


def listed(got: Answer) -> list[tuple[str, str, str, bool]]:
    """What Codex's server lists, in its order."""
    found = [
        skill
        for skill in got.skills
        if skill["state"] not in {"rejected", "shadowed"} and skill["slug"] != "other-product"
    ]
    found.sort(
        key=lambda skill: (
            CODEX_SKILLS.listing_order.index(skill["scope"]),
            skill["name"],
            skill["source"].split("/"),
        )
    )
    return [(skill["name"], skill["scope"], skill["source"], skill["enabled"]) for skill in found]


def in_tree(built: Built, path: str) -> str:
    """A recorded path; the system's folder is another one here."""
    return built.replace(path).replace("/etc/codex", str(built.system_folder))


def is_told(got: Answer, path: str, slug: str, place: str) -> bool:
    """Whether an error of Codex is a finding of the same file and place."""
    return any(
        finding["data"].get("absolute_path") == path
        and finding["slug"] == slug
        and finding["severity"] == "error"
        and place in ("", f"{finding['data'].get('front_matter_line')}:{finding['column']}")
        for finding in got.findings
    )


def is_warned_of(got: Answer, warning: str) -> bool:
    if found := re.match(r"Exceeded skills context budget.* and (\d+) additional skill", warning):
        return any(
            finding["slug"] == "catalog-over-budget" and finding["data"]["dropped"] == int(found[1])
            for finding in got.findings
        )
    folders = re.findall(r"^ +\d+\. (.*)$", warning, re.MULTILINE)
    assert warning.startswith("Project-local config"), "a kind of warning that is not known"
    told = {
        finding["data"]["absolute_path"]
        for finding in got.findings
        if finding["slug"] == "agent-config-ignored"
    }
    return bool(folders) and told >= set(folders)

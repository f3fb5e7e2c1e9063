"""`skills list --agent all`: which agent lists which skill, and whether they list the same set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from assembler.agents.skill_rows import SkillRow
from assembler.errors import UsageError
from assembler.front.agent_reports import CODEX_NAME
from assembler.front.agent_skill_lists import (
    AgentSkillList,
    agents_with_skills,
    report_skill_list,
)
from assembler.front.agent_skills import AgentSkillReport, report_agent_skills
from assembler.model.agent_skills import AgentSkill
from assembler.model.finding import Finding


class Cell(NamedTuple):
    """What one agent makes of one file."""

    state: str
    position: int | None
    """From 1, among its lines of skills; None: it has none."""
    slug: str | None
    reason: str | None
    name: str
    """As this agent calls it."""


class ComparedFile(NamedTuple):
    """One file, and what each agent makes of it."""

    name: str
    kind: str
    source: str
    """Absolute, links resolved."""
    cells: Mapping[str, Cell]
    """By agent; an agent that is not here does not look there."""


class ComparedAgent(NamedTuple):
    """One agent."""

    name: str
    version: str
    exit_code: int
    lines: int


class SkillComparison(NamedTuple):
    """All agents on one folder."""

    agents: tuple[ComparedAgent, ...]
    files: tuple[ComparedFile, ...]
    """By name, then by path."""
    shown_top: str
    findings: tuple[Finding, ...]
    same_set: bool
    """Whether the agents list the same skills, by their files."""
    has_race: bool


def compare_skill_lists(
    cwd: Path,
    *,
    environment: Mapping[str, str],
) -> SkillComparison:
    """What every known agent lists here.

    Args:
        cwd: where they start; absolute, links resolved.
        environment: for HOME and the agents' variables.

    Raises:
        UsageError: `path-not-utf8`, and those of the reports.
        ConfigError: `agent-config`: one of them refuses its configuration.
    """
    lists = [
        report_skill_list(name, cwd, environment=environment)
        for name in agents_with_skills()
        if name != CODEX_NAME
    ]
    codex = _report_codex(cwd, environment)
    agents = [
        ComparedAgent(
            one.rules.name, one.rules.version, one.answer.exit_code, len(_listed(one.answer.rows))
        )
        for one in lists
    ]
    if codex is not None:
        agents.append(ComparedAgent(CODEX_NAME, codex.agent.version, 0, len(codex.lines)))
    files = _join(lists, codex)
    names = [agent.name for agent in agents]
    findings = [finding for one in lists for finding in one.findings]
    findings += [] if codex is None else codex.findings
    return SkillComparison(
        agents=tuple(sorted(agents)),
        files=files,
        shown_top=lists[0].shown_top,
        findings=tuple(findings),
        same_set=all(_is_everywhere(file, names) for file in files if _is_somewhere(file)),
        has_race=any(cell.state == "race" for file in files for cell in file.cells.values()),
    )


def _report_codex(cwd: Path, environment: Mapping[str, str]) -> AgentSkillReport | None:
    """Codex's answer; None where its folder is not there, so that it is not installed."""
    try:
        return report_agent_skills(CODEX_NAME, cwd, environment=environment)
    except UsageError as error:
        if error.code in ("home-missing", "agent-home-missing"):
            return None
        raise


def _listed(rows: Sequence[SkillRow]) -> list[SkillRow]:
    return [row for row in rows if row.kind != "subagent" and row.line is not None]


def _join(
    lists: Sequence[AgentSkillList], codex: AgentSkillReport | None
) -> tuple[ComparedFile, ...]:
    found: dict[str, dict[str, Cell]] = {}
    kinds: dict[str, str] = {}
    for one in lists:
        listed = {id(row): place for place, row in enumerate(_listed(one.answer.rows), start=1)}
        for row in one.answer.rows:
            cell = Cell(row.state, listed.get(id(row)), row.slug, row.reason, row.name)
            kinds.setdefault(row.source, row.kind)
            _put(found.setdefault(row.source, {}), one.rules.name, cell)
    if codex is not None:
        number = 0
        for skill in codex.skills:
            number += skill.line is not None
            kinds.setdefault(skill.source, "skill")
            cell = _codex_cell(skill, number if skill.line is not None else None)
            _put(found.setdefault(skill.source, {}), CODEX_NAME, cell)
    files = [
        ComparedFile(_name(cells), kinds[source], source, cells) for source, cells in found.items()
    ]
    return tuple(sorted(files, key=lambda file: (file.kind, file.name, file.source)))


def _put(cells: dict[str, Cell], agent: str, cell: Cell) -> None:
    """A file that was found twice has the cell with a line, or else the first."""
    before = cells.get(agent)
    if before is None or (before.position is None and cell.position is not None):
        cells[agent] = cell


def _codex_cell(skill: AgentSkill, position: int | None) -> Cell:
    return Cell(skill.state, position, skill.slug, skill.reason, skill.name)


def _name(cells: Mapping[str, Cell]) -> str:
    """What most of the agents that list it call it; of equally many the first by name."""
    listed = [cell.name for cell in cells.values() if cell.position is not None]
    names = listed or [cell.name for cell in cells.values()]
    return min(names, key=lambda name: (-names.count(name), len(name), name))


def _is_somewhere(file: ComparedFile) -> bool:
    return file.kind == "skill" and any(_has_line(cell) for cell in file.cells.values())


def _is_everywhere(file: ComparedFile, agents: Sequence[str]) -> bool:
    return all(name in file.cells and _has_line(file.cells[name]) for name in agents)


def _has_line(cell: Cell) -> bool:
    return cell.position is not None or cell.state == "race"


def to_json(comparison: SkillComparison) -> dict[str, Any]:
    """The members as the JSON output has them."""
    return {
        "agents": [
            {
                "name": agent.name,
                "version": agent.version,
                "rc": agent.exit_code,
                "lines": agent.lines,
            }
            for agent in comparison.agents
        ],
        "same_set": comparison.same_set,
        "has_race": comparison.has_race,
        "files": [
            {
                "name": file.name,
                "kind": file.kind,
                "source": file.source,
                "agents": {name: cell._asdict() for name, cell in sorted(file.cells.items())},
            }
            for file in comparison.files
        ],
        "findings": [finding.to_json() for finding in comparison.findings],
    }

"""`chain --agent all`: files down, agents across, and whether all of them read the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from assembler.cli.output import escape, lay_out, number
from assembler.model.finding import SEVERITIES, Finding, finding_order, make_finding

if TYPE_CHECKING:
    from assembler.front.agent_reports import AgentReport, AgentsReport

NOT_LOOKED_FOR = "-"
NOT_STARTED = "not started"
OTHERS_FILE = "other-agents-file"


class Row(NamedTuple):
    """One file, and what each agent makes of it."""

    target: str
    """Where it really is; agents may know it by links, under other names."""
    cells: Mapping[str, str]
    """By agent: the place in its input from 1, `in N` where its text stands inside of entry N,
    `joins N` the place among those that join for the asked file, a state with its reason, `later`,
    `not started`, or that the name is none it looks for."""


def make_rows(report: AgentsReport) -> list[Row]:
    """A row for each file that one of the agents reads, passes over or would read later."""
    cells: dict[str, dict[str, str]] = {}
    links = {
        entry.path: entry.target
        for agent in report.agents
        for entry in (*agent.loaded.entries, *agent.loaded.on_read)
    }
    for agent in report.agents:
        name = agent.loaded.rules.name
        for path, cell in _cells(agent):
            cells.setdefault(links.get(path, path), {}).setdefault(name, cell)
    without = {
        agent.loaded.rules.name: NOT_STARTED if agent.loaded.exit_code else NOT_LOOKED_FOR
        for agent in report.agents
    }
    return [Row(target, {**without, **cells[target]}) for target in sorted(cells)]


def _cells(agent: AgentReport) -> Iterator[tuple[str, str]]:
    loaded = agent.loaded
    for word, entries in (("", loaded.entries), ("joins ", loaded.on_read)):
        for place, entry in enumerate(entries, start=1):
            yield entry.target, f"{word}{place}"
            for target in entry.imports:
                yield target, f"{word or 'in '}{place}"
    for file in loaded.absent:
        if file.reason == OTHERS_FILE:
            # Codex tells of files that it never looks for.
            continue
        yield file.path, f"{file.state} {file.reason}"
    for later in loaded.later:
        yield later.path, "later"


def is_read(cell: str) -> bool:
    """Whether the model of that agent reads the file at its start."""
    return cell.isdecimal() or cell.startswith("in ")


class Verdict(NamedTuple):
    """Whether the agents that start here read the same."""

    same_set: bool
    same_order: bool
    """False too where the sets differ."""


def judge(report: AgentsReport) -> Verdict:
    """Compare what the agents read: the files, and their order."""
    started = [agent.loaded for agent in report.agents if not agent.loaded.exit_code]
    orders = [[entry.target for entry in loaded.entries] for loaded in started]
    sets = [{*order, *_inside(loaded)} for order, loaded in zip(orders, started, strict=True)]
    same_set = len(started) == len(report.agents) and all(one == sets[0] for one in sets)
    return Verdict(same_set, same_set and all(order == orders[0] for order in orders))


def _inside(loaded: Any) -> Iterator[str]:
    for entry in loaded.entries:
        yield from entry.imports


def table_findings(report: AgentsReport, rows: Sequence[Row]) -> list[Finding]:
    """The agents' own findings, and one for each file whose name some of them never look for."""
    findings = [
        finding
        for agent in report.agents
        for finding in agent.loaded.findings
        if finding.slug != OTHERS_FILE
    ]
    for row in rows:
        readers = [name for name, cell in row.cells.items() if is_read(cell)]
        others = [name for name, cell in row.cells.items() if cell == NOT_LOOKED_FOR]
        if readers and others:
            findings.append(
                make_finding(
                    "ASM149",
                    row.target,
                    f"{_join(readers)} {'reads' if len(readers) == 1 else 'read'} it, "
                    f"{_join(others)} {'does' if len(others) == 1 else 'do'} not look for it",
                    fix="keep the rules in one file, and let the others import or link it",
                    data={"read_by": readers, "not_looked_for_by": others},
                )
            )
    return sorted(findings, key=lambda one: (SEVERITIES.index(one.severity), finding_order(one)))


def _join(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def table_lines(report: AgentsReport, *, color: bool) -> list[str]:
    """The table, the verdict and the findings, for a person."""
    from assembler.cli.agent_entries import finding_lines, short

    rows = make_rows(report)
    agents = [agent.loaded.rules for agent in report.agents]
    lines = [f"What agents load in {escape(short(report.cwd, report))}"]
    if rows:
        cells = [("", "file", *(f"{rules.name} {rules.version}" for rules in agents))]
        cells += [
            ("", escape(short(row.target, report)), *(escape(cell) for cell in row.cells.values()))
            for row in rows
        ]
        tokens = [number(sum(agent.tokens.values())) for agent in report.agents]
        cells.append(("", "tokens", *tokens))
        lines += ["", *(line.strip() for line in lay_out(cells, color=color))]
    lines += ["", verdict_line(report)]
    return [*lines, *finding_lines(table_findings(report, rows), report)]


def verdict_line(report: AgentsReport) -> str:
    """Whether the agents read the same files, and in the same order."""
    refused = [agent.loaded.rules.name for agent in report.agents if agent.loaded.exit_code]
    verdict = judge(report)
    if refused:
        return f"They do not read the same: {_join(refused)} would not start here."
    if not verdict.same_set:
        return "They do not read the same files."
    if not verdict.same_order:
        return "They read the same files, in different orders."
    return "They read the same files in the same order."


def table_body(report: AgentsReport) -> dict[str, Any]:
    """The members of the JSON document."""
    from assembler.cli.agent_entries import agent_body

    rows = make_rows(report)
    verdict = judge(report)
    return {
        "counter": {"unit": "token", "name": report.counter, "basis": "measured"},
        "agents": [agent_body(agent, report) for agent in report.agents],
        "files": [
            {"path": row.target, "target": row.target, "cells": dict(row.cells)} for row in rows
        ],
        "same_set": verdict.same_set,
        "same_order": verdict.same_order,
        "findings": [finding.to_json() for finding in table_findings(report, rows)],
    }

"""`skills list --agent NAME`: what an agent lists of skills on this machine, as text and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from assembler.cli.agent_options import system_folder
from assembler.cli.agent_skill_output import few_of_each, list_inputs, print_report
from assembler.cli.finding_words import finding_words
from assembler.cli.output import envelope, escape, lay_out, number, share
from assembler.cli.session import Session
from assembler.errors import EXIT_OK
from assembler.front.agent_skills import AgentSkillReport, report_agent_skills
from assembler.front.shown_paths import Place
from assembler.model.agent_skills import AgentSkill

SCHEMA: Final = "assembler/skills/1"
_WORDS: Final = {
    "listed": "line",
    "shortened": "cut",
    "dropped": "out",
    "rejected": "out",
    "hidden": "off",
    "shadowed": "hidden",
}
_SILENT: Final = frozenset(
    {"skill-file-skipped", "skill-name-taken", "skill-linked-outside", "wrong-case-name"}
)
"""Told one by one in JSON; to a person only the first few of each."""


def show_agent_skills(session: Session, options: Mapping[str, Any]) -> int:
    """Print it in the asked format, and say the exit code: looking never fails.

    Args:
        session: folder, environment, format.
        options: `agent`, `overrides`, `system_folder`.

    Raises:
        UsageError: `path-missing`, `format-unknown`, and those of the report.
        ConfigError: `agent-config`.
    """
    report = report_agent_skills(
        options["agent"],
        session.cwd,
        environment=session.environment,
        overrides=options.get("overrides") or (),
        system_folder=system_folder(session, options.get("system_folder")),
    )
    print_report(session, lambda: to_json(report, options), lambda: to_text(report, session))
    return EXIT_OK


def to_json(report: AgentSkillReport, options: Mapping[str, Any]) -> str:
    """The JSON document."""
    name, version = report.agent.name, report.agent.version
    given = {"config": list(options.get("overrides") or ())}
    inputs = list_inputs(_below(report), name, version, given, options)
    agent = {
        "name": name,
        "version": version,
        "root": str(report.top),
        "home": report.home,
        "trust": report.trust,
        "lines": list(report.lines),
        "roots": [root._asdict() for root in report.roots],
        "budget": _budget(report),
        "framing": [piece._asdict() for piece in report.framing],
        "block_size_bytes": report.block_size_bytes,
        "settings": dict(report.settings.places),
    }
    body = {
        "agent": agent,
        "skills": [skill.to_json() for skill in report.skills],
        "findings": [finding.to_json() for finding in report.findings],
    }
    return envelope(SCHEMA, EXIT_OK, inputs, body)


def _budget(report: AgentSkillReport) -> dict[str, Any]:
    budget = report.budget
    return {
        "limit": budget.limit,
        "used": budget.used,
        "table_cost": budget.table_cost,
        "unit": budget.unit,
        "basis": "estimated" if budget.unit == "token" else "counted",
        "window_tokens": budget.window_tokens,
        "window_from": budget.window_from,
        "model": budget.model,
        "shortened": _count(report, "shortened"),
        "dropped": _count(report, "dropped"),
    }


def _count(report: AgentSkillReport, state: str) -> int:
    return sum(skill.state == state for skill in report.skills)


def _below(report: AgentSkillReport) -> str:
    return report.cwd.relative_to(report.top).as_posix()


def to_text(report: AgentSkillReport, session: Session) -> str:
    """The table, the budget and the findings, for a person."""
    place = Place(report.top, session.environment)
    home = f"home {escape(report.home)}; {_trust_words(report.trust)}"
    agent = f"{report.agent.name} {report.agent.version}"
    lines = [f"As {agent} lists skills in {escape(_below(report))}        {home}"]
    if report.skills:
        lines += ["", *_table(report, place, session)]
    else:
        lines.append("No skills found.")
    lines += [_verdict(report, place), *_finding_lines(report)]
    return "\n".join(lines) + "\n"


def _trust_words(trust: str | None) -> str:
    return "no trust entry" if trust is None else trust


def _table(report: AgentSkillReport, place: Place, session: Session) -> list[str]:
    cells = [("", "name", "line", "scope", "source", "note")]
    cells += [
        (
            "cut" if _is_cut(skill) else _WORDS[skill.state],
            escape(skill.name),
            number(skill.cost if skill.line is not None else None),
            skill.scope,
            escape(place.show(skill.path)),
            escape(_note(skill, place)),
        )
        for skill in report.skills
    ]
    return lay_out(cells, right=(2,), color=session.color)


def _is_cut(skill: AgentSkill) -> bool:
    """Whether its line lacks the end of the description."""
    return skill.state == "shortened" or skill.slug == "skill-description-cut"


def _note(skill: AgentSkill, place: Place) -> str:
    parts = [] if skill.slug is None else [skill.slug]
    if skill.source != skill.path:
        parts.append(f"-> {place.show(skill.source)}")
    return "; ".join(parts)


def _verdict(report: AgentSkillReport, place: Place) -> str:
    budget = report.budget
    unit, basis = "tokens", "estimated, bytes / 4"
    if budget.unit == "character":
        unit, basis = "characters", "counted"
    spent = (
        f"{number(budget.used)} of {number(budget.limit)} {unit} "
        f"({share(budget.used, budget.limit)}; {basis})"
    )
    if budget.window_tokens is not None:
        spent += f"; window {number(budget.window_tokens)}, {_window_words(report, place)}"
    if report.block_size_bytes is None:
        return f"No list of skills stands in the model's input. Room for it: {spent}."
    lines = number(len(report.lines)) + (" line" if len(report.lines) == 1 else " lines")
    return f"{_losses(report)}. {lines}, {spent}."


def _losses(report: AgentSkillReport) -> str:
    """How many skills have no line, or not a whole one."""
    skills = report.skills
    absent, cut = sum(skill.line is None for skill in skills), sum(map(_is_cut, skills))
    parts = []
    if absent:
        noun, verb = "skill" if len(skills) == 1 else "skills", "is" if absent == 1 else "are"
        parts.append(f"{number(absent)} of {number(len(skills))} {noun} {verb} not listed")
    if cut:
        nouns = "description is" if cut == 1 else "descriptions are"
        parts.append(f"{number(cut)} {nouns} cut")
    return ", ".join(parts) or "Nothing is lost"


def _window_words(report: AgentSkillReport, place: Place) -> str:
    budget = report.budget
    match budget.window_from:
        case "model":
            return f"model {escape(budget.model)}"
        case "unknown-model":
            return f"usual for a model that is not known here: {escape(budget.model)}"
        case written_in:
            shown = place.show(written_in) if written_in.startswith("/") else written_in
            return f"set by {escape(shown)}"


def _finding_lines(report: AgentSkillReport) -> list[str]:
    return few_of_each(report.findings, finding_words, is_repeated=_SILENT.__contains__)

"""`skills list --agent NAME` of an agent with a description, for a person and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from assembler.cli.agent_options import refuse_overrides, system_folder
from assembler.cli.agent_skill_output import few_of_each, list_inputs, print_report
from assembler.cli.finding_words import finding_words
from assembler.cli.output import envelope, escape, lay_out, number
from assembler.cli.session import Session
from assembler.errors import EXIT_OK
from assembler.front.agent_reports import COUNTER
from assembler.front.agent_skill_lists import AgentSkillList, count_lines, report_skill_list
from assembler.front.shown_paths import Place
from assembler.model.finding import Finding

SCHEMA: Final = "assembler/skills/1"
WORDS: Final = {
    "listed": "line",
    "bare": "bare",
    "race": "race",
    "shadowed": "hidden",
    "hidden": "off",
    "rejected": "out",
    "unread": "unread",
}


def show_skill_list(session: Session, options: Mapping[str, Any]) -> int:
    """Print it in the asked format, and say the exit code: looking never fails.

    Args:
        session: folder, environment, format.
        options: `agent`, `agent_options`, `overrides`, `system_folder`.

    Raises:
        UsageError: `path-missing`, `format-unknown`, `option-conflict`, and those
            of the report.
        ConfigError: `agent-config`.
    """
    refuse_overrides(options)
    report = report_skill_list(
        options["agent"],
        session.cwd,
        environment=session.environment,
        options=options.get("agent_options") or (),
        system_folder=system_folder(session, options.get("system_folder")),
    )
    print_report(
        session, lambda: to_json(report, session, options), lambda: to_text(report, session)
    )
    return EXIT_OK


def to_json(report: AgentSkillList, session: Session, options: Mapping[str, Any]) -> str:
    """The JSON document."""
    rules = report.rules
    given = {"options": list(options.get("agent_options") or ())}
    inputs = list_inputs(_below(report), rules.name, rules.version, given, options)
    counts = count_lines(report.answer, session.environment)
    body = {
        "counter": {"unit": "token", "name": COUNTER, "basis": "measured"},
        "agent": describe_agent(report),
        "skills": [
            {**row.to_json(), "tokens": tokens}
            for row, tokens in zip(report.answer.rows, counts, strict=True)
        ],
        "findings": [finding.to_json() for finding in report.findings],
    }
    return envelope(SCHEMA, EXIT_OK, inputs, body)


def describe_agent(report: AgentSkillList) -> dict[str, Any]:
    """What is said of the agent as a whole."""
    answer, rules = report.answer, report.rules
    spending, skills = answer.spending, rules.skills
    assert skills is not None  # the report has them
    return {
        "name": rules.name,
        "title": rules.title,
        "version": rules.version,
        "rc": answer.exit_code,
        "root": answer.top,
        "lines": [row.line for row in answer.rows if row.line is not None],
        "budget": None if spending is None else {**spending._asdict(), "unit": "character"},
        "own_skills": skills.own,
        "not_measured": skills.not_measured,
        "order_note": skills.order_note,
    }


def _below(report: AgentSkillList) -> str:
    return Path(report.start.cwd).relative_to(report.shown_top).as_posix()


def to_text(report: AgentSkillList, session: Session) -> str:
    """The table, the budget and the findings, for a person."""
    rules, answer = report.rules, report.answer
    place = Place(Path(report.shown_top), session.environment)
    lines = [f"As {rules.name} {rules.version} lists skills in {escape(_below(report))}"]
    if answer.exit_code:
        lines.append(f"{rules.title} does not start here: exit {answer.exit_code}, no trust.")
        return "\n".join(lines) + "\n"
    counts = count_lines(answer, session.environment)
    table = _table(report, counts, place, session) if answer.rows else []
    lines += ["", *table] if table else ["No skills found."]
    lines += [_verdict(report, counts), *_own_lines(report), *finding_lines(report.findings)]
    return "\n".join(lines) + "\n"


def _table(
    report: AgentSkillList, counts: Sequence[int | None], place: Place, session: Session
) -> list[str]:
    cells = [("", "name", "tokens", "kind", "scope", "source", "note")]
    for row, tokens in zip(report.answer.rows, counts, strict=True):
        notes = [] if row.slug is None else [row.slug]
        notes += [] if row.by is None else [f"for {place.show(row.by)}"]
        notes += [] if row.source == row.path else [f"-> {place.show(row.source)}"]
        cells.append(
            (
                "cut" if row.slug == "skill-description-cut" else WORDS[row.state],
                escape(row.name),
                number(tokens),
                row.kind,
                row.scope,
                escape(place.show(row.path)),
                escape("; ".join(notes)),
            )
        )
    return lay_out(cells, right=(2,), color=session.color)


def _verdict(report: AgentSkillList, counts: Sequence[int | None]) -> str:
    rows, spending = report.answer.rows, report.answer.spending
    lines = sum(row.line is not None for row in rows)
    absent = sum(not row.is_listed for row in rows)
    tokens = sum(filter(None, counts))
    text = f"{number(lines)} {'line' if lines == 1 else 'lines'}, "
    text += f"{number(tokens)} tokens ({COUNTER}, counted)"
    if absent:
        text += f"; {number(absent)} of {number(len(rows))} files have none"
    if spending is None:
        return f"{text}. The agent has no limit for the list."
    text += f"; {number(spending.used)} of {number(spending.limit)} characters, "
    text += f"{number(spending.own)} of them assumed for its own skills"
    return f"{text} (measured: {number(spending.least_own)} to {number(spending.most_own)})."


def _own_lines(report: AgentSkillList) -> list[str]:
    skills = report.rules.skills
    assert skills is not None  # the report has them
    lines = [f"Not shown: its {skills.own}."]
    if skills.order_note:
        lines.append(f"Order: {skills.order_note}.")
    return lines


def finding_lines(findings: tuple[Finding, ...]) -> list[str]:
    """The findings, at most a few of each kind."""
    return few_of_each(findings, finding_words)

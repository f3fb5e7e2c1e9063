"""`skills list --agent all`: skills down, agents across, position or reason in the cell."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from assembler.cli.agent_list_view import WORDS, finding_lines
from assembler.cli.agent_skill_output import require_format
from assembler.cli.output import envelope, escape, lay_out, number, write_out
from assembler.cli.session import Session
from assembler.errors import EXIT_OK, UsageError
from assembler.front.agent_reports import EVERY
from assembler.front.agent_skill_comparison import (
    Cell,
    ComparedFile,
    SkillComparison,
    compare_skill_lists,
    to_json,
)
from assembler.front.shown_paths import Place

SCHEMA: Final = "assembler/agent-skills/1"
_OF_ONE: Final = {
    "--agent-config": "overrides",
    "--agent-option": "agent_options",
    "--agent-system-dir": "system_folder",
}
_NOT_THERE: Final = "-"
_MORE_WORDS: Final = {**WORDS, "shortened": "cut", "dropped": "out"}


def show_all_lists(session: Session, options: Mapping[str, Any]) -> int:
    """Print the table or the document, and say the exit code: looking never fails.

    Args:
        session: folder, environment, format.
        options: those of one agent, which are refused.

    Raises:
        UsageError: `format-unknown`, `option-conflict`, and those of the report.
        ConfigError: `agent-config`.
    """
    for name, member in _OF_ONE.items():
        if options.get(member):
            raise UsageError(
                "option-conflict",
                f"{name} is of one agent, and all are asked for",
                next_step="name the agent",
            )
    require_format(session)
    comparison = compare_skill_lists(session.cwd, environment=session.environment)
    if session.output_format == "json":
        below = session.cwd.relative_to(comparison.shown_top).as_posix()
        inputs = {"at": "worktree", "cwd": below, "agent": {"name": EVERY}}
        write_out(envelope(SCHEMA, EXIT_OK, inputs, to_json(comparison)))
    else:
        write_out(_to_text(comparison, session))
    return EXIT_OK


def _to_text(comparison: SkillComparison, session: Session) -> str:
    place = Place(Path(comparison.shown_top), session.environment)
    below = session.cwd.relative_to(comparison.shown_top).as_posix()
    versions = ", ".join(f"{agent.name} {agent.version}" for agent in comparison.agents)
    lines = [f"As {versions} list skills in {escape(below)}"]
    if comparison.files:
        lines += ["", *_table(comparison, place, session)]
    else:
        lines.append("No skills found.")
    lines += [
        f"{agent.name} does not start here: exit {agent.exit_code}, no trust."
        for agent in comparison.agents
        if agent.exit_code
    ]
    lines += [_verdict(comparison), *finding_lines(comparison.findings)]
    return "\n".join(lines) + "\n"


def _table(comparison: SkillComparison, place: Place, session: Session) -> list[str]:
    names = [agent.name for agent in comparison.agents]
    cells = [("", "name", *names, "source")]
    cells += [
        (
            "" if file.kind == "skill" else file.kind,
            escape(file.name),
            *(_cell(file.cells.get(name)) for name in names),
            escape(place.show(file.source)),
        )
        for file in comparison.files
    ]
    return lay_out(cells, color=session.color)


def _cell(cell: Cell | None) -> str:
    """Position, or the reason that there is none."""
    if cell is None:
        return _NOT_THERE
    reason = cell.slug or ""
    if cell.position is None:
        return reason or _MORE_WORDS[cell.state]
    word = {"listed": "", "bare": " bare", "race": " race", "shortened": " cut"}[cell.state]
    return number(cell.position) + word


def _verdict(comparison: SkillComparison) -> str:
    counts = ", ".join(f"{agent.name} {number(agent.lines)}" for agent in comparison.agents)
    somewhere = [file for file in comparison.files if _is_listed(file)]
    if not somewhere:
        return "None of them lists a skill of a file."
    same = "The agents list the same set of skills"
    if not comparison.same_set:
        same = "The agents do not list the same set of skills"
    race = "; which of equal names one of them lists is a race" if comparison.has_race else ""
    return f"{same} (lines: {counts}){race}. {_NOT_THERE} is a place where an agent does not look."


def _is_listed(file: ComparedFile) -> bool:
    return any(cell.position is not None for cell in file.cells.values())

"""What `skills check` does, once its options are known: every finding, in one of five forms.

The JSON body: `skills` (of each: `path`, root-relative, of its SKILL.md; `valid`, whether it has no
error; `errors`, by kind, place and edit, with the code of the finding that tells it; `properties`,
the fields of a readable front matter or null), `findings`, and `counted` (`skills`, `valid`, and
findings by severity).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from assembler.cli.gate import (
    count_findings,
    exit_code_of,
    gate_inputs,
    show_findings,
    told_counts,
)
from assembler.cli.output import envelope, escape, number, write_out
from assembler.cli.session import Session
from assembler.front.finding_codes import choose_codes
from assembler.front.skill_checking import SkillCheckReport, check_skills
from assembler.model.chain import parent_folder
from assembler.model.names import first_few
from assembler.model.skill import Skill

SCHEMA: Final = "assembler/skill-check/1"


def show_skill_check(session: Session, options: Mapping[str, Any]) -> int:
    """Print the findings, and say the exit code."""
    report = check_skills(
        session.cwd,
        environment=session.environment,
        at=options["at"],
        paths=options["paths"],
        profile=options["profile"],
        host=session.resolve(options["host"]),
        codes=choose_codes(options["select"], options["ignore"]),
    )
    exit_code = exit_code_of(report.findings, options["fail_on"])
    if session.output_format == "json":
        write_out(_to_json(report, options, exit_code))
    else:
        show_findings(session, report.findings, summary(report), command="skills check")
    if report.elsewhere:
        session.hint(_tell_elsewhere(report.elsewhere))
    return exit_code


def _tell_elsewhere(paths: Sequence[str]) -> str:
    """That there are skills which nobody looks for, and where."""
    folders = sorted({parent_folder(parent_folder(path)) or "." for path in paths})
    places = escape(", ".join(first_few(folders)))
    if len(paths) == 1:
        said = f"1 SKILL.md stands in another folder ({places}): name it in skills.roots"
        return f"{said}, or check it by path"
    said = f"{number(len(paths))} SKILL.md stand in other folders ({places})"
    return f"{said}: name them in skills.roots, or check them by path"


def _to_json(report: SkillCheckReport, options: Mapping[str, Any], exit_code: int) -> str:
    body = {
        "skills": [_skill_to_json(skill) for skill in report.skills],
        "findings": [finding.to_json() for finding in report.findings],
        "counted": {
            "skills": len(report.skills),
            "valid": sum(not skill.errors for skill in report.skills),
            **count_findings(report.findings),
        },
    }
    return envelope(SCHEMA, exit_code, gate_inputs(report, options), body)


def _skill_to_json(skill: Skill) -> dict[str, Any]:
    return {
        "path": skill.path,
        "valid": not skill.errors,
        "errors": [
            {**error.to_json(), "code": code}
            for error, code in zip(skill.errors, skill.error_codes(), strict=True)
        ],
        "properties": None if skill.properties is None else dict(skill.properties),
    }


def summary(report: SkillCheckReport) -> str:
    """The last line: how many skills, and how much is wrong with them."""
    count = len(report.skills)
    counts = told_counts(report.findings)
    if not count and not counts:
        return "no skills found"
    skills = f"{number(count)} {'skill' if count == 1 else 'skills'}"
    return f"{skills}, {', '.join(counts)}" if counts else f"{skills}: no findings"

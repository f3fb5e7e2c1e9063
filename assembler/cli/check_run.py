"""What `check` does, once its options are known: every finding, in one of five forms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assembler.cli.gate import (
    FAIL_ON,
    FORMATS,
    count_findings,
    exit_code_of,
    gate_inputs,
    show_findings,
    spell_policy_from,
    told_counts,
)
from assembler.cli.output import envelope, escape, number, write_out
from assembler.cli.session import Session
from assembler.front.checking import CheckReport, check_repository, choose_codes
from assembler.model.finding import SEVERITIES

SCHEMA = "assembler/check/1"
NOTHING = "no instruction files, skills or pins found"


__all__ = ["FAIL_ON", "FORMATS", "SCHEMA", "show_check", "summary"]


def show_check(session: Session, options: Mapping[str, Any]) -> int:
    """Print the findings, and say the exit code."""
    report = check_repository(
        session.cwd,
        environment=session.environment,
        at=options["at"],
        paths=options["paths"],
        profile=options["profile"],
        host=session.resolve(options["host"]),
        codes=choose_codes(options["select"], options["ignore"]),
        policy_from=options["policy_from"],
    )
    exit_code = exit_code_of(report.findings, options["fail_on"])
    if session.output_format == "json":
        write_out(_to_json(report, options, exit_code))
    else:
        show_findings(session, report.findings, summary(report), command="check")
    return exit_code


def _to_json(report: CheckReport, options: Mapping[str, Any], exit_code: int) -> str:
    counted = {
        "chains": report.chains,
        "skills": report.skills,
        "catalogs": report.catalogs,
        **count_findings(report.findings),
    }
    findings = [finding.to_json() for finding in report.findings]
    inputs = {
        **gate_inputs(report, options),
        "policy_from": spell_policy_from(report.policy_from),
    }
    return envelope(SCHEMA, exit_code, inputs, {"findings": findings, "counted": counted})


def summary(report: CheckReport) -> str:
    """The last line: how much of what, and where to read on."""
    looked_at = (
        (report.chains, "chain"),
        (report.skills, "skill"),
        (report.catalogs, "tool catalog"),
    )
    things = [_spell(count, word) for count, word in looked_at if count]
    counts = told_counts(report.findings)
    more = "" if report.policy_from is None else f"; policy from {escape(str(report.policy_from))}"
    if not counts:
        return f"{', '.join(things)}: no findings{more}" if things else f"{NOTHING}{more}"
    gravest = min(report.findings, key=lambda finding: SEVERITIES.index(finding.severity))
    where = ", ".join(things) or _spell(0, "chain")
    return f"{', '.join(counts)} in {where}{more}. More: assembler explain {gravest.code}"


def _spell(count: int, word: str) -> str:
    return f"{number(count)} {word if count == 1 else f'{word}s'}"

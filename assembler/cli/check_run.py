"""What `check` does, once its options are known: every finding, in one of five forms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assembler.cli.output import envelope, number, write_out, write_talk
from assembler.cli.session import Session
from assembler.errors import EXIT_FINDINGS, EXIT_OK
from assembler.front.checking import CheckReport, check_repository, choose_codes
from assembler.model.finding import SEVERITIES

FORMATS = ("text", "json", "github", "markdown", "sarif")
SCHEMA = "assembler/check/1"
FAIL_ON = {"error": ("error",), "warning": ("error", "warning"), "never": ()}


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
    )
    fails = any(report.count(severity) for severity in FAIL_ON[options["fail_on"]])
    exit_code = EXIT_FINDINGS if fails else EXIT_OK
    _show(report, session, options, exit_code)
    return exit_code


def _show(
    report: CheckReport, session: Session, options: Mapping[str, Any], exit_code: int
) -> None:
    from assembler.cli import finding_view as view

    match session.output_format:
        case "json":
            write_out(_to_json(report, options, exit_code))
        case "sarif":
            write_out(view.to_sarif(report.findings))
        case "markdown":
            write_out(view.to_markdown(report.findings, summary(report)))
        case "github":
            write_out(view.to_github(report.findings))
            if not session.quiet:
                write_talk(summary(report))
        case _:
            lines = view.to_lines(report.findings, color=session.color)
            write_out("\n".join([*lines, summary(report)]) + "\n")


def _to_json(report: CheckReport, options: Mapping[str, Any], exit_code: int) -> str:
    inputs = {
        "at": report.at,
        "revision": report.revision,
        "paths": [path or "." for path in report.paths],
        "profile": {"name": report.profile},
        "select": list(options["select"]),
        "ignore": list(options["ignore"]),
        "fail_on": options["fail_on"],
    }
    counted = {
        "chains": report.chains,
        "errors": report.count("error"),
        "warnings": report.count("warning"),
        "notes": report.count("note"),
    }
    findings = [finding.to_json() for finding in report.findings]
    return envelope(SCHEMA, exit_code, inputs, {"findings": findings, "counted": counted})


def summary(report: CheckReport) -> str:
    """The last line: how much of what, and where to read on."""
    chains = f"{number(report.chains)} {'chain' if report.chains == 1 else 'chains'}"
    counts = [
        f"{number(count)} {severity}{'' if count == 1 else 's'}"
        for severity in SEVERITIES
        if (count := report.count(severity))
    ]
    if not counts:
        return f"{chains}: no findings" if report.chains else "no instruction files found"
    gravest = min(report.findings, key=lambda finding: SEVERITIES.index(finding.severity))
    return f"{', '.join(counts)} in {chains}. More: assembler explain {gravest.code}"

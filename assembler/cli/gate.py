"""What every command that gates has in common: its formats, its counts and its exit code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

from assembler.cli.output import number, write_out, write_talk
from assembler.cli.session import Session
from assembler.errors import EXIT_FINDINGS, EXIT_OK
from assembler.model.finding import SEVERITIES, Finding
from assembler.model.quieted import Quieted

if TYPE_CHECKING:
    from assembler.front.trees import PolicyRevision

FORMATS: Final = ("text", "json", "github", "markdown", "sarif")
FAIL_ON: Final = {"error": ("error",), "warning": ("error", "warning"), "never": ()}


class GateReport(Protocol):
    """What the report of a gate says of what was looked at."""

    @property
    def at(self) -> str:
        """`worktree`, `index` or the revision as asked."""

    @property
    def revision(self) -> str | None:
        """The full id of the commit."""

    @property
    def paths(self) -> tuple[str, ...]:
        """What was asked about, root-relative."""

    @property
    def profile(self) -> str:
        """The profile's name."""


def exit_code_of(findings: Sequence[Finding], fail_on: str) -> int:
    """1 where one of the findings is grave enough."""
    fails = any(finding.severity in FAIL_ON[fail_on] for finding in findings)
    return EXIT_FINDINGS if fails else EXIT_OK


def show_findings(
    session: Session,
    findings: Sequence[Finding],
    summary: str,
    *,
    command: str,
    quieted: Sequence[Quieted] = (),
) -> None:
    """Print findings in any format but JSON, whose envelope is each command's own.

    Args:
        session: says the format.
        findings: what is told.
        summary: the last line, maybe with more below it.
        command: for the heading.
        quieted: what is known and not told; SARIF has it as suppressed.
    """
    from assembler.cli import finding_view as view

    match session.output_format:
        case "sarif":
            write_out(view.to_sarif(findings, quieted))
        case "markdown":
            write_out(view.to_markdown(findings, summary, command=command))
        case "github":
            write_out(view.to_github(findings))
            if not session.quiet:
                write_talk(summary)
        case _:
            lines = view.to_lines(findings, color=session.color)
            write_out("\n".join([*lines, summary]) + "\n")


def gate_inputs(report: GateReport, options: Mapping[str, Any]) -> dict[str, Any]:
    """What the answer was made from, as JSON has it."""
    return {
        "at": report.at,
        "revision": report.revision,
        "paths": [path or "." for path in report.paths],
        "profile": {"name": report.profile},
        "select": list(options["select"]),
        "ignore": list(options["ignore"]),
        "fail_on": options["fail_on"],
    }


def spell_policy_from(revision: PolicyRevision | None) -> dict[str, str] | None:
    """The revision that policy is from, as JSON has it."""
    return None if revision is None else revision._asdict()


def count_findings(findings: Sequence[Finding]) -> dict[str, int]:
    """How many of each severity, as JSON has it."""
    return {
        f"{severity}s": sum(finding.severity == severity for finding in findings)
        for severity in SEVERITIES
    }


def told_counts(findings: Sequence[Finding]) -> list[str]:
    """`2 errors`, for each severity that there is."""
    counts = [(key.removesuffix("s"), count) for key, count in count_findings(findings).items()]
    return [
        f"{number(count)} {severity}{'' if count == 1 else 's'}"
        for severity, count in counts
        if count
    ]

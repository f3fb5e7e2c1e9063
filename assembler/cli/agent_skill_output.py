"""What the three views of `skills list --agent` print alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from assembler.cli.output import write_out
from assembler.cli.session import Session
from assembler.errors import UsageError
from assembler.model.finding import Finding

FORMATS: Final = ("text", "json")
MOST_OF_A_KIND: Final = 5
"""Findings of one kind that a person is told; JSON has them all."""


def require_format(session: Session) -> None:
    """Refuse a format that none of the views has.

    Raises:
        UsageError: `format-unknown`.
    """
    if session.output_format not in FORMATS:
        raise UsageError(
            "format-unknown",
            f"skills list --agent prints {', '.join(FORMATS)}, not {session.output_format}",
            next_step=f"--format {FORMATS[0]}",
        )


def list_inputs(
    cwd: str,
    name: str,
    version: str | None,
    given: Mapping[str, list[str]],
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """What a list of one agent's skills was made from, as JSON has it.

    Args:
        cwd: where the agent starts, as it is shown.
        name: of the agent.
        version: whose rules were taken.
        given: the agent's own settings that were given, by the member's name.
        options: of the command.
    """
    folder = options.get("system_folder")
    system = None if folder is None else str(folder)
    return {
        "at": "worktree",
        "revision": None,
        "cwd": cwd,
        "targets": [],
        "profile": None,
        "agent": {"name": name, "version": version, **given, "system_dir": system},
    }


def print_report(session: Session, to_json: Callable[[], str], to_text: Callable[[], str]) -> None:
    """Print in the asked format.

    Raises:
        UsageError: `format-unknown`.
    """
    require_format(session)
    write_out(to_json() if session.output_format == "json" else to_text())


def few_of_each(
    findings: Iterable[Finding],
    spell: Callable[[Finding], Sequence[str]],
    *,
    is_repeated: Callable[[str], bool] = lambda _: True,
) -> list[str]:
    """The lines of the findings, with at most a few of each kind that comes often.

    Args:
        findings: in their order.
        spell: gives the lines of one.
        is_repeated: whether a kind, by its slug, comes often.
    """
    lines: list[str] = []
    told: dict[str, int] = {}
    for finding in findings:
        told[finding.slug] = told.get(finding.slug, 0) + 1
        if not is_repeated(finding.slug) or told[finding.slug] <= MOST_OF_A_KIND:
            lines += spell(finding)
    lines += [
        f"{count - MOST_OF_A_KIND:,} more of {slug}: --format json"
        for slug, count in told.items()
        if is_repeated(slug) and count > MOST_OF_A_KIND
    ]
    return ["", *lines] if lines else []

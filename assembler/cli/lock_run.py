"""What `lock` does, once its options are known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from assembler.assess.lock_changes import SHOWN_DIGITS, find_stale, tell_changes
from assembler.cli.finding_view import to_lines
from assembler.cli.gate import spell_policy_from
from assembler.cli.output import envelope, escape, number, write_out
from assembler.cli.session import Session
from assembler.config.defaults import LOCK
from assembler.errors import EXIT_FINDINGS, EXIT_OK
from assembler.front.locking import LockReport, no_lock, report_lock, write_report
from assembler.model.finding import Finding
from assembler.model.locked import LockChange

FORMATS: Final = ("text", "json")
SCHEMA: Final = "assembler/lock-report/1"


def show_lock(session: Session, options: Mapping[str, Any]) -> int:
    """Write the lock, and print what of it is new."""
    report = _report(session, options)
    is_written = write_report(report)
    if session.output_format == "json":
        write_out(_to_json(report, report.findings, EXIT_OK, is_written=is_written))
        return EXIT_OK
    told = tell_changes(report.changes)
    lines = [_line(change) for change in told]
    others = len(report.current) - sum(change.state != "D" for change in report.changes)
    if lines and others:
        lines[-1] = f"{lines[-1]:<64}  = {_count(others, 'other', 'others')}"
    lines += to_lines(report.findings, color=session.color)
    count = _count(len(report.current), "entry", "entries")
    done = f"Wrote {LOCK}" if is_written else f"{LOCK} is as it was"
    lines.append(f"{done}: {count}. Tool pins are moved by `tools approve` only.")
    write_out("\n".join(lines) + "\n")
    return EXIT_OK


def show_check(session: Session, options: Mapping[str, Any]) -> int:
    """Print what is not as it is locked; exit 1 where something is."""
    report = _report(session, options)
    if report.locked is None:
        raise no_lock(report.judge)
    stale = find_stale(report.changes, lock=LOCK, judge=report.judge)
    findings = (*stale, *report.findings)
    exit_code = EXIT_FINDINGS if findings else EXIT_OK
    if session.output_format == "json":
        write_out(_to_json(report, findings, exit_code, is_written=False))
        return exit_code
    lines = [*to_lines(findings, color=session.color)]
    entries = _count(len(report.locked), "entry", "entries")
    count = _count(len(findings), "warning", "warnings")
    if report.judge is not None:
        entries += f" of {report.judge}"
    lines.append(f"{count} in {entries}" if findings else f"{entries}: as locked")
    write_out("\n".join(lines) + "\n")
    return exit_code


def _report(session: Session, options: Mapping[str, Any]) -> LockReport:
    return report_lock(
        session.cwd,
        environment=session.environment,
        at=options["at"],
        profile=options["profile"],
        host=session.resolve(options["host"]),
        policy_from=options["policy_from"],
    )


def _count(count: int, one: str, many: str) -> str:
    return f"{number(count)} {one if count == 1 else many}"


def _line(change: LockChange) -> str:
    name = f"  {change.state}  {escape(change.shown_name):<34}"
    old, new = ((digest or "")[:SHOWN_DIGITS] for digest in (change.locked, change.current))
    if change.kind == "catalog" and change.state == "M":
        return f"{name}  stays {old}; the pin is {new}"
    return f"{name}  {f'{old} -> {new}' if old and new else old or new}"


def _to_json(
    report: LockReport, findings: tuple[Finding, ...], exit_code: int, *, is_written: bool
) -> str:
    body = {
        "counter": {"name": report.counter},
        "entries": [entry.to_json() for entry in report.current],
        "changes": [change._asdict() for change in report.changes],
        "findings": [finding.to_json() for finding in findings],
        "written": is_written,
    }
    inputs = {
        "at": report.at,
        "revision": report.revision,
        "profile": {"name": report.profile},
        "policy_from": spell_policy_from(report.policy_from),
    }
    return envelope(SCHEMA, exit_code, inputs, body)

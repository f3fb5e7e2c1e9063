"""What `check` does, once its options are known: every finding, in one of five forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
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
from assembler.errors import UsageError
from assembler.front.checking import WIDENS, CheckReport, check_repository
from assembler.front.finding_codes import choose_codes
from assembler.model.finding import SEVERITIES, finding_order
from assembler.model.quieted import Quieted

SCHEMA = "assembler/check/1"
NOTHING = "no instruction files, skills or pins found"


__all__ = ["FAIL_ON", "FORMATS", "SCHEMA", "show_check", "summary"]


def show_check(session: Session, options: Mapping[str, Any]) -> int:
    """Print the findings, and say the exit code."""
    named = options["write_baseline"]
    if named is not None:
        _require_writable(options)
    report = check_repository(
        session.cwd,
        environment=session.environment,
        at=options["at"],
        paths=options["paths"],
        profile=options["profile"],
        host=session.resolve(options["host"]),
        codes=choose_codes(options["select"], options["ignore"]),
        policy_from=options["policy_from"],
        baseline=options["baseline"],
        agents=options["agents"],
    )
    if named is not None:
        report = _write_known(report, session.resolve(named), named)
    exit_code = exit_code_of(report.findings, options["fail_on"])
    if session.output_format == "json":
        write_out(_to_json(report, options, exit_code))
    else:
        said = summary(report, options["baseline"], named)
        show_findings(session, report.findings, said, command="check", quieted=report.quieted)
    return exit_code


def _require_writable(options: Mapping[str, Any]) -> None:
    """Refuse a baseline of a part, or one beside another.

    Raises:
        UsageError: `option-conflict`.
    """
    if options["paths"] or options["baseline"] is not None:
        what = "paths narrow" if options["paths"] else "--baseline narrows"
        raise UsageError(
            "option-conflict",
            f"--write-baseline is of all that is found, and {what} it",
            next_step="leave one of the two out",
        )


def _write_known(report: CheckReport, path: Path | None, named: str) -> CheckReport:
    """The same, with all that can be known written to a baseline and quiet.

    Raises:
        UsageError: nothing was looked at, or the file can't be written.
    """
    from assembler.assess.baseline import compare_baseline, make_baseline
    from assembler.front.baselines import put_baseline

    assert path is not None  # it was named
    widening = next((one for one in report.findings if one.slug == WIDENS), None)
    if widening is not None:
        raise UsageError(
            widening.slug, widening.message, where=widening.path, next_step=widening.fix
        )
    put_baseline(path, report.findings)
    compared = compare_baseline(report.findings, make_baseline(report.findings), frozenset())
    more = [Quieted(finding, "baseline", f"in the baseline {named}") for finding in compared.known]
    both = sorted((*report.quieted, *more), key=lambda item: finding_order(item.finding))
    return report._replace(findings=compared.told, quieted=tuple(both))


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
    body = {
        "findings": findings,
        "excepted": [one.to_json() for one in report.quieted if one.by == "profile"],
        "baseline": _baseline_to_json(report, options),
        "counted": counted,
    }
    return envelope(SCHEMA, exit_code, inputs, body)


def _baseline_to_json(report: CheckReport, options: Mapping[str, Any]) -> dict[str, Any] | None:
    written, read = options["write_baseline"], options["baseline"]
    if written is None and read is None:
        return None
    return {
        "file": read if written is None else written,
        "known": _count_quieted(report, "baseline"),
        "gone": report.gone,
        "is_written": written is not None,
    }


def _count_quieted(report: CheckReport, by: str) -> int:
    return sum(one.by == by for one in report.quieted)


def summary(report: CheckReport, baseline: str | None = None, written: str | None = None) -> str:
    """The last lines: how much of what and where to read on, then what became of a baseline."""
    lines = [_summary_line(report)]
    if written is not None:
        known = _count_quieted(report, "baseline")
        lines.append(f"Wrote {escape(written)}: {_spell(known, 'finding')}")
    elif report.gone:
        file, are = escape(str(baseline)), "is" if report.gone == 1 else "are"
        again = f"Write it again: assembler check --write-baseline {file}"
        lines.append(f"{number(report.gone)} of {file} {are} no longer there. {again}")
    return "\n".join(lines)


def _summary_line(report: CheckReport) -> str:
    looked_at = (
        (report.chains, "chain"),
        (report.skills, "skill"),
        (report.catalogs, "tool catalog"),
    )
    things = [_spell(count, word) for count, word in looked_at if count]
    counts = told_counts(report.findings)
    more = "".join(f"; {words}" for words in _asides(report))
    if not counts:
        return f"{', '.join(things)}: no findings{more}" if things else f"{NOTHING}{more}"
    gravest = min(report.findings, key=lambda finding: SEVERITIES.index(finding.severity))
    where = ", ".join(things) or _spell(0, "chain")
    return f"{', '.join(counts)} in {where}{more}. More: assembler explain {gravest.code}"


def _asides(report: CheckReport) -> Iterator[str]:
    """What is known and not told, and whose word that is."""
    for by, words in (("profile", "excepted"), ("baseline", "in the baseline")):
        count = _count_quieted(report, by)
        if count:
            yield f"{number(count)} {words}"
    if report.policy_from is not None:
        yield f"policy from {escape(str(report.policy_from))}"


def _spell(count: int, word: str) -> str:
    return f"{number(count)} {word if count == 1 else f'{word}s'}"

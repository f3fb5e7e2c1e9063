"""An instruction chain for a person and as JSON: rows, findings, the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assembler.cli.finding_words import finding_words
from assembler.cli.output import envelope, escape, lay_out, number, share
from assembler.cli.session import Session
from assembler.errors import EXIT_OK
from assembler.model.chain import ChainRow

if TYPE_CHECKING:
    from assembler.front.chain_report import ChainReport

MOST_HEADINGS = 8
"""Told to a person; JSON has up to a hundred."""

_SILENT_NOTES = frozenset({"html-comment", "other-agents-file", "outside-root"})
"""Advice that is not worth a line: JSON has it, and rows say most of it."""


def to_json(
    report: ChainReport,
    *,
    agent: Mapping[str, Any] | None = None,
    asked_of: Mapping[str, Any] | None = None,
    exit_code: int = EXIT_OK,
) -> str:
    """The JSON document.

    Args:
        report: the chain.
        agent: what a named agent makes of it.
        asked_of: that agent, as it was asked for.
        exit_code: of the command.
    """
    inputs = {
        "at": report.at,
        "revision": report.revision,
        "cwd": report.cwd or ".",
        "targets": list(report.targets),
        "profile": None if asked_of else {"name": report.profile},
        "agent": asked_of,
    }
    chain = report.chain
    body = {
        "counter": {"unit": "token", "name": report.counter, "basis": "measured"},
        **({} if agent is None else {"agent": agent}),
        "chain": _rows(report),
        "total_bytes": chain.total_bytes,
        "limit_bytes": chain.limit_bytes,
        "tokens": sum(report.tokens.values()),
        "findings": [finding.to_json() for finding in chain.findings],
    }
    return envelope("assembler/chain/1", exit_code, inputs, body)


def _rows(report: ChainReport) -> list[dict[str, Any]]:
    """The chain's rows, each with its tokens and how it differs from HEAD."""
    return [
        {
            **row.to_json(),
            "tokens": tokens_of(row, report),
            "version": report.versions.get(row.path),
        }
        for row in report.chain.rows
    ]


def tokens_of(row: ChainRow, report: ChainReport) -> int | None:
    """Of what is loaded; None for a text that no counter takes."""
    return report.tokens.get(row.path, None if row.loaded_bytes else 0)


def to_text(report: ChainReport, session: Session) -> str:
    """The table, the findings and their fixes, for a person."""
    lines = [_headline(report)]
    if report.chain.rows:
        lines += ["", *table(report, session)]
    lines += finding_lines(report)
    lines += [_verdict(report)]
    return "\n".join(lines) + "\n"


def _headline(report: ChainReport) -> str:
    where = escape(report.cwd or ".")
    if not report.chain.texts and not report.chain.lost:
        folders = (
            "1 folder" if report.searched_folders == 1 else f"{report.searched_folders} folders"
        )
        return (
            f"Instruction chain for {where}: empty. Looked for AGENTS.override.md and AGENTS.md"
            f" in {folders}."
        )
    if report.at in ("worktree", "index"):
        place = report.at
        if report.revision is not None:
            place += f" at {report.revision[:7]}"
    else:
        place = f"{escape(report.at)} ({(report.revision or '')[:7]})"
    differing = len(report.versions)
    if differing:
        files = "1 file differs" if differing == 1 else f"{differing} files differ"
        place += f"; {files} from HEAD"
    return f"Instruction chain for {where}          {place}"


def table(report: ChainReport, session: Session) -> list[str]:
    """The chain's rows and their sum, a line each."""
    cells = [("", "file", "loaded", "size", "tokens", "note")]
    for row in report.chain.rows:
        cells.append(
            (
                row.state,
                escape(row.path),
                number(row.loaded_bytes),
                number(row.size_bytes),
                number(tokens_of(row, report)),
                escape(_note(row, report)),
            )
        )
    total, limit = report.chain.total_bytes, report.chain.limit_bytes
    tokens = number(sum(report.tokens.values()))
    of_limit = f"{share(total, limit)} of {number(limit)} bytes"
    if report.agent is not None:
        of_limit += ", project files"
    cells.append(("", "", number(total), "", tokens, of_limit))
    return lay_out(cells, right=(2, 3, 4), color=session.color)


def _note(row: ChainRow, report: ChainReport) -> str:
    parts = [row.note] if row.note else []
    if row.state == "in" and not row.note and row.scope == ".":
        parts.append("root")
    if row.path in report.versions:
        parts.append(report.versions[row.path])
    return "; ".join(parts)


def finding_lines(report: ChainReport) -> list[str]:
    """What is gravest first; advice that a row's note says already is left to it."""
    lines: list[str] = []
    for finding in report.chain.findings:
        if finding.severity == "note" and finding.slug in _SILENT_NOTES:
            continue
        lost = _lost_headings(finding.data.get("headings", ()))
        lines += finding_words(finding._replace(column=None), lost)
    return ["", *lines] if lines else []


def _lost_headings(headings: Sequence[str]) -> list[str]:
    if not headings:
        return []
    shown = [f'"{escape(text)}"' for text in headings[:MOST_HEADINGS]]
    more = len(headings) - len(shown)
    return [f"  lost headings: {', '.join(shown)}" + (f", and {more:,} more" if more else "")]


def to_markdown(report: ChainReport, heading: str) -> str:
    """Heading, table and findings; what comes from the repository stands in code spans."""
    from assembler.cli.finding_view import in_code, markdown_lines

    lines = [f"### {in_code(escape(heading))}", ""]
    lines += ["| state | file | loaded | size | tokens | note |", "|---|---|--:|--:|--:|---|"]
    for row in report.chain.rows:
        note = _note(row, report)
        figures = (row.loaded_bytes, row.size_bytes, tokens_of(row, report))
        cells = [row.state, in_code(escape(row.path)), *(number(figure) for figure in figures)]
        lines.append(f"| {' | '.join(cells)} | {in_code(escape(note)) if note else ''} |")
    total, limit = report.chain.total_bytes, report.chain.limit_bytes
    lines += ["", f"{number(total)} of {number(limit)} bytes.", ""]
    return "\n".join([*lines, *markdown_lines(report.chain.findings)]).rstrip("\n") + "\n"


def warning_lines(report: ChainReport) -> list[str]:
    """What is lost or was probably not meant, where the output is the bare text."""
    lines = []
    for finding in report.chain.findings:
        if finding.severity != "note":
            place = "" if finding.path is None else f"{escape(finding.path)}: "
            word = "error" if finding.severity == "error" else "warning"
            lines.append(
                f"{word}: {place}{escape(finding.message)} ({finding.code} {finding.slug})"
            )
    return lines


def _verdict(report: ChainReport) -> str:
    from assembler.assess.chain import refuse_broken_chain

    counted = f"Tokens: {report.counter}, counted."
    if refuse_broken_chain(report.chain) is not None:
        return f"`assembler assemble` refuses this chain (exit 3). {counted}"
    if not report.chain.texts:
        return "Nothing loads."
    if report.chain.on_overflow == "cut" and report.chain.lost:
        return f"`assembler assemble` takes the cut chain: the profile asks for it. {counted}"
    loud = [item for item in report.chain.findings if item.severity != "note"]
    denied = any(row.reason == "access-denied" for row in report.chain.rows)
    return counted if loud or denied else f"Nothing is lost. {counted}"

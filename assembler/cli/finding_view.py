"""A list of findings for people and for pipelines: text, GitHub's commands, Markdown, SARIF."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from assembler import __version__
from assembler.cli.output import escape, paint, write_json
from assembler.model.catalogue import explain_code
from assembler.model.finding import Finding
from assembler.model.names import first_few
from assembler.model.quieted import Quieted

_STYLES: Final = {"error": "31", "warning": "33", "note": "2"}
_GITHUB_COMMANDS: Final = {"error": "error", "warning": "warning", "note": "notice"}
_SARIF_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def to_lines(findings: Iterable[Finding], *, color: bool) -> Iterator[str]:
    """Place, severity, code and message on a line; what is lost and how to mend it below."""
    for finding in findings:
        severity = paint(finding.severity, _STYLES[finding.severity], color=color)
        code = paint(f"{finding.code} {finding.slug}", "36", color=color)
        yield f"{_place(finding)}: {severity} {code}: {escape(finding.message)}"
        for label, text in _details(finding):
            yield f"    {label:<6} {text}"


def to_github(findings: Iterable[Finding]) -> str:
    """Workflow commands, which GitHub shows beside the lines of a pull request."""
    lines = []
    for finding in findings:
        properties = {
            "file": escape(finding.path or ""),
            "line": str(finding.line or ""),
            "col": str(finding.column or ""),
            "title": f"{finding.code} {finding.slug}",
        }
        told = ",".join(f"{name}={_property(text)}" for name, text in properties.items() if text)
        details = [f"{label}: {text}" for label, text in _details(finding)]
        text = _data("\n".join([escape(finding.message), *details]))
        lines.append(f"::{_GITHUB_COMMANDS[finding.severity]} {told}::{text}\n")
    return "".join(lines)


def to_markdown(findings: Iterable[Finding], summary: str, *, command: str = "check") -> str:
    """A heading and a list; what comes from the repository stands in code and is no markup."""
    head, _, more = summary.partition("\n")
    lines = [f"### assembler {command}: {head}", "", *markdown_lines(findings)]
    lines += ["", in_code(more)] if more else []
    return "\n".join(lines).rstrip("\n") + "\n"


def markdown_lines(findings: Iterable[Finding]) -> list[str]:
    """The list alone."""
    lines: list[str] = []
    for finding in findings:
        head = f"- **{finding.severity}** {finding.code} {finding.slug}"
        lines.append(f"{head} {in_code(_place(finding))}: {in_code(escape(finding.message))}")
        lines += [f"  - {label}: {in_code(text)}" for label, text in _details(finding)]
    return lines


def to_sarif(findings: Sequence[Finding], quieted: Sequence[Quieted] = ()) -> str:
    """SARIF 2.1.0, with the rules that occur; what is known and not told is suppressed."""
    silent = [one.finding for one in quieted]
    codes = sorted({finding.code for finding in (*findings, *silent)})
    results = [_sarif_result(finding, codes.index(finding.code)) for finding in findings]
    for one in quieted:
        result = _sarif_result(one.finding, codes.index(one.finding.code))
        reason = {"kind": "external", "status": "accepted", "justification": escape(one.reason)}
        results.append({**result, "suppressions": [reason]})
    driver = {
        "name": "assembler",
        "version": __version__,
        "rules": [_sarif_rule(code) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    document = {"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}
    return write_json(document)


def _place(finding: Finding) -> str:
    parts = [escape(finding.path or ".")]
    parts += [str(part) for part in (finding.line, finding.column) if part is not None]
    return ":".join(parts)


def _details(finding: Finding) -> Iterator[tuple[str, str]]:
    """What is lost, where something is, and the fix."""
    headings = [f'"{escape(text)}"' for text in finding.data.get("headings", ())]
    files = [escape(path) for path in finding.data.get("lost_files", ())]
    if headings or files:
        yield "lost", ", ".join([*first_few(headings), *first_few(files)])
    if finding.fix:
        yield "fix", escape(finding.fix)


def _data(text: str) -> str:
    """As GitHub's own toolkit escapes what stands behind the second pair of colons."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """The same for the value of a property."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def in_code(text: str) -> str:
    """A code span that the text can't end, nor the cell of a table that it stands in."""
    text = text.replace("|", "\\u007c")
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    if not longest:
        return f"`{text}`"
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}"


def _sarif_rule(code: str) -> dict[str, Any]:
    explained = explain_code(code)
    assert explained is not None  # a finding has a code of the catalogue
    return {
        "id": code,
        "name": explained.slug,
        "shortDescription": {"text": explained.meaning},
        "fullDescription": {"text": explained.why},
        "help": {"text": explained.fix},
        "defaultConfiguration": {"level": explained.severity},
    }


def _sarif_result(finding: Finding, rule_index: int) -> dict[str, Any]:
    details = [f"{label}: {text}" for label, text in _details(finding)]
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": rule_index,
        "level": finding.severity,
        "message": {"text": _plain_text("\n".join([escape(finding.message), *details]))},
    }
    if finding.path is not None:
        from urllib.parse import quote

        place: dict[str, Any] = {"artifactLocation": {"uri": quote(finding.path)}}
        if finding.line is not None:
            place["region"] = {"startLine": finding.line}
            if finding.column is not None:
                place["region"]["startColumn"] = finding.column
        result["locations"] = [{"physicalLocation": place}]
    return result


def _plain_text(text: str) -> str:
    """Text of a SARIF message, in which square brackets would make a link (2.1.0, 3.11.6)."""
    for mark in "\\[]":
        text = text.replace(mark, f"\\{mark}")
    return text

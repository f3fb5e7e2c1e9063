"""One skill as text and JSON: its levels, its files by size, and what it asks for."""

from __future__ import annotations

from typing import Any, Final

from assembler.cli.finding_view import to_lines
from assembler.cli.output import envelope, escape, number
from assembler.cli.skill_view import SCHEMA, inputs, row_to_json
from assembler.errors import EXIT_OK
from assembler.front.skill_listing import SkillReport
from assembler.front.skill_rows import SkillRow
from assembler.model.counting import plural
from assembler.model.finding import Finding
from assembler.model.names import first_few
from assembler.model.tree import Entry

DIGITS: Final = 12
MAX_FILES: Final = 50
"""Shown of the folder; all of them are in JSON."""
MAX_DESCRIPTION_CHARACTERS: Final = 60
"""Shown of the description; the whole of it is in JSON."""


def to_text(report: SkillReport, row: SkillRow) -> str:
    """A heading, a line for each level, and what it asks for beside the grant."""
    skill = row.skill
    unit = plural(report.unit)
    described = shorten(skill.description or "")
    lines = ["     ".join([escape(row.name), escape(skill.folder or "."), _standing(row)])]
    if row.costs.line is not None:
        digest = _short(skill.front_matter_sha256)
        lines.append(_line("line", f"{number(row.costs.line)} {unit}", digest, escape(described)))
    if row.costs.instructions is not None:
        cost = f"{number(row.costs.instructions)} {unit}"
        lines.append(_line("SKILL.md", cost, _short(skill.instructions_sha256)))
    files = resources(row)
    for entry, path in files[:MAX_FILES]:
        lines.append(_line("on request", _size(entry), escape(path)))
    if len(files) > MAX_FILES:
        lines.append(_line("on request", f"{number(len(files) - MAX_FILES)} more files"))
    if skill.files:
        size = number(_total_bytes(row))
        count = f"{number(len(skill.files))} file{'' if len(skill.files) == 1 else 's'}"
        lines.append(_line("folder", f"{count}, {size} bytes", _folder(row)))
    if skill.asks_for:
        lines.append(_line("asks for", escape(", ".join(skill.asks_for))))
    lines.append(_line("grant", f"{escape(grant(report))}          (a skill adds nothing to this)"))
    lines += to_lines(about(report, row), color=False)
    return "\n".join(lines) + "\n"


def to_json(report: SkillReport, row: SkillRow) -> str:
    """The JSON document: the row of the list, and what only one skill is asked for."""
    members = row.skill.members
    skill = {
        **row_to_json(row),
        "folder": row.skill.folder,
        "properties": members if isinstance(members, dict) else dict(members),
        "resources": [
            {
                "path": path,
                "kind": str(entry.kind),
                "size_bytes": entry.size_bytes,
                "sha256": None if row.folder is None else row.folder.files.get(path),
            }
            for entry, path in resources(row)
        ],
        "folder_bytes": _total_bytes(row),
        "untold": [] if row.folder is None else [list(pair) for pair in row.folder.untold],
        "lock_entry": _lock_entry(row),
    }
    executor = report.executor
    body = {
        "counter": {"unit": report.unit, "name": report.counter, "basis": "measured"},
        "skills": [skill],
        "grant": {
            "tools": list(executor.tools),
            "hosts": list(executor.hosts),
            "write": list(executor.write),
            "resident": list(report.resident),
        },
        "findings": [finding.to_json() for finding in about(report, row)],
    }
    return envelope(SCHEMA, EXIT_OK, inputs(report), body)


def about(report: SkillReport, row: SkillRow) -> list[Finding]:
    """The findings of the file, and those that a run has about the skill."""
    folder = row.skill.prefix
    names = {row.skill.name} - {None}
    own = [
        finding
        for finding in report.other_findings
        if finding.data.get("skill") in names
        or (folder and (finding.path or "").startswith(folder))
    ]
    return [*row.skill.findings, *own]


def _lock_entry(row: SkillRow) -> dict[str, Any] | None:
    """The entry of a lock that pins it as it is; None while its folder has no digest."""
    if row.folder is None or row.folder.sha256 is None or row.skill.name is None:
        return None
    return {
        "kind": "skill",
        "name": row.skill.name,
        "sha256": row.folder.sha256,
        "tokens": row.costs.instructions,
        "instructions": row.skill.instructions_sha256,
        "files": dict(sorted(row.folder.files.items())),
    }


def resources(row: SkillRow) -> list[tuple[Entry, str]]:
    """The files of the folder beside SKILL.md, with their paths in it."""
    skill = row.skill
    return [
        (entry, entry.path.removeprefix(skill.prefix))
        for entry in skill.files
        if entry.path != skill.path
    ]


def grant(report: SkillReport) -> str:
    """What the host lets an agent do, in a line."""
    executor = report.executor
    tools = dict.fromkeys((*report.resident, *executor.tools))
    parts = [", ".join(tools) if tools else "no tools"]
    parts += [f"write {', '.join(executor.write)}"] if executor.write else []
    parts += [f"hosts {', '.join(executor.hosts)}"] if executor.hosts else []
    return "; ".join(parts)


def shorten(text: str) -> str:
    """The beginning of a description, cut at a blank."""
    if len(text) <= MAX_DESCRIPTION_CHARACTERS:
        return text
    return text[: MAX_DESCRIPTION_CHARACTERS - 3].rpartition(" ")[0] + " ..."


def _standing(row: SkillRow) -> str:
    if row.pin is not None and row.pin.state == "broken":
        return f"pin broken: {escape(row.pin.spell())}"
    if row.state == "listed":
        is_locked = row.pin is not None and row.pin.state == "locked"
        place = row.pin.pin.place if row.pin is not None and row.pin.pin is not None else ""
        return f"locked, matches {escape(place)}" if is_locked else "not locked"
    place = "" if row.where is None or row.where == row.skill.path else f" ({row.where})"
    return f"{row.state}: {row.reason}{escape(place)}"


def _line(label: str, figure: str, *rest: str) -> str:
    return "  " + "   ".join([f"{label:<10}", f"{figure:>14}" if rest else figure, *rest]).rstrip()


def _size(entry: Entry) -> str:
    return "no file" if entry.size_bytes is None else f"{number(entry.size_bytes)} bytes"


def _folder(row: SkillRow) -> str:
    """The folder's digest, or why it has none."""
    if row.folder_sha256 is not None:
        return _short(row.folder_sha256)
    untold = () if row.folder is None else row.folder.untold
    reasons = [f"{path}: {reason}" if path else reason for path, reason in untold]
    return escape(f"no digest: {', '.join(first_few(reasons))}")


def _short(digest: str | None) -> str:
    return "" if digest is None else f"sha256:{digest[:DIGITS]}"


def _total_bytes(row: SkillRow) -> int:
    return sum(entry.size_bytes or 0 for entry in row.skill.files)

"""The list of skills as text, JSON and the specification's block; one skill as text and JSON."""

from __future__ import annotations

import html
from typing import Any, Final

from assembler.cli.finding_view import to_lines
from assembler.cli.output import envelope, escape, lay_out, number
from assembler.cli.session import Session
from assembler.errors import EXIT_OK
from assembler.front.skill_listing import SkillReport
from assembler.front.skill_rows import SkillRow
from assembler.model.counting import plural
from assembler.model.skill_pin import PinCheck
from assembler.model.skill_places import DEFAULT_SKILL_ROOTS

SCHEMA: Final = "assembler/skills/1"


def to_text(report: SkillReport, *, color: bool) -> str:
    """The table, for a person."""
    if not report.rows:
        roots = ", ".join(dict.fromkeys((*DEFAULT_SKILL_ROOTS, *report.roots)))
        folders = report.cwd.count("/") + 2 if report.cwd else 1
        levels = "1 folder" if folders == 1 else f"{number(folders)} folders"
        return f"No skills found. Looked for {escape(roots)} in {levels}.\n"
    cells = [("", "name", "line", "SKILL.md", "files", "source", "note")]
    cells += [
        (
            _word(row),
            escape(row.name),
            number(row.costs.line),
            number(row.costs.instructions),
            number(len(row.skill.files) or None),
            escape(row.source),
            escape(_note(row)),
        )
        for row in report.rows
    ]
    lines = lay_out(cells, right=(2, 3, 4), color=color)
    lines += _totals(report)
    lines += to_lines(report.other_findings, color=color)
    return "\n".join([*lines, *_refusals(report)]) + "\n"


def _refusals(report: SkillReport) -> list[str]:
    """What makes `assemble` refuse the same task here."""
    lines = [f"refused: {escape(item.message)} ({item.code})" for item in report.refusals]
    return [*lines, "`assembler assemble` refuses this run (exit 3)."] if lines else []


def _totals(report: SkillReport) -> list[str]:
    """What lines and active skills count, alone and as they stand in an input."""
    unit = plural(report.unit)
    active = f", active {number(report.active_cost)}" if report.active_cost else ""
    lines, bodies = report.rendered_cost
    whole = f" and {number(bodies)}" if bodies else ""
    basis = f"{unit[0].upper()}{unit[1:]}: {report.counter}, counted."
    return [
        f"Catalog {number(report.catalog_cost)} {unit}{active}. "
        f"`line`: name and description only. {basis}",
        f"In an input, each with its header: {number(lines)}{whole}.",
    ]


def _word(row: SkillRow) -> str:
    if row.active is not None:
        return "in"
    return "line" if row.state == "listed" else "out"


def _note(row: SkillRow) -> str:
    if row.state == "listed":
        told = [finding.slug for finding in row.skill.findings if finding.severity != "note"]
        active = [] if row.active is None else [f"active: {row.active}"]
        locked = ["locked"] if row.pin is not None and row.pin.state == "locked" else []
        shortened = [] if row.shortened is None else ["shortened: catalog-over-budget"]
        return "; ".join([*active, *locked, *shortened, *dict.fromkeys(told)])
    # Without a name of its own, only the path says which it is.
    is_told = row.where is None or (row.where == row.skill.path and row.skill.name is not None)
    why = str(row.reason) if is_told else f"{row.reason}: {row.where}"
    return why if row.active is None else f"active: {row.active}; its line is out, {why}"


def to_prompt(report: SkillReport) -> str:
    """The block of the specification, everything escaped; empty where no skill is listed."""
    listed = [row for row in report.rows if row.state == "listed"]
    if not listed:
        return ""
    lines = ["<available_skills>"]
    for row in listed:
        written = str(row.skill.members.get("description") or "").strip()
        lines += ["<skill>"]
        for tag, text in (
            ("name", row.skill.name or ""),
            ("description", written if row.shortened is None else row.shown or ""),
            ("location", escape(location(report, row))),
        ):
            lines += [f"<{tag}>", html.escape(text), f"</{tag}>"]
        lines += ["</skill>"]
    return "\n".join([*lines, "</available_skills>"]) + "\n"


def location(report: SkillReport, row: SkillRow) -> str:
    """Where a client finds the SKILL.md: absolute, or below the user's home."""
    path = row.skill.path
    return path if path.startswith(("~/", "/")) else str(report.root / path)


def to_json(report: SkillReport) -> str:
    """The JSON document of a list."""
    body = {
        **_counter(report),
        "skills": [row_to_json(row) for row in report.rows],
        "catalog_cost": report.catalog_cost,
        "active_cost": report.active_cost,
        "rendered_cost": dict(zip(("catalog", "active"), report.rendered_cost, strict=True)),
        "refuses": [item._asdict() for item in report.refusals],
        "findings": [finding.to_json() for finding in report.findings],
    }
    return envelope(SCHEMA, EXIT_OK, inputs(report), body)


def _counter(report: SkillReport) -> dict[str, Any]:
    counter = {"unit": report.unit, "name": report.counter, "basis": "measured"}
    return {"counter": counter}


def inputs(report: SkillReport) -> dict[str, Any]:
    """What the answer was made from."""
    return {
        "at": report.at,
        "revision": report.revision,
        "cwd": report.cwd or ".",
        "targets": list(report.targets),
        "profile": {"name": report.profile},
        "agent": None,
    }


def row_to_json(row: SkillRow) -> dict[str, Any]:
    """One skill, every level of it by digest and cost."""
    skill = row.skill
    return {
        "name": skill.name,
        "description": skill.description,
        "state": row.state,
        "reason": row.reason,
        "where": row.where,
        "active": row.active,
        "path": skill.path,
        "source": row.source,
        "scope": skill.scope or ".",
        "digests": {
            "front_matter": _tagged(skill.front_matter_sha256),
            "instructions": _tagged(skill.instructions_sha256),
            "folder": _tagged(row.folder_sha256),
        },
        "tokens": row.costs._asdict(),
        "shortened": row.shortened,
        "size_bytes": skill.size_bytes,
        "files": len(skill.files),
        "allowed_tools": list(skill.asks_for),
        "pin": None if row.pin is None else pin_to_json(row.pin),
        "findings": [finding.to_json() for finding in skill.findings],
    }


def pin_to_json(check: PinCheck) -> dict[str, Any]:
    """What became of a pin: its state, who holds it, and which files differ."""
    pin = check.pin
    return {
        "state": check.state,
        "place": None if pin is None else pin.place,
        "sha256": None if pin is None else _tagged(pin.sha256),
        "changed": list(check.changed),
        "added": list(check.added),
        "removed": list(check.removed),
    }


def _tagged(digest: str | None) -> str | None:
    return None if digest is None else f"sha256:{digest}"


def hint_at_findings(report: SkillReport, session: Session) -> None:
    """On stderr: that something is wrong with files of skills, and where it is told."""
    own = [finding for row in report.rows for finding in row.skill.findings]
    count = sum(finding.severity != "note" for finding in own)
    if count and session.output_format == "text":
        said = "1 finding" if count == 1 else f"{number(count)} findings"
        session.hint(f"{said} about these files; what and where: assembler skills check")
    if report.foreign_roots:
        roots = ", ".join(escape(root) for root in report.foreign_roots)
        session.hint(f"not looked in: {roots}; name it under `skills.roots` of a profile")

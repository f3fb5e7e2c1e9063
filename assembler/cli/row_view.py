"""One ledger row for a person: its state, its word, and why, with the arithmetic or the name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from assembler.cli.output import number
from assembler.model.counting import DECLARED
from assembler.model.names import first_few

DIFFERS: Final = "policy-differs"
"""The code of what is not as the policy has it; its row says what a branch did."""


def row_state(row: Mapping[str, Any]) -> str:
    """`in`, `out` or `denied`."""
    if row["access"] == "denied":
        return "denied"
    return "in" if row["decision"] == "selected" else "out"


def row_code(row: Mapping[str, Any]) -> str:
    """The word for the decision: of a turned-away thing the finding's slug."""
    if row["reason"] == "turned-away":
        return str(row["detail"]["code"])
    if row["reason"] == "content-absent" and row["detail"].get("absent") == "unreadable":
        return "not-found"
    return str(row["reason"])


def cost_basis(row: Mapping[str, Any], counter: str) -> str | None:
    """`measured`, or what the host said of the size: `declared`, `estimated`; None: no cost.

    One is never passed off as another.
    """
    if row["cost"] is None:
        return None
    return str(row["size"]["basis"]) if counter == DECLARED else "measured"


def row_note(row: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """A few words that say why, with the arithmetic or the name that caused it."""
    detail = row["detail"]
    match row["reason"]:
        case "required" | "fits":
            return _note_in(row, names)
        case "access-denied":
            return f"access-denied: {detail['rule']}; never opened"
        case "turned-away" if detail["code"] == DIFFERS:
            return _note_difference(row)
        case "turned-away":
            return f"{detail['code']}: {detail['where']}"
        case "stale":
            made_at = row["revision"] or "another revision"
            return f"stale: made at {made_at}, {detail['source']} has other bytes now"
        case "freshness-unknown":
            told = _told_of(row)
            why = f": {told}" if told else " could not be read"
            return f"freshness-unknown: {detail['source']}{why}"
        case "budget-exceeded":
            group = f" (group {detail['group']})" if "group" in detail else ""
            total = f"{number(detail['used_before'])} + {number(detail['cost'])}"
            total += f" = {number(detail['would_be'])} > {number(detail['limit'])}"
            return f"budget-exceeded{group}: {total}"
        case "already-resident" | "duplicate-content":
            return f"{row['reason']}: as {detail['as']}"
        case "sealed-id" | "sealed-lineage":
            named = detail.get("id") or ", ".join(first_few(detail["lineage"]))
            return f"{row['reason']}: {detail['list']} {named}"
        case "no-decision-value":
            return f"no-decision-value: {row['discovered_by'] or 'changes no decision'}"
        case "content-absent":
            found_by = row["discovered_by"] or row["source"]
            found_by = f": {found_by}" if found_by else ""
            return f"{row_code(row)}{found_by}"
        case _:
            parts = [f"{name} {spell(value)}" for name, value in sorted(detail.items())]
            return f"{row['reason']}: {', '.join(parts)}" if parts else str(row["reason"])


def _told_of(row: Mapping[str, Any]) -> str:
    """What was found when an item was looked for, behind who asked for it."""
    return str(row["discovered_by"] or "").partition("; ")[2]


def _note_difference(row: Mapping[str, Any]) -> str:
    """What a branch did to a piece of policy, and what became of it."""
    what = (row["version"] or "").partition(";")[0]
    return f"{what} here, {'the policy still has it' if what == 'removed' else 'not used'}"


def _note_in(row: Mapping[str, Any], names: Mapping[str, str]) -> str:
    parts = []
    if row["revision"] is not None and row["section"] in ("policy", "evidence", "work"):
        parts.append(names.get(row["revision"], row["revision"][:12]))
    if row["version"] is not None and (
        row["kind"] == "instruction"
        or row["trust"] == "untrusted"
        or (row["revision"] is None and row["section"] != "tools")
    ):
        parts.append(row["version"])
    if row["kind"] == "skill" and row["discovered_by"] is not None:
        parts.append(row["discovered_by"])
    if row["trust"] == "untrusted":
        parts.append("quoted as data")
    if row["replaces"]:
        word = "replaces" if row["kind"] == "record" else "read again in place of"
        parts.append(f"{word} {', '.join(row['replaces'])}")
    elif row["decides"] is not None:
        parts.append(row["decides"])
    if row["required"] and row["section"] == "evidence":
        parts.append("required")
    return "; ".join(parts)


def spell(value: object) -> str:
    """A value of a detail in words."""
    if isinstance(value, list):
        return " ".join(first_few(value))
    return "-" if value is None else str(value)

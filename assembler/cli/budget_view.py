"""The budget equation of a run, for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from assembler.cli.output import escape, number

_Term: TypeAlias = "tuple[str, int | None]"


def lay_out_budget(budget: Mapping[str, Any], *, evidence: int) -> list[str]:
    """Window, reserves, sections and rest in a few lines, with what is left after each step.

    Args:
        budget: as the manifest has it.
        evidence: cost of the whole section, in the budget's unit.
    """
    used = "- evidence" if evidence == budget["used"] else "- evidence, optional items"
    resident = budget["resident"]
    terms = [("- " + escape(name), amount) for name, amount in budget["reserves"].items()]
    frame = [("- frame", budget["overhead"])] if budget["overhead"] else []
    kept = [
        *frame,
        ("- policy", resident["policy"]),
        ("- task", resident["task"]),
        ("- tools and skills", resident["tools"]),
        ("- work record", resident["work"]),
    ]
    window, envelope = ("window", budget["window"]), ("= input envelope", budget["envelope"])
    opening = [[window], *_in_pairs(terms, envelope)] if terms else _in_pairs([window], envelope)
    rows = [
        *opening,
        *_in_pairs(kept, ("= room for evidence", budget["limit"])),
        *_in_pairs([(used, budget["used"])], ("= left", budget["slack"])),
    ]
    return _lay_out_terms(rows)


def _in_pairs(terms: Sequence[_Term], result: _Term) -> list[list[_Term]]:
    """Terms two a line, the result at the end of the last line."""
    lines = [list(terms[start : start + 2]) for start in range(0, len(terms), 2)] or [[]]
    lines[-1] += [("", None)] * (2 - len(lines[-1])) + [result]
    return lines


def _lay_out_terms(rows: Sequence[Sequence[_Term]]) -> list[str]:
    widths = [0, 0, 0]
    digits = [0, 0, 0]
    for row in rows:
        for column, (label, amount) in enumerate(row):
            widths[column] = max(widths[column], len(label))
            digits[column] = max(digits[column], len(_figure(amount)))
    lines = []
    for row in rows:
        cells = [
            f"{label:<{widths[column]}}  {_figure(amount):>{digits[column]}}"
            for column, (label, amount) in enumerate(row)
        ]
        lines.append("  " + "    ".join(cells).rstrip())
    return lines


def _figure(amount: int | None) -> str:
    return "" if amount is None else number(amount)

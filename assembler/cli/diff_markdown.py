"""`diff` as a comment on a pull request: bounded, and nothing in it is anybody's markup.

The first line is a marker by which a program finds the comment that it wrote before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from assembler.cli.diff_findings import beside_rows, findings_line
from assembler.cli.diff_places import (
    headline,
    item_rows,
    start_rows,
)
from assembler.cli.diff_settings import judging_lines
from assembler.cli.diff_texts import ItemTexts, text_lines
from assembler.cli.finding_view import in_code

if TYPE_CHECKING:
    from assembler.front.differing import SightPair
    from assembler.front.run_pairs import RunPair

MARKER: Final = "<!-- assembler-diff -->"
MAX_CHARACTERS: Final = 60_000
"""GitHub takes 65,536 for a comment; the rest is room for what a program adds."""
_ROOM_FOR_NOTES: Final = 400
_MOST_OF_TITLE: Final = 1_000


class _Table(NamedTuple):
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    name: str
    """What a row is, where there are several."""
    most: int = MAX_CHARACTERS
    """Characters that it may take."""


def places_to_markdown(pair: SightPair, items: Sequence[ItemTexts]) -> str:
    """Heading, both tables, the findings, and the lines that differ."""
    changes = pair.changes
    title = "nothing that an agent sees differs" if changes.is_identical else changes.verdict
    head = [MARKER, f"### assembler diff: {title}", "", in_code(headline(pair)), ""]
    columns = ("started in", "policy", "skills", "tools", "all", "")
    starts = [row[1:] for row in start_rows(changes.folders)]
    tables = (
        _Table(columns, starts, "folders", MAX_CHARACTERS // 2),
        _Table(("", "what", "how", "finding"), item_rows(pair), "changes"),
    )
    findings = [f"- {in_code(line)}" for line in beside_rows(changes)]
    judging = [in_code(line) for line in judging_lines(pair)]
    parts = [findings_line(changes), *(["\n".join(findings)] if findings else []), *judging]
    tail = [line for part in parts for line in (part, "")]
    return _fit(head, tables, tail[:-1], items)


def runs_to_markdown(pair: RunPair, items: Sequence[ItemTexts]) -> str:
    """Heading, the changes, and the lines that differ."""
    from assembler.cli.diff_runs import to_lines

    first, *lines = to_lines(pair, color=False)
    rows = [(line.strip(),) for line in lines]
    title = first if len(first) <= _MOST_OF_TITLE else f"{first[:_MOST_OF_TITLE]}..."
    head = [MARKER, f"### assembler diff: {in_code(title)}", ""]
    return _fit(head, (_Table(("change",), rows, "changes"),), [], items)


def _fit(
    head: Sequence[str],
    tables: Sequence[_Table],
    tail: Sequence[str],
    items: Sequence[ItemTexts],
) -> str:
    """All of it, or as many rows and lines as there is room for, and how much is left off."""
    room = MAX_CHARACTERS - _ROOM_FOR_NOTES - _length([*head, *tail])
    body: list[str] = []
    for table in tables:
        lines = _fit_table(table, min(table.most, room))
        room -= _length(lines)
        body += lines
    return "\n".join([*head, *body, *tail, *_details(items, room)]).rstrip("\n") + "\n"


def _fit_table(table: _Table, room: int) -> list[str]:
    """The rows that there is room for under their heading, and how many there are more."""
    if not table.rows:
        return []
    heading = [_row(table.columns), _row(["---"] * len(table.columns))]
    rows = [_row([in_code(cell) if cell else "" for cell in row]) for row in table.rows]
    kept = _prefix(rows, room - _length(heading))
    left = len(rows) - len(kept)
    note = f"{left:,} more {table.name} are left off: `assembler diff --format json`"
    return [*([*heading, *kept, ""] if kept else []), *([note, ""] if left else [])]


def _details(items: Sequence[ItemTexts], room: int) -> list[str]:
    lines = [*text_lines(items, color=False)]
    if not lines:
        return []
    longest = max((len(run) for run in re.findall("`{3,}", "\n".join(lines))), default=2)
    fence = "`" * (longest + 1)
    kept = _prefix(lines, room - 2 * len(fence))
    size = sum(len(line) + 1 for line in lines[len(kept) :])
    left = len(lines) - len(kept)
    note = [f"{left:,} more lines ({size:,} characters) are left off", ""] if left else []
    if not kept:
        return ["", *note]
    summary = "<details><summary>The lines that differ</summary>"
    return ["", summary, "", f"{fence}diff", *kept, fence, "", *note, "</details>"]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _prefix(lines: Sequence[str], room: int) -> list[str]:
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return kept


def _length(lines: Iterable[str]) -> int:
    return sum(len(line) + 1 for line in lines)

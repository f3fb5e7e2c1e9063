"""`diff` as a comment on a pull request: bounded, and nothing in it is anybody's markup.

The first line is a marker by which a program finds the comment that it wrote before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from assembler.cli.diff_places import (
    findings_line,
    headline,
    item_rows,
    start_rows,
)
from assembler.cli.diff_texts import ItemTexts, text_lines
from assembler.cli.finding_view import in_code

if TYPE_CHECKING:
    from assembler.front.differing import SightPair
    from assembler.front.run_pairs import RunPair

MARKER: Final = "<!-- assembler-diff -->"
MAX_CHARACTERS: Final = 60_000
"""GitHub takes 65,536 for a comment; the rest is room for what a program adds."""
_ROOM_FOR_NOTES: Final = 400


def places_to_markdown(pair: SightPair, items: Sequence[ItemTexts]) -> str:
    """Heading, both tables, the findings, and the lines that differ."""
    changes = pair.changes
    title = "nothing that an agent sees differs" if changes.is_identical else changes.verdict
    head = [MARKER, f"### assembler diff: {title}", "", in_code(headline(pair)), ""]
    starts = start_rows(changes.folders)
    if starts:
        columns = ("started in", "policy", "skills", "tools", "all", "")
        head += [*_table(columns, [row[1:] for row in starts]), ""]
    rows = item_rows(pair)
    tail = [findings_line(changes)]
    return _fit(head, ("", "what", "how", "finding"), rows, tail, items)


def runs_to_markdown(pair: RunPair, items: Sequence[ItemTexts]) -> str:
    """Heading, the changes, and the lines that differ."""
    from assembler.cli.diff_runs import to_lines

    first, *lines = to_lines(pair, color=False)
    rows = [(line.strip(),) for line in lines]
    head = [MARKER, f"### assembler diff: {in_code(first)}", ""]
    return _fit(head, ("change",), rows, [], items)


def _fit(
    head: Sequence[str],
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    tail: Sequence[str],
    items: Sequence[ItemTexts],
) -> str:
    """All of it, or as many rows and lines as there is room for, and how much is left off."""
    room = MAX_CHARACTERS - _ROOM_FOR_NOTES - _length([*head, *tail])
    table = _table(columns, rows) if rows else []
    kept = _prefix(table, room)
    left = len(table) - len(kept)
    body = [*kept, ""] if kept else []
    if left:
        body += [f"{left:,} more changes are left off: `assembler diff --format json`", ""]
    room -= _length(body)
    return "\n".join([*head, *body, *tail, *_details(items, room)]).rstrip("\n") + "\n"


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


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [_row(columns), _row(["---"] * len(columns))]
    return [*lines, *(_row([in_code(cell) if cell else "" for cell in row]) for row in rows)]


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

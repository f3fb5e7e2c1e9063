"""The text diff of what the model reads, item by item: each hunk is headed by its item.

Every line is spelled so that two different lines look different; nothing is cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from assembler.cli.output import escape, paint
from assembler.cli.text_change import spell_line
from assembler.compare.lines import Hunk, TextChange, compare_texts

WITHHELD = "not shown: it holds what has the form of a secret"
_STYLES = {"-": "31", "+": "32"}


class ItemTexts(NamedTuple):
    """One item's text on both sides; None: the model reads nothing of it there."""

    id: str
    old: str | None
    new: str | None
    is_withheld: bool

    def compare(self) -> TextChange:
        """The hunks, and how many lines came and went."""
        return compare_texts(self.old or "", self.new or "")


def pair_texts(texts: Iterable[tuple[str, bytes | None, bytes | None]]) -> list[ItemTexts]:
    """Those that differ, readable: definitions of tools a member a line.

    Args:
        texts: id, and the bytes of both sides.
    """
    from assembler.adapters.text_scans import scan_secrets

    return [
        ItemTexts(
            name,
            _readable(name, old),
            _readable(name, new),
            is_withheld=any(data is not None and scan_secrets(data) for data in (old, new)),
        )
        for name, old, new in texts
        if old != new
    ]


def text_lines(items: Iterable[ItemTexts], *, color: bool) -> Iterator[str]:
    """All hunks, for a person."""
    for item in items:
        if item.is_withheld:
            yield paint(f"@@ {escape(item.id)} @@ {WITHHELD}", "36", color=color)
            continue
        for hunk in item.compare().hunks:
            yield paint(hunk_header(item.id, hunk), "36", color=color)
            for line in hunk.lines:
                style = _STYLES.get(line.mark)
                yield paint(f"{line.mark}{spell_line(line.text)}", style, color=color)


def hunk_header(name: str, hunk: Hunk) -> str:
    """The item, and the lines of both sides, as git counts them."""
    old, new = f"{hunk.old_start},{hunk.old_lines}", f"{hunk.new_start},{hunk.new_lines}"
    return f"@@ {escape(name)} -{old} +{new} @@"


def line_counts(item: ItemTexts) -> dict[str, int | None]:
    """Lines that came and went; None of a text that is withheld."""
    if item.is_withheld:
        return {"added": None, "removed": None}
    change = item.compare()
    return {"added": change.added, "removed": change.removed}


def _readable(name: str, data: bytes | None) -> str | None:
    if data is None:
        return None
    text = data.decode("utf-8", "backslashreplace")
    if not name.startswith("tool:"):
        return text
    import json

    try:
        value = json.loads(text)
    except ValueError:
        return text
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"

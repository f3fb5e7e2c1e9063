"""Find characters that a reader does not see, and marks that an agent would take for its own.

In: the bytes of one text and its path. Out: findings with code points and places.
Never here: a changed text. What honest text needs is not reported: joiners in emoji and in the
scripts that use them, direction marks beside right-to-left letters, glyph variants, three flags.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from assembler.model.finding import Finding, Severity, make_finding
from assembler.model.hidden_characters import (
    ERROR_RANGES,
    FLAG_TAGS,
    IDEOGRAPHS,
    JOINER_SCRIPTS,
    PICTOGRAPHS,
    WARNING_RANGES,
    is_within,
    name_kind,
)

MAX_PLACES: Final = 20
"""Runs that a finding lists; it counts all of them."""

_VISIBLE_ASCII: Final = bytes((0x09, 0x0A, 0x0D, *range(0x20, 0x7F)))

DELIMITERS: Final = (
    b"</INSTRUCTIONS>",
    b"<INSTRUCTIONS>",
    b"--- project-doc ---",
    b"# AGENTS.md instructions for ",
    b"<environment_context>",
    b"</environment_context>",
    b"<permissions instructions>",
    b"</permissions instructions>",
    b"<skills_instructions>",
    b"</skills_instructions>",
    b"<system-reminder>",
    b"</system-reminder>",
    b"--- Context from: ",
    b"--- End of Context from: ",
)
"""What agents put around instructions, and do not escape inside them."""


def find_hidden(data: bytes, path: str, *, policy: bool = True) -> tuple[Finding, ...]:
    """The hidden and invisible characters of a text; at most one finding of each code.

    Args:
        data: UTF-8, or at least mostly; bytes that are not are another finding's business.
        path: for the findings.
        policy: whether the text directs the work; elsewhere hidden characters only warn.
    """
    if data.isascii() and not data.translate(None, _VISIBLE_ASCII):
        return ()
    # Invalid bytes become one lone surrogate each, so that byte offsets stay those of the file.
    text = data.decode("utf-8", "surrogateescape")
    grave, slight = _patterns()
    found: list[Finding] = []
    runs = [run for run in _runs(text, grave) if not _is_honest_grave(text, *run)]
    if runs:
        found.append(_finding("ASM601", path, text, runs, None if policy else "warning"))
    runs = list(_dishonest_runs(text, slight))
    if runs:
        found.append(_finding("ASM604", path, text, runs, None))
    return tuple(found)


def find_delimiters(data: bytes, path: str) -> Finding | None:
    """The first place of a mark that an agent would take for its own."""
    places = sorted((data.find(mark), mark) for mark in DELIMITERS if mark in data)
    if not places:
        return None
    byte, mark = places[0]
    name = mark.decode().strip()
    return make_finding(
        "ASM603",
        path,
        f'holds "{name}", which an agent writes around instructions and does not escape inside',
        line=data.count(b"\n", 0, byte) + 1,
        fix="rephrase it, or put it where no agent loads it as instructions",
        data={"byte": byte, "marks": [found.decode().strip() for _, found in places]},
    )


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Both tiers; compiled when the first text that is not plain is met."""
    return _pattern(ERROR_RANGES), _pattern(WARNING_RANGES)


def _pattern(ranges: tuple[tuple[int, int, str], ...]) -> re.Pattern[str]:
    parts = (f"\\U{first:08x}-\\U{last:08x}" for first, last, _ in ranges)
    return re.compile(f"[{''.join(parts)}]+")


def _runs(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    return (match.span() for match in pattern.finditer(text))


def _is_honest_grave(text: str, start: int, end: int) -> bool:
    """A flag's tags, or one glyph variant behind an ideograph."""
    before = ord(text[start - 1]) if start else 0
    if end - start == 1 and is_within(before, IDEOGRAPHS):
        return 0xE0100 <= ord(text[start]) <= 0xE01EF
    if before != 0x1F3F4 or text[end - 1] != "\U000e007f":
        return False
    return "".join(chr(ord(mark) - 0xE0000) for mark in text[start : end - 1]) in FLAG_TAGS


def _dishonest_runs(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Runs of the milder tier without what emoji and scripts need."""
    for start, end in _runs(text, pattern):
        if start == 0 and text[0] == "\ufeff":
            start += 1  # noqa: PLW2901 - the byte order mark at the start is told elsewhere
        if start < end and not (end - start == 1 and _is_honest_slight(text, start)):
            yield start, end


def _is_honest_slight(text: str, start: int) -> bool:
    code_point = ord(text[start])
    before = ord(text[start - 1]) if start else 0
    after = ord(text[start + 1]) if start + 1 < len(text) else 0
    if code_point == 0x200D and is_within(before, PICTOGRAPHS) and is_within(after, PICTOGRAPHS):
        return True
    if code_point in {0x200E, 0x200F, 0x061C}:
        return is_within(before, JOINER_SCRIPTS) or is_within(after, JOINER_SCRIPTS)
    if code_point in {0x200C, 0x200D} or 0x180B <= code_point <= 0x180F:
        return is_within(before, JOINER_SCRIPTS)
    return 0x13430 <= code_point <= 0x1345F and 0x13000 <= before <= 0x1345F


def _finding(
    code: str, path: str, text: str, runs: list[tuple[int, int]], severity: Severity | None
) -> Finding:
    places = [_place(text, start, end) for start, end in runs[:MAX_PLACES]]
    count = sum(end - start for start, end in runs)
    first = ord(text[runs[0][0]])
    where = f"U+{first:04X} at byte {places[0]['byte']:,}"
    what = f"1 {name_kind(first)} character" if count == 1 else f"{count:,} characters"
    more = "" if len(runs) == 1 else f", in {len(runs):,} places"
    others = "" if count == 1 else f" and the {count - 1:,} others"
    return make_finding(
        code,
        path,
        f"{what} that no reader sees, first {where}{more}",
        line=places[0]["line"],
        column=places[0]["column"],
        fix=f"delete \\u{{{first:04X}}}{others}",
        data={"count": count, "runs": len(runs), "places": places},
        severity=severity,
    )


def _place(text: str, start: int, end: int) -> dict[str, Any]:
    """Where a run stands, and its first characters."""
    return {
        "line": text.count("\n", 0, start) + 1,
        "column": start - text.rfind("\n", 0, start),
        "byte": len(text[:start].encode("utf-8", "surrogateescape")),
        "length": end - start,
        "code_points": [f"{ord(mark):04X}" for mark in text[start : min(end, start + 8)]],
    }

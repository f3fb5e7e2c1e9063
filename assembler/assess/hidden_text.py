"""Find characters that a reader does not see, and marks that an agent would take for its own.

In: the bytes of one text and its path. Out: findings with code points and places.
Never here: a changed text. What honest text needs is not reported: joiners in emoji and in the
scripts that use them, direction marks beside right-to-left letters, glyph variants, three flags.
"""

from __future__ import annotations

from typing import Any, Final

from assembler.model.finding import Finding, Severity, make_finding
from assembler.model.hidden_characters import name_kind
from assembler.model.hidden_runs import grave_runs, is_plainly_visible, slight_runs

MAX_PLACES: Final = 20
"""Runs that a finding lists; it counts all of them."""

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
    if is_plainly_visible(data):
        return ()
    # Invalid bytes become one lone surrogate each, so that byte offsets stay those of the file.
    text = data.decode("utf-8", "surrogateescape")
    found: list[Finding] = []
    if runs := grave_runs(text):
        found.append(_finding("ASM601", path, text, runs, None if policy else "warning"))
    if runs := slight_runs(text):
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

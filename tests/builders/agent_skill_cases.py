"""What a recorded catalog of an agent says, and what differs from it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from tests.builders.agent_cases import CUT, Built

Row = Mapping[str, Any]
"""A row of the JSON output."""
OWN = re.compile(
    r"(  <skill>\n    <name>customize-opencode</name>\n)?…\[vendor line, \d+ characters\]…\n"
    r"    <location>&lt;built-in&gt;</location>\n  </skill>\n"
)
"""The built-in skill of opencode, whole or from where the recorder cut."""


def check_skills(built: Built, rows: Sequence[Row]) -> list[str]:
    """What differs from the recording, in words; nothing where all is equal."""
    return [*check_texts(built, rows), *check_sources(built, rows)]


def check_texts(built: Built, rows: Sequence[Row]) -> list[str]:
    hits = built.case["expected"]["hits"]
    if not hits:
        listed = [row["name"] for row in rows if row["line"] is not None]
        return [f"listed {listed}, recorded nothing"] if listed else []
    text = built.replace(hits[0]["text"])
    found = []
    for kinds in (("skill", "command"), ("subagent",)):
        own = [row for row in rows if row["kind"] in kinds and row["line"] is not None]
        wanted = read_lines(built.agent, text, kinds)
        found += compare(with_winners(own, rows, wanted), wanted)
    return found


def read_lines(agent: str, text: str, kinds: tuple[str, ...]) -> str:
    """The part of a recorded text that tells of skills or of subagents, the vendor's left out."""
    is_skills = "skill" in kinds
    if agent == "claude":
        before, heading, after = text.partition("The following skills are available")
        part = (after.partition("\n")[2] if heading else "") if is_skills else before
        agents = part.partition("Available agent types")[2]
        lines = (part if is_skills else agents).split("\n")
        return "\n".join(line for line in lines if line.startswith("- ") or CUT in line)
    if not is_skills:
        part = text.partition("Available agent types")[2]
        return "\n".join(line for line in part.split("\n") if line.startswith("- "))
    if "</available_skills>" not in text:
        return ""
    inner = OWN.sub("", text).rpartition("\n</available_skills>")[0]
    # Gemini's own skills come first, and the recorder left out all but the end of the last.
    return re.sub(r"\A.*?(?=^  <skill>)", "", inner, count=1, flags=re.S | re.M)


def with_winners(own: Sequence[Row], rows: Sequence[Row], wanted: str) -> str:
    """Our lines; of a race those of the candidate that was recorded, if it is one of ours."""
    lines = []
    for row in own:
        line = row["line"]
        if row["state"] == "race":
            same = [other for other in rows if other["name"] == row["name"]]
            for other in (other for other in same if other["state"] == "race"):
                if f"<location>{other['path']}</location>" in wanted:
                    line = swap(line, other["path"], read_description(other["source"]))
        lines.append(line)
    return "\n".join(lines)


def swap(line: str, path: str, description: str) -> str:
    line = re.sub(r"(<location>).*(</location>)", rf"\g<1>{path}\g<2>", line)
    return re.sub(r"(<description>).*(</description>)", rf"\g<1>{description}\g<2>", line)


def read_description(path: str) -> str:
    with open(path, encoding="utf-8") as file:  # noqa: PTH123
        found = re.search(r"^description: (.*)$", file.read(), re.M)
    return "" if found is None else found[1]


def compare(own: str, wanted: str) -> list[str]:
    start, cut, end = wanted.partition(CUT)
    if not cut:
        return [] if own == wanted else [f"lines {own!r}, recorded {wanted!r}"]
    # Of a text that is too long for it the recorder kept a beginning and a later part.
    if own.startswith(start) and end in own:
        return []
    return [f"cut lines {own[:200]!r}, recorded {wanted[:200]!r}"]


def has_description(row: Row) -> bool:
    return bool(row["line"] and row["description_characters"] and row["state"] != "bare")


def check_sources(built: Built, rows: Sequence[Row]) -> list[str]:
    """Files whose description is in, and files that are not, as the recorder saw it."""
    expected = built.case["expected"]
    # The recorder knows a file by a mark in its description: one without has none.
    told = {row["source"] for row in rows if has_description(row)}
    races = {row["source"] for row in rows if row["state"] == "race"}
    wanted = {os.path.realpath(built.replace(path)) for path in expected["sources"] or ()}
    absent = {os.path.realpath(built.replace(path)) for path in expected["absent"] or ()}
    found = []
    if told - races != wanted - races or (races and not wanted & races):
        found.append(f"sources {sorted(told)}, recorded {sorted(wanted)}")
    if (told - races) & absent:
        found.append(f"listed, and recorded as absent: {sorted((told - races) & absent)}")
    return found

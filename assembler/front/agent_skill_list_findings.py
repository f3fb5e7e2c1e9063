"""What there is to say about the list of an agent with a description: what it drops, and why.

Each finding of a file has its absolute path among its figures. Never here: text of a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from assembler.agents.places import is_below
from assembler.agents.skill_rows import SkillAnswer, SkillRow
from assembler.assess.chain import gravity
from assembler.assess.hidden_text import find_delimiters, find_hidden
from assembler.front.shown_paths import Place
from assembler.model.finding import Finding, make_finding

_CODES: Final = {
    "skill-unreadable": ("ASM213", "put a regular UTF-8 file in its place"),
    "skill-unread": ("ASM213", "shorten it, or open it by the read grant"),
    "skill-no-front-matter": (
        "ASM201",
        "begin the file with ---, name and description, and a closing ---",
    ),
    "skill-yaml": ("ASM202", "quote the value, or correct the line"),
    "skill-name": ("ASM204", "give it a name"),
    "skill-description": (
        "ASM206",
        "write one or two sentences: what it does and when to use it",
    ),
    "skill-byte-order-mark": ("ASM233", "save it as UTF-8 without the mark"),
    "wrong-case-name": ("ASM108", "rename it"),
    "skill-file-skipped": ("ASM221", "put a regular file in its place"),
    "skill-place-skipped": (
        "ASM237",
        "put it into a folder of its own, directly in the folder of the skills",
    ),
}
"""Of what the agent drops: the code, and how to mend it."""


def find_list_troubles(
    answer: SkillAnswer, top: str, *, environment: Mapping[str, str]
) -> tuple[Finding, ...]:
    """Everything, the gravest first.

    Args:
        answer: of the agent.
        top: what paths are shown below.
        environment: for HOME.
    """
    place = Place(Path(top), environment)
    found = [
        *(finding for row in answer.rows for finding in _about_row(row, answer, place)),
        *_about_races(answer, place),
        *_about_budget(answer),
        *_about_folders_above(answer),
        *_about_outside(answer, top),
        *_about_text(answer.rows),
        *_about_bounds(answer),
    ]
    located = map(place.locate, found)
    return tuple(sorted(located, key=lambda finding: (*gravity(finding), finding.path or "")))


def _about_row(row: SkillRow, answer: SkillAnswer, place: Place) -> Iterable[Finding]:
    title = answer.rules.title
    data = {"agent": answer.rules.name, "name": row.name}
    if row.slug in _CODES:
        code, fix = _CODES[row.slug]
        lost = "what the agent does with it is not known here"
        if row.state == "rejected":
            lost = f"{title} passes it over"
        yield make_finding(code, row.path, f"{row.reason}: {lost}", fix=fix, data=data)
        return
    if row.slug == "skill-name-taken" and row.by is not None:
        yield make_finding(
            "ASM207",
            row.path,
            f"{title} lists another {row.kind} of this name: {place.show(row.by)}",
            fix="rename one of them",
            data={**data, "first": row.by},
        )
    if row.line is not None:
        yield from _about_listed(row, answer)


def _about_listed(row: SkillRow, answer: SkillAnswer) -> Iterable[Finding]:
    """What the agent does with a skill of its list without a word."""
    title = answer.rules.title
    data: dict[str, object] = {"agent": answer.rules.name, "name": row.name}
    match row.slug:
        case "skill-yaml-repaired":
            message = f"the front matter is no YAML: {title} reads it by another way"
            yield make_finding("ASM203", row.path, message, fix="quote the value", data=data)
        case "skill-description-from-body":
            message = f"there is no description: {title} lists the first line of the text"
            fix = "write a description into the front matter"
            yield make_finding("ASM239", row.path, message, fix=fix, data=data)
        case "skill-description-cut":
            size, most = (
                row.description_units,
                answer.rules.skills and (answer.rules.skills.listing.most_units),
            )
            yield make_finding(
                "ASM222",
                row.path,
                f"the description has {size:,} characters: {title} lists {most or 0:,}, the last "
                "one an ellipsis",
                fix=f"shorten it to {most or 0:,} characters",
                data={**data, "characters": size, "limit_characters": most},
            )
        case _:
            pass
    for field in row.ignored:
        yield make_finding(
            "ASM240",
            row.path,
            f"`{field}` does nothing for {title}: the skill is listed by its description alone",
            fix="say it in the description too, or keep the skill out of this agent's folders",
            data={**data, "field": field},
        )


def _about_races(answer: SkillAnswer, place: Place) -> Iterable[Finding]:
    races: dict[str, list[SkillRow]] = {}
    for row in answer.rows:
        if row.state == "race":
            races.setdefault(row.name, []).append(row)
    for name, rows in races.items():
        others = [place.show(row.path) for row in rows[1:]]
        named = ", ".join(others[:3]) + (f" and {len(others) - 3:,} more" if others[3:] else "")
        yield make_finding(
            "ASM236",
            rows[0].path,
            f"{len(rows):,} skills have this name, and which one {answer.rules.title} lists "
            f"changes from run to run: this one, {named}",
            fix="keep one of them, or rename the others",
            data={
                "agent": answer.rules.name,
                "name": name,
                "paths": [row.path for row in rows],
            },
        )


def _about_budget(answer: SkillAnswer) -> Iterable[Finding]:
    spending = answer.spending
    if spending is None or not spending.bare:
        return
    names = "1 skill is" if spending.bare == 1 else f"{spending.bare:,} skills are"
    message = (
        f"the list would need more than {spending.limit:,} characters: {names} listed by the name "
        f"alone, and {answer.rules.title} tells nobody"
    )
    if spending.open:
        message += f"; {spending.open:,} of them more or fewer, by the size of its own skills"
    yield make_finding(
        "ASM211",
        None,
        message,
        fix="turn skills off, or shorten their descriptions",
        data={"agent": answer.rules.name, "unit": "character", **spending._asdict()},
    )


def _about_folders_above(answer: SkillAnswer) -> Iterable[Finding]:
    counts: dict[str, int] = {}
    for row in answer.rows:
        if row.slug == "skills-not-read-here":
            counts[row.root] = counts.get(row.root, 0) + 1
    for root, count in counts.items():
        files = "1 skill" if count == 1 else f"{count:,} skills"
        yield make_finding(
            "ASM238",
            root,
            f"{files}: {answer.rules.title} reads those of the folder that it starts in alone",
            fix="start the agent there, or put them into the user's folder",
            data={"agent": answer.rules.name, "skills": count},
        )


def _about_outside(answer: SkillAnswer, top: str) -> Iterable[Finding]:
    for row in answer.rows:
        is_project = row.scope == "repo" and row.is_listed
        if is_project and is_below(row.path, top) and not is_below(row.source, top):
            yield make_finding(
                "ASM226",
                row.path,
                "a link leads out of the project, and the agent lists what is there",
                fix="copy the skill in, or remove the link",
                data={"agent": answer.rules.name, "source": row.source},
            )


def _about_text(rows: Sequence[SkillRow]) -> Iterable[Finding]:
    """Lines that hold what nobody sees, or the agents' own marks; without the place in the line."""
    for row in rows:
        if row.line is None:
            continue
        data = row.line.encode("utf-8", "surrogatepass")
        mark = find_delimiters(data, row.path)
        for finding in (*find_hidden(data, row.path), *((mark,) if mark is not None else ())):
            yield finding._replace(line=None, column=None)


def _about_bounds(answer: SkillAnswer) -> Iterable[Finding]:
    for path, reason in dict(answer.bounds).items():
        yield make_finding(
            "ASM216",
            path,
            reason,
            fix="move what is no skill out of the folder",
            data={"agent": answer.rules.name},
        )

"""Level 3 of a skill: files of its folder, each only where it is asked for by name.

A name that leads out of the folder, by its letters or by a link, is a row and is never opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from assembler.authorize.read_scope import authorize_policy
from assembler.model.candidate import Absent, Candidate, Content, Inline
from assembler.model.limits import MAX_WORDS_BYTES, bounded_name, bounded_place
from assembler.model.paths import leads_out, normal_path
from assembler.model.run import SkillResource
from assembler.model.skill import Skill
from assembler.model.tree import Denied, Entry, EntryKind
from assembler.offers.reader import FileReader

ESCAPES: Final = "skill-reference-escapes"
MISSING: Final = "skill-reference-missing"
UNREADABLE: Final = "skill-file-unreadable"
MAX_ESCAPES: Final = 100
"""Rows of references of one skill that lead out; a text can hold more than anybody reads."""


class ResourceOffer(NamedTuple):
    """The files that were asked for, and the references that lead out."""

    candidates: tuple[Candidate, ...] = ()
    required: tuple[str, ...] = ()
    paths: Mapping[str, str] = {}
    """Path in the tree of each candidate that has content, by id."""


def offer_resources(
    wanted: Sequence[SkillResource], active: Sequence[Skill], reader: FileReader
) -> ResourceOffer:
    """A row for each file that is asked for, and for each reference that leads out.

    Args:
        wanted: what task and profile ask for.
        active: the active skills that are listed and as they were pinned.
        reader: reads under the deny rules.
    """
    by_name = {skill.name: skill for skill in active}
    asked = {
        resource_id(item.skill, item.path): item
        for item in reversed(wanted)
        if item.skill in by_name
    }
    found = _look_up(asked.values(), by_name, reader)
    candidates: dict[str, Candidate] = {}
    paths: dict[str, str] = {}
    for identifier, item in sorted(asked.items()):
        skill = by_name[item.skill]
        place = skill.prefix + item.path
        content = _content(item.path, place, _real_folder(skill, found), found, reader)
        candidates[identifier] = _row(identifier, content, item.reason)
        if isinstance(content, Inline):
            paths[identifier] = place
    for skill in active:
        for row in _escaping_rows(skill):
            candidates.setdefault(row.id, row)
    return ResourceOffer(tuple(candidates.values()), tuple(sorted(asked)), paths)


def resource_id(skill: str, path: str) -> str:
    """The id of a file of a skill's folder."""
    return bounded_name(f"{skill}/{path}", prefix="skill:")


def _look_up(
    wanted: Iterable[SkillResource], skills: Mapping[str | None, Skill], reader: FileReader
) -> Mapping[str, Entry]:
    """What stands at each plain path, and at each folder; opens nothing."""
    items = [item for item in wanted if normal_path(item.path) == item.path]
    if not items:
        return {}
    places = [skills[item.skill].prefix + item.path for item in items]
    folders = [skills[item.skill].folder for item in items]
    return reader.tree.look_up([*dict.fromkeys([*places, *folders])])


def _content(
    name: str, place: str, home: str, found: Mapping[str, Entry], reader: FileReader
) -> Content:
    """The file's bytes, or why there are none; what leads out is not asked for."""
    if leads_out(name):
        return _turned_away(ESCAPES, f"{name}: leads out of the skill's folder")
    if place not in found:
        return _turned_away(MISSING, f"{name}: not a plain path in the skill's folder")
    entry = found[place]
    inside = entry.real_path is None or not home or entry.real_path.startswith(f"{home}/")
    if entry.kind is EntryKind.OUTSIDE_LINK or not inside:
        return _turned_away(ESCAPES, f"{place}: a link out of the skill's folder")
    denied = authorize_policy(entry, reader.scope, "skills")
    if isinstance(denied, Denied):
        return Absent("denied", rule=denied.rule)
    if entry.kind in {EntryKind.MISSING, EntryKind.DANGLING_LINK}:
        what = "not there" if entry.kind is EntryKind.MISSING else "a dead link"
        return _turned_away(MISSING, f"{place}: {what}")
    if entry.kind is EntryKind.DIRECTORY:
        return _turned_away(UNREADABLE, f"{place}: a folder")
    if entry.kind is not EntryKind.FILE:
        return _turned_away(UNREADABLE, f"{place}: {entry.problem or 'no regular file'}")
    contents, _ = reader.read_policy([entry], "skills")
    data = contents[place]
    if isinstance(data, bytes):
        return Inline(data)
    return _turned_away(UNREADABLE, f"{place}: {data.reason}")


def _escaping_rows(skill: Skill) -> list[Candidate]:
    """A row for each reference of the text, and each link, that leads out of the folder."""
    rows: dict[str, Candidate] = {}
    for finding in skill.findings:
        if finding.slug != ESCAPES or finding.path is None:
            continue
        target = str(finding.data.get("reference", ""))
        is_link = finding.path != skill.path
        name = finding.path.removeprefix(skill.prefix) if is_link else target
        line = "" if finding.line is None else f":{finding.line}"
        identifier = resource_id(str(skill.name), name)
        away = _turned_away(ESCAPES, f"{finding.path}{line}: {target}")
        found_by = f"a {'link' if is_link else 'reference'} of {skill.path}"
        rows.setdefault(identifier, _row(identifier, away, found_by))
    shown = list(rows.values())[:MAX_ESCAPES]
    more = len(rows) - len(shown)
    if more:
        # No path of a repository holds `//`.
        away = _turned_away(ESCAPES, f"{skill.path}: {more:,} more")
        found_by = f"references of {skill.path}"
        shown.append(_row(resource_id(str(skill.name), "//more"), away, found_by))
    return shown


def _row(identifier: str, content: Content, reason: str) -> Candidate:
    return Candidate(
        id=identifier,
        kind="skill-reference",
        section="tools",
        trust="authorized" if isinstance(content, Inline) else "untrusted",
        content=content,
        discovered_by=bounded_name(reason, most_bytes=MAX_WORDS_BYTES),
    )


def _turned_away(code: str, where: str) -> Absent:
    return Absent("turned-away", code=code, where=bounded_place(where))


def _real_folder(skill: Skill, found: Mapping[str, Entry]) -> str:
    entry = found.get(skill.folder)
    return skill.folder if entry is None or entry.real_path is None else entry.real_path

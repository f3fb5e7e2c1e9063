"""The rules that one skill must keep: which break it, which are only told.

Pure: front matter and bytes in, findings out. An error rejects the skill; anything less lists it.
"""

from __future__ import annotations

import re
from typing import Final

from assembler.model.document import Position
from assembler.model.finding import Finding, make_finding
from assembler.model.lines import count_lines
from assembler.model.skill import (
    MAX_COMPATIBILITY_CHARACTERS,
    MAX_DESCRIPTION_CHARACTERS,
    MAX_NAME_CHARACTERS,
    MAX_SKILL_LINES,
    NAME_PATTERN,
    SKILL_FILE,
    FrontMatter,
    Skill,
)
from assembler.model.tree import Entry, EntryKind

_CODES: Final = {
    "skill-no-front-matter": "ASM201",
    "skill-yaml": "ASM202",
    "skill-unreadable": "ASM213",
    "skill-nested": "ASM214",
    "wrong-case-name": "ASM108",
}
_FIXES: Final = {
    "skill-no-front-matter": "begin the file with ---, name, description and a closing --- line",
    "skill-yaml": "quote the value, or correct the line",
    "skill-unreadable": "put a regular UTF-8 file in its place",
    "skill-nested": "move it up beside the other skill, if it is meant to be one",
    "wrong-case-name": f"rename it to {SKILL_FILE}",
}
_REJECTING: Final = frozenset({"ASM204", "ASM206"})
_FIELDS: Final = frozenset(
    {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
)
_REFERENCE: Final = re.compile(rb"\]\(\s*<?([^)\s>]+)")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def reject_skill(
    skill: Skill, slug: str, entry: Entry, detail: str | None = None, where: str | None = None
) -> Skill:
    """The skill, rejected before its front matter could be read.

    Args:
        skill: what is known of it.
        slug: of the finding.
        entry: what stands at its SKILL.md.
        detail: the reader's words; None: what the entry says.
        where: LINE:COLUMN.
    """
    line, column = _position(where)
    words = detail if detail is not None else _words(slug, entry)
    finding = make_finding(
        _CODES[slug],
        skill.path,
        words,
        line=line,
        column=column,
        fix=_FIXES[slug],
        data={"link": entry.link_text} if entry.link_text is not None else {},
    )
    place = skill.path if where is None else f"{skill.path}:{where}"
    return skill._replace(
        state="rejected", slug=slug, where=place, findings=(*skill.findings, finding)
    )


def check_skill(
    skill: Skill, front: FrontMatter, data: bytes, escaping: tuple[Entry, ...]
) -> Skill:
    """The skill with every finding about it; rejected if name or description break the format."""
    found = [
        *_check_repair(skill, front),
        *_check_name(skill, front),
        *_check_description(skill, front),
        *_check_fields(skill, front),
        *_check_length(skill, data),
        *_check_references(skill, front, data),
        *(_escape(skill, entry.path, None, entry.link_text or "") for entry in escaping),
    ]
    skill = skill._replace(findings=(*skill.findings, *found))
    broken = next((finding for finding in found if finding.code in _REJECTING), None)
    if broken is None:
        return skill
    where = skill.path
    if broken.line is not None:
        where = f"{skill.path}:{broken.line}:{broken.column or 1}"
    return skill._replace(state="rejected", slug=broken.slug, where=where)


def _check_repair(skill: Skill, front: FrontMatter) -> list[Finding]:
    if front.repaired is None:
        return []
    message = (
        "is no plain YAML, and was read with its values quoted; strict clients drop this skill"
    )
    return [_at(skill, "ASM203", message, front.repaired, fix=front.repaired_line)]


def _check_name(skill: Skill, front: FrontMatter) -> list[Finding]:
    place = front.positions.get("name", (1, 1))
    name = front.members.get("name")
    if not isinstance(name, str) or not name.strip():
        what = "the skill has no name" if isinstance(name, str | None) else "the name is no text"
        return [_at(skill, "ASM204", what, place, fix=f"name: {_last_part(skill)}")]
    found: list[Finding] = []
    if len(name) > MAX_NAME_CHARACTERS:
        message = f"the name has {len(name):,} characters, {MAX_NAME_CHARACTERS} are allowed"
        found.append(_at(skill, "ASM204", message, place, fix="shorten it"))
    elif re.match(NAME_PATTERN, name) is None:
        message = "the name is not lower-case letters, digits and single hyphens between them"
        found.append(_at(skill, "ASM204", message, place, fix="rename it"))
    if name != _last_part(skill):
        message = f"the name {name} is not that of its folder, {_last_part(skill)}"
        found.append(_at(skill, "ASM205", message, place, fix="rename one of the two"))
    return found


def _check_description(skill: Skill, front: FrontMatter) -> list[Finding]:
    place = front.positions.get("description", (1, 1))
    text = front.members.get("description")
    fix = "write what it does and when to use it"
    if text is None:
        return [_at(skill, "ASM206", "the skill has no description", place, fix=fix)]
    if not isinstance(text, str):
        return [_at(skill, "ASM206", "the description is no text", place, fix=fix)]
    if not text.strip():
        return [_at(skill, "ASM206", "the description is empty", place, fix=fix)]
    if len(text) > MAX_DESCRIPTION_CHARACTERS:
        message = (
            f"the description has {len(text):,} characters, "
            f"{MAX_DESCRIPTION_CHARACTERS:,} are allowed"
        )
        return [_at(skill, "ASM206", message, place, fix="shorten it")]
    return []


def _check_fields(skill: Skill, front: FrontMatter) -> list[Finding]:
    """Unknown fields, and known ones of another form; they never reject."""
    found: list[Finding] = []
    for key, value in front.members.items():
        problem = None
        if key not in _FIELDS:
            problem = "is no field of the format"
        elif key == "metadata" and value is not None:
            flat = isinstance(value, dict) and all(isinstance(v, str) for v in value.values())
            problem = None if flat else "is no flat mapping of text"
        elif key == "license" and not isinstance(value, str | None):
            problem = "is no text"
        elif key == "compatibility":
            fits = isinstance(value, str) and 0 < len(value) <= MAX_COMPATIBILITY_CHARACTERS
            problem = (
                None if fits else f"is no text of 1 to {MAX_COMPATIBILITY_CHARACTERS} characters"
            )
        elif key == "allowed-tools" and isinstance(value, dict):
            problem = "is no text and no list"
        if problem is not None:
            place = front.positions.get(key, (1, 1))
            data = {"field": key}
            found.append(
                _at(
                    skill, "ASM215", f"`{key}` {problem}", place, fix="move it under `metadata`"
                )._replace(data=data)
            )
    return found


def _check_length(skill: Skill, data: bytes) -> list[Finding]:
    lines = count_lines(data)
    if lines <= MAX_SKILL_LINES:
        return []
    message = f"SKILL.md has {lines:,} lines; over {MAX_SKILL_LINES} are better in references/"
    finding = make_finding(
        "ASM208", skill.path, message, fix="move parts into references/", data={"lines": lines}
    )
    return [finding]


def _check_references(skill: Skill, front: FrontMatter, data: bytes) -> list[Finding]:
    """Markdown links of the text that lead out of the folder; nothing of them is opened."""
    found: dict[str, Finding] = {}
    for match in _REFERENCE.finditer(data, front.body):
        target = match.group(1).decode("utf-8").partition("#")[0].partition("?")[0]
        if not target or target in found or _SCHEME.match(target) or not _escapes(target):
            continue
        line = data.count(b"\n", 0, match.start()) + 1
        found[target] = _escape(skill, skill.path, line, target)
    return list(found.values())


def _escapes(target: str) -> bool:
    """Whether a relative path leaves the folder on its way."""
    if target.startswith("/"):
        return True
    depth = 0
    for part in target.replace("\\", "/").split("/"):
        depth += -1 if part == ".." else part not in {"", "."}
        if depth < 0:
            return True
    return False


def _escape(skill: Skill, path: str, line: int | None, target: str) -> Finding:
    return make_finding(
        "ASM209",
        path,
        f"{target} leads out of the skill's folder: never read",
        line=line,
        fix=f"move the file into {skill.folder}",
        data={"reference": target, "skill": skill.name},
    )


def _at(skill: Skill, code: str, message: str, place: Position, *, fix: str | None) -> Finding:
    return make_finding(code, skill.path, message, line=place[0], column=place[1], fix=fix)


def _position(where: str | None) -> tuple[int | None, int | None]:
    if where is None:
        return None, None
    line, _, column = where.partition(":")
    return int(line), int(column or 1)


def _words(slug: str, entry: Entry) -> str:
    if slug == "skill-nested":
        return "lies in the folder of another skill: a file of that one, not listed"
    if slug == "wrong-case-name":
        return f"is not read: the name is {SKILL_FILE}, letter for letter"
    link = "" if entry.link_text is None else f" -> {entry.link_text}"
    if entry.kind is EntryKind.OUTSIDE_LINK:
        return f"leads out of the repository{link}: never opened"
    if entry.kind is EntryKind.DANGLING_LINK:
        return f"a dead link{link}"
    if entry.kind is EntryKind.ERROR:
        return f"can't be read{link} ({entry.problem})"
    return "is no regular file"


def _last_part(skill: Skill) -> str:
    return skill.folder.rpartition("/")[2]

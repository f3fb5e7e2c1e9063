"""The rules that one skill must keep: which break it, which are only told.

Pure: front matter and bytes in, findings out. An error rejects the skill; anything less lists it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from assembler.discover.skill_comments import find_lost_tails
from assembler.discover.skill_format import (
    find_format_errors,
    find_yaml_errors,
    read_properties,
)
from assembler.discover.skill_references import find_outside_references
from assembler.errors import ConfigError
from assembler.model.document import Position
from assembler.model.finding import Finding, make_finding
from assembler.model.hidden_characters import name_kind
from assembler.model.hidden_runs import grave_runs, is_plainly_visible, slight_runs
from assembler.model.lines import count_lines
from assembler.model.look_alikes import mixed_scripts, read_as_latin
from assembler.model.skill import (
    MAX_SKILL_BYTES,
    MAX_SKILL_LINES,
    MAX_SKILL_TOKENS,
    FrontMatter,
    Skill,
    SkillError,
)
from assembler.model.skill_places import SKILL_FILE
from assembler.model.tree import Entry, EntryKind

CODES_OF_KINDS: Final = {
    "no_frontmatter": "ASM201",
    "frontmatter_unclosed": "ASM201",
    "frontmatter_not_mapping": "ASM202",
    "invalid_yaml": "ASM202",
    "not_utf8": "ASM213",
    "missing_name": "ASM204",
    "name_empty_or_not_string": "ASM204",
    "name_too_long": "ASM204",
    "name_not_lowercase": "ASM204",
    "name_edge_hyphen": "ASM204",
    "name_double_hyphen": "ASM204",
    "name_invalid_chars": "ASM204",
    "dir_mismatch": "ASM205",
    "missing_description": "ASM206",
    "description_empty_or_not_string": "ASM206",
    "description_too_long": "ASM206",
    "compatibility_empty": "ASM215",
    "compatibility_not_string": "ASM215",
    "compatibility_too_long": "ASM215",
    "unexpected_fields": "ASM215",
}
"""The finding that tells of an error of the specification, by its kind."""

_CODES: Final = {
    "skill-unreadable": "ASM213",
    "skill-nested": "ASM214",
    "wrong-case-name": "ASM108",
}
_FIXES: Final = {
    "no_frontmatter": "begin the file with ---, name, description and a closing --- line",
    "frontmatter_not_mapping": "write name: and description: between the two lines",
    "invalid_yaml": "quote the value, or correct the line",
    "skill-unreadable": "put a regular UTF-8 file in its place",
    "skill-nested": "move it up beside the other skill, if it is meant to be one",
    "wrong-case-name": f"rename it to {SKILL_FILE}",
}
_LINK_FIX: Final = "link a folder that lies inside, copy the skill in, or remove the link"
_REJECTING: Final = frozenset({"ASM204", "ASM206", "ASM601"})
_NO_FILE: Final = frozenset(
    {EntryKind.DIRECTORY, EntryKind.OTHER, EntryKind.DANGLING_LINK, EntryKind.MISSING}
)


def reject_unread(skill: Skill, error: ConfigError) -> Skill:
    """The skill, rejected because its front matter could not be read.

    Args:
        skill: what is known of it.
        error: of the reader of front matter: its code is the kind of the error.
    """
    line, column = _position(error.where)
    told = SkillError(
        error.code, line, column, error.message, error.next_step or _FIXES.get(error.code)
    )
    finding = make_finding(
        CODES_OF_KINDS[error.code],
        skill.path,
        told.message,
        line=line,
        column=column,
        fix=told.fix,
        data={"kind": told.kind},
    )
    return skill._replace(
        state="rejected",
        slug=finding.slug,
        where=skill.path if error.where is None else f"{skill.path}:{error.where}",
        findings=(*skill.findings, finding),
        errors=(told,),
    )


def reject_skill(skill: Skill, slug: str, entry: Entry, reason: str | None = None) -> Skill:
    """The skill, rejected for what stands at its SKILL.md, or where that stands.

    Args:
        skill: what is known of it.
        slug: of the finding.
        entry: what stands at its SKILL.md.
        reason: why it could not be read; None: what the entry says.
    """
    words = reason if reason is not None else _words(slug, entry)
    kind = _kind(slug, entry)
    data = {"kind": kind} if kind is not None else {}
    if entry.link_text is not None:
        data["link"] = entry.link_text
    # A link beside the skills, or a SKILL.md in none, is no file to be mended.
    is_link = entry.link_text is not None and not skill.path.endswith(SKILL_FILE)
    fix = _LINK_FIX if is_link and slug == "skill-unreadable" else _FIXES[slug]
    finding = make_finding(_CODES[slug], skill.path, words, fix=fix, data=data)
    error = () if kind is None else (SkillError(kind, None, None, words, fix),)
    return skill._replace(
        state="rejected",
        slug=slug,
        where=skill.path,
        findings=(*skill.findings, finding),
        errors=error,
    )


def tell_too_large(skill: Skill) -> Skill:
    """The skill with the finding that its SKILL.md is too large to be active; its line is not."""
    finding = make_finding(
        "ASM213",
        skill.path,
        f"SKILL.md has {skill.size_bytes or 0:,} bytes, at most {MAX_SKILL_BYTES:,} are read: it "
        "is listed, and can't be active",
        fix="move parts into references/",
        data={"size_bytes": skill.size_bytes, "limit_bytes": MAX_SKILL_BYTES},
    )
    return skill._replace(findings=(*skill.findings, finding))


def _kind(slug: str, entry: Entry) -> str | None:
    """The kind of the error: the file that is required is not there, or is not read."""
    if slug == "skill-nested":
        return None
    is_missing = slug == "wrong-case-name" or entry.kind in _NO_FILE or entry.problem == "ELOOP"
    return "missing_file" if is_missing else "unreadable"


def check_skill(
    skill: Skill,
    front: FrontMatter,
    data: bytes,
    escaping: tuple[Entry, ...],
    *,
    folder_name: str | None,
) -> Skill:
    """The skill with every error and finding about it; rejected if one of these forbids its use.

    Args:
        skill: what is known of it.
        front: its front matter, repaired or not.
        data: the whole file.
        escaping: links of the folder that lead out of it.
        folder_name: what its name is compared with; None: with nothing.
    """
    strict = find_yaml_errors(front)
    format_errors = find_format_errors(front, folder_name)
    found = [
        *(_from_error(skill, error, front) for error in (*strict, *format_errors)),
        *_check_mark(skill, front),
        *_check_comments(skill, front, data),
        *_check_shapes(skill, front),
        *_check_name_letters(skill, front),
        *_check_hidden(skill, front, data),
        *_check_length(skill, data),
        *_check_references(skill, front, data),
        *(_escape(skill, entry.path, None, entry.link_text or "") for entry in escaping),
    ]
    # A strict reader gets no further than the YAML, and neither do the errors.
    skill = skill._replace(
        findings=(*skill.findings, *found),
        errors=strict or format_errors,
        properties=read_properties(front),
    )
    broken = next((finding for finding in found if finding.code in _REJECTING), None)
    if broken is None:
        return skill
    where = skill.path
    if broken.line is not None:
        where = f"{skill.path}:{broken.line}:{broken.column or 1}"
    return skill._replace(state="rejected", slug=broken.slug, where=where)


def _from_error(skill: Skill, error: SkillError, front: FrontMatter) -> Finding:
    code = CODES_OF_KINDS[error.kind]
    message = error.message
    if error.kind == "invalid_yaml":
        code = "ASM203" if front.repaired == (error.line, error.column) else "ASM232"
    return make_finding(
        code,
        skill.path,
        message,
        line=error.line,
        column=error.column,
        fix=error.fix,
        data={"kind": error.kind},
    )


def _check_mark(skill: Skill, front: FrontMatter) -> Iterator[Finding]:
    if front.has_bom:
        message = "begins with a byte order mark; strict clients see no front matter"
        yield _at(skill, "ASM233", message, (1, 1), fix="save it without the mark")


def _check_comments(skill: Skill, front: FrontMatter, data: bytes) -> Iterator[Finding]:
    for tail in find_lost_tails(front, data):
        message = f'the {tail.field} ends before "#": YAML takes the rest of the line for a comment'
        finding = _at(skill, "ASM234", message, tail.place, fix=tail.fix)
        yield finding._replace(data={"field": tail.field, "lost_characters": tail.characters})


def _check_shapes(skill: Skill, front: FrontMatter) -> Iterator[Finding]:
    """Known fields of another form, which the reference library lets pass."""
    metadata = front.members.get("metadata")
    for key, value in front.members.items():
        problem: str | None = None
        if key == "license" and isinstance(value, list | dict):
            problem = "is no text"
        elif key == "metadata" and isinstance(value, list | str):
            problem = "is no mapping of text to text"
        elif key == "metadata" and isinstance(metadata, dict):
            odd = [name for name, item in metadata.items() if not isinstance(item, str)]
            problem = f"{odd[0]} is no text" if odd else None
        elif key == "allowed-tools" and isinstance(value, dict):
            problem = "is no text and no list"
        elif key == "allowed-tools" and isinstance(value, list):
            odd_tools = [item for item in value if not isinstance(item, str)]
            problem = "has an item that is no text" if odd_tools else None
        if problem is None:
            continue
        finding = _at(
            skill, "ASM215", f"{key} {problem}", front.place_of(key), fix="write it as text"
        )
        yield finding._replace(data={"field": key})


def _check_name_letters(skill: Skill, front: FrontMatter) -> Iterator[Finding]:
    """Names that a reader takes for another one."""
    if skill.name is None or skill.name.isascii():
        return
    seen_as, scripts = read_as_latin(skill.name), mixed_scripts(skill.name)
    if seen_as is not None:
        message = f"the name is drawn like {seen_as} and is another: letters of another script"
    elif scripts:
        message = f"the name mixes letters of {' and '.join(scripts)}"
    else:
        return
    fix = f"name: {seen_as}" if seen_as is not None else "write it in one script"
    yield _at(skill, "ASM231", message, front.place_of("name"), fix=fix)


def _check_hidden(skill: Skill, front: FrontMatter, data: bytes) -> Iterator[Finding]:
    """Characters that no reader sees: of the whole file, and what escapes made in two values."""
    codes: set[str] = set()
    if not is_plainly_visible(data):
        for code, run, text in _hidden(data.decode("utf-8").removeprefix("\ufeff")):
            codes.add(code)
            line, column = text.count("\n", 0, run) + 1, run - text.rfind("\n", 0, run)
            yield _hidden_finding(skill, code, "the file", text[run], (line, column))
    for key in ("name", "description"):
        value = front.members.get(key)
        if not isinstance(value, str) or (value.isascii() and value.isprintable()):
            continue
        for code, run, text in _hidden(value):
            if code not in codes:
                place = front.place_of(key)
                yield _hidden_finding(skill, code, f"the {key}", text[run], place)


def _hidden(text: str) -> Iterator[tuple[str, int, str]]:
    """The first run of each tier."""
    for code, runs in (("ASM601", grave_runs(text)), ("ASM604", slight_runs(text))):
        if runs:
            yield code, runs[0][0], text


def _hidden_finding(skill: Skill, code: str, of: str, mark: str, place: Position) -> Finding:
    point = f"U+{ord(mark):04X}"
    message = f"{of} holds a {name_kind(ord(mark))} character that no reader sees: {point}"
    return _at(skill, code, message, place, fix=f"delete \\u{{{ord(mark):04X}}}")._replace(
        data={"code_point": point.removeprefix("U+"), "skill": skill.name}
    )


def _check_length(skill: Skill, data: bytes) -> list[Finding]:
    lines = count_lines(data)
    if lines <= MAX_SKILL_LINES:
        return []
    message = f"SKILL.md has {lines:,} lines; over {MAX_SKILL_LINES} are better in references/"
    finding = make_finding(
        "ASM208", skill.path, message, fix="move parts into references/", data={"lines": lines}
    )
    return [finding]


def about_tokens(skill: Skill, tokens: int) -> Finding | None:
    """That SKILL.md has more tokens than it should; None if not, or if its lines say so already."""
    said = any(finding.code == "ASM208" for finding in skill.findings)
    if tokens <= MAX_SKILL_TOKENS or said:
        return None
    message = f"SKILL.md has {tokens:,} tokens; over {MAX_SKILL_TOKENS:,} are better in references/"
    fix, data = "move parts into references/", {"tokens": tokens}
    return make_finding("ASM208", skill.path, message, fix=fix, data=data)


def _check_references(skill: Skill, front: FrontMatter, data: bytes) -> Iterator[Finding]:
    """References of the text that lead out of the folder; nothing of them is opened."""
    for target, place in find_outside_references(data, front.body):
        yield _escape(skill, skill.path, place, target)


def _escape(skill: Skill, path: str, place: Position | None, target: str) -> Finding:
    return make_finding(
        "ASM209",
        path,
        f"{target} leads out of the skill's folder: never read",
        line=None if place is None else place[0],
        column=None if place is None else place[1],
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

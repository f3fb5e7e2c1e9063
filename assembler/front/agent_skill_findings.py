"""What there is to say about the skills of an agent: what it drops, and what it is silent about.

Each finding of a file has its absolute path among its figures. Never here: text of a file that was
not read to its end.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from assembler.adapters.codex_front_matter import SkillHeadError
from assembler.assess.chain import gravity
from assembler.assess.hidden_text import find_delimiters, find_hidden
from assembler.config.codex_skills import LIST, SkillRule, SkillSettings
from assembler.front.agent_settings import AgentSettings
from assembler.front.agent_skill_reading import (
    ReadSkill,
    ScannedRoot,
    read_small,
    show_text,
)
from assembler.front.shown_paths import Place
from assembler.model.agent_skills import AgentSkill, AgentSkillRules, SkillBudget
from assembler.model.finding import Finding, make_finding

_CODES: Final = {
    "skill-unreadable": "ASM213",
    "skill-no-front-matter": "ASM201",
    "skill-yaml": "ASM202",
    "skill-name": "ASM204",
    "skill-description": "ASM206",
    "skill-file-skipped": "ASM221",
}
_FIXES: Final = {
    "skill-unreadable": "put a regular UTF-8 file in its place",
    "skill-no-front-matter": "begin the file with ---, name and description, and a closing ---",
    "skill-yaml": "quote the value, or correct the line",
    "skill-name": "shorten it",
    "skill-description": "write one or two sentences: what it does and when to use it",
    "skill-file-skipped": "rename the folder",
}
MAX_MARKER_BYTES: Final = 1_024
_KINDS: Final = {
    "link": "is a link",
    "folder": "is a folder",
    "special-file": "is a FIFO, socket or device",
}


class Seen(NamedTuple):
    """All that findings are made of."""

    rules: AgentSkillRules
    settings: AgentSettings
    own: SkillSettings
    """What of the configuration is about skills."""
    scanned: Sequence[ScannedRoot]
    read: Sequence[ReadSkill]


def find_troubles(
    seen: Seen, skills: Sequence[AgentSkill], budget: SkillBudget, place: Place
) -> tuple[Finding, ...]:
    """Everything, the gravest first.

    Args:
        seen: configuration, roots and files.
        skills: the rows of the report.
        budget: with what is used of it.
        place: for the paths.
    """
    rules, settings, own, scanned, read = seen
    found = [
        *(finding for skill in read for finding in _about_file(skill, rules)),
        *_about_names(skills),
        *_about_budget(skills, budget),
        *(finding for root in scanned for finding in _about_root(root, rules)),
        *_about_rules(own, read, place),
        *_about_list(own, skills),
        *_about_bundled(own, settings, rules),
        *_about_trust(settings, skills),
        *_about_outside(skills, place),
        *_about_text(skills),
        *settings.findings,
    ]
    return tuple(sorted(map(place.locate, found), key=gravity))


def _about_file(skill: ReadSkill, rules: AgentSkillRules) -> Iterable[Finding]:
    """One SKILL.md; nothing of one that was met before."""
    if not skill.is_first:
        return
    source = show_text(skill.file.real_path)
    if skill.error is not None:
        yield _rejected(skill.error, source)
        return
    assert skill.head is not None  # there is no error
    if skill.head.repaired is not None:
        line, column = skill.head.repaired
        yield make_finding(
            "ASM203",
            source,
            "the front matter is read only after values have been quoted",
            line=line,
            column=column,
            fix="quote the value",
        )
    size, most = len(skill.head.description), rules.max_description_characters
    if size > most:
        yield make_finding(
            "ASM222",
            source,
            f"the description {say_cut(size, most)}",
            fix=f"shorten it to {most:,} characters",
            data={"characters": size, "limit_characters": most},
        )


def say_cut(size: int, most: int) -> str:
    """What becomes of a description that is longer than the agent lists."""
    return f"has {size:,} characters: the first {most - 3:,} are listed"


def _rejected(error: SkillHeadError, source: str) -> Finding:
    line, column = error.place or (None, None)
    return make_finding(
        _CODES[error.slug],
        source,
        f"{error.message}: the agent drops the skill",
        line=line,
        column=column,
        fix=error.fix or _FIXES[error.slug],
        data={} if line is None else {"front_matter_line": line - 1},
    )


def _about_names(skills: Sequence[AgentSkill]) -> Iterable[Finding]:
    """Names that mean more than one skill: the agent lists them all."""
    by_name: dict[str, list[AgentSkill]] = {}
    for skill in skills:
        if skill.state in {"listed", "shortened", "dropped"}:
            by_name.setdefault(skill.name, []).append(skill)
    for same in by_name.values():
        for later in same[1:]:
            yield make_finding(
                "ASM207",
                later.source,
                f"{len(same)} skills have this name, and the agent lists them all",
                fix="rename one of them",
                data={"name": later.name, "first": same[0].source},
            )


def _about_budget(skills: Sequence[AgentSkill], budget: SkillBudget) -> Iterable[Finding]:
    shortened = sum(skill.state == "shortened" for skill in skills)
    dropped = sum(skill.state == "dropped" for skill in skills)
    if not shortened and not dropped:
        return
    unit = "tokens" if budget.unit == "token" else "characters"
    if dropped:
        lost = f"no description is listed, and {dropped:,} of "
        lost += f"{sum(skill.line is not None for skill in skills) + dropped:,} skills are not"
    else:
        lost = "1 description is" if shortened == 1 else f"{shortened:,} descriptions are"
        lost += " shortened"
    yield make_finding(
        "ASM211",
        None,
        f"the list would need more than {budget.limit:,} {unit}: {lost}",
        fix="turn skills off, or shorten their descriptions",
        data={
            "limit": budget.limit,
            "used": budget.used,
            "unit": budget.unit,
            "shortened": shortened,
            "dropped": dropped,
            "descriptions_removed": bool(dropped),
        },
    )


def _about_root(root: ScannedRoot, rules: AgentSkillRules) -> Iterable[Finding]:
    for name in root.scan.skipped:
        if name.kind == "wrong-case":
            yield make_finding(
                "ASM108",
                show_text(name.path),
                f"is not read: the name is {rules.file_name}, letter for letter",
                fix=f"rename it to {rules.file_name}",
            )
            continue
        yield make_finding(
            "ASM221",
            show_text(name.path),
            f"{_KINDS[name.kind]}: the agent passes it over, without a word",
            fix="put a regular file in its place"
            + ("; a link to its folder is fine" if name.kind == "link" else ""),
            data={"kind": name.kind},
        )
    if root.scan.bound is not None:
        most = rules.max_folders if root.scan.bound == "folders" else rules.max_entries
        yield make_finding(
            "ASM216",
            show_text(root.scan.root),
            f"the agent looks at {most:,} {root.scan.bound} of a root, and there are more",
            fix="move what is no skill out of the folder",
            data={"bound": root.scan.bound, "limit": most},
        )


def _about_rules(own: SkillSettings, read: Sequence[ReadSkill], place: Place) -> Iterable[Finding]:
    """Rules that look as if they turned something on or off."""
    names = {skill.name for skill in read if skill.head is not None}
    paths = {skill.file.real_path for skill in read}
    for rule in own.rules:
        problem = _problem_of(rule, names, paths, place)
        if problem is not None:
            path = rule.written_in if rule.written_in.startswith("/") else None
            yield make_finding(
                "ASM223",
                path,
                f"an entry of `skills.config` {problem}",
                fix="name the SKILL.md by its path, or the skill as it is listed",
                data={"name": rule.name, "path": rule.path, "written_in": rule.written_in},
            )


def _problem_of(rule: SkillRule, names: set[str], paths: set[str], place: Place) -> str | None:
    if not rule.is_complete:
        return "needs either a path or a name: ignored"
    if rule.path is not None and os.path.realpath(rule.path) not in paths:
        return f"names no skill file that is found here: {place.show(rule.path)}"
    if rule.name is not None and rule.name not in names:
        return f"names no skill that is found here: {rule.name}"
    return None


def _about_list(own: SkillSettings, skills: Sequence[AgentSkill]) -> Iterable[Finding]:
    hidden = sum(skill.slug == "list-off" for skill in skills)
    if hidden:
        key = ".".join(LIST)
        place = own.places.get(key, "")
        yield make_finding(
            "ASM227",
            None,
            f"`{key}` is false ({place}): no skill is listed, {hidden:,} would be",
            fix="remove the setting, if it is not meant",
            data={"setting": key, "setting_place": place, "hidden": hidden},
        )


def _about_bundled(
    own: SkillSettings, settings: AgentSettings, rules: AgentSkillRules
) -> Iterable[Finding]:
    """The agent's own skills, before it has written them, or those of another version."""
    if not own.uses_bundled:
        return
    folder = next(root.folder for root in rules.roots if root.place == "bundled")
    place = settings.home / folder
    marker = read_small(str(place / rules.bundled_marker), most_bytes=MAX_MARKER_BYTES)
    if marker is not None and marker.strip() == rules.bundled_fingerprint.encode():
        return
    missing = "are not in this answer" if marker is None else "are those of another version"
    yield make_finding(
        "ASM224",
        str(place),
        f"the agent writes its own skills here when it starts: they {missing}, and what lies here "
        "then goes",
        fix="start the agent once",
        data={"reason": "missing" if marker is None else "other-version"},
    )


def _about_trust(settings: AgentSettings, skills: Sequence[AgentSkill]) -> Iterable[Finding]:
    count = sum(skill.scope == "repo" and skill.line is not None for skill in skills)
    if settings.trust == "untrusted" and count:
        yield make_finding(
            "ASM225",
            None,
            f"the project is marked untrusted, and {count:,} of its skills are listed all the same",
            fix="turn them off by name in `skills.config`, or start the agent elsewhere",
            data={"listed": count},
        )


def _about_outside(skills: Sequence[AgentSkill], place: Place) -> Iterable[Finding]:
    """Skills of the project whose file lies elsewhere."""
    for skill in skills:
        is_project = skill.scope == "repo" and skill.line is not None
        if is_project and not Path(skill.source).is_relative_to(place.top):
            yield make_finding(
                "ASM226",
                skill.path,
                "a link leads out of the project, and the agent lists what is there",
                fix="copy the skill in, or remove the link",
                data={"source": skill.source},
            )


def _about_text(skills: Sequence[AgentSkill]) -> Iterable[Finding]:
    """Lines that hold what nobody sees, or the agent's own marks."""
    for skill in skills:
        if skill.line is not None:
            data = skill.line.encode()
            yield from _in_front_matter(find_hidden(data, skill.source))
            mark = find_delimiters(data, skill.source)
            yield from _in_front_matter(() if mark is None else (mark,))


def _in_front_matter(findings: Iterable[Finding]) -> Iterable[Finding]:
    """Without the place in the line, which is none of the file."""
    for finding in findings:
        yield finding._replace(line=None, column=None)

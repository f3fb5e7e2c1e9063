"""Skills out of what a search found: which places to look in, and which skills are listed.

In: the folder where the agent works; the search, the bytes of each SKILL.md, and a reader of front
matter. Out: one `Skill` for each. Never here: a skill that vanishes, a tool that is granted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from assembler.discover.skill_rules import (
    check_skill,
    reject_skill,
    reject_unread,
    tell_too_large,
)
from assembler.errors import ConfigError
from assembler.model.chain import folders_down_to, join_path
from assembler.model.digest import sha256_hex
from assembler.model.finding import make_finding
from assembler.model.lines import whole_characters
from assembler.model.skill import FrontMatter, Skill, SkillFolder, SkillSearch, collapse, fold_name
from assembler.model.skill_places import DEFAULT_SKILL_ROOTS
from assembler.model.tree import Beginning, Denied, Unreadable

_STATES: Final = ("listed", "shadowed", "rejected")

HeadContent: TypeAlias = bytes | Beginning | Unreadable | Denied
"""Of a SKILL.md: its bytes, the first of a larger one, or why there are none."""

FrontMatterReader = Callable[[bytes], FrontMatter]
"""Raises ConfigError with the kind of the error and LINE:COLUMN."""


def skill_roots(
    end: str, *, roots: Sequence[str] = DEFAULT_SKILL_ROOTS, top: str = ""
) -> tuple[tuple[str, str], ...]:
    """Scope and path of each place to look in, nearest first.

    Args:
        end: the folder where the agent works.
        roots: looked for in every folder from `top` down to `end`, in this order at each.
        top: where the walk starts.
    """
    levels = reversed(folders_down_to(end, top=top))
    return tuple(
        dict.fromkeys((level, join_path(level, name)) for level in levels for name in roots)
    )


def skill_places(
    cwd: str, *, roots: Sequence[str] = (), outside: Sequence[str] = ()
) -> tuple[tuple[str, str], ...]:
    """Every place of a run, nearest first: those of the repository, then those outside it.

    Args:
        cwd: the folder where the agent works.
        roots: folders beside `.agents/skills`, looked for at each level after it.
        outside: folders outside the repository, in the order in which they count.
    """
    names = tuple(dict.fromkeys((*DEFAULT_SKILL_ROOTS, *roots)))
    return (*skill_roots(cwd, roots=names), *((label, label) for label in outside))


def build_skills(
    search: SkillSearch,
    contents: Mapping[str, HeadContent],
    read_front_matter: FrontMatterReader,
) -> tuple[Skill, ...]:
    """One `Skill` for each folder and each thing that was turned away.

    Args:
        search: what was found.
        contents: of each folder's `entry`, by path: its bytes, the first of them, or why there are
            none.
        read_front_matter: of `adapters/frontmatter`.

    Returns:
        The listed ones by name, then those behind a nearer one of their name, then the rejected.
    """
    built = [
        build_skill(folder, contents[folder.entry.path], read_front_matter)
        for folder in search.folders
    ]
    winners: dict[str, Skill] = {}
    skills = list(search.turned_away)
    for skill in built:
        if skill.state != "listed" or skill.name is None:
            skills.append(skill)
            continue
        winner = winners.setdefault(skill.name, skill)
        skills.append(skill if winner is skill else shadow_skill(skill, winner))
    return tuple(
        sorted(skills, key=lambda skill: (_STATES.index(skill.state), skill.name or "", skill.path))
    )


def build_skill(
    folder: SkillFolder,
    content: HeadContent,
    read_front_matter: FrontMatterReader,
    *,
    root_name: str | None = None,
) -> Skill:
    """One skill, listed or rejected; no bytes of a file make it fail.

    Args:
        folder: as it was found.
        content: the bytes of its `entry`, the first of a larger one, or why there are none.
        read_front_matter: of `adapters/frontmatter`.
        root_name: of the folder that the tree is of, for a skill that is the root itself.
    """
    skill = Skill(
        "listed",
        folder.entry.path,
        folder.path,
        folder.scope,
        folder.root,
        size_bytes=folder.entry.size_bytes,
        files=folder.files,
    )
    if isinstance(content, Denied):
        closed = reject_skill(
            skill, "skill-unreadable", folder.entry, f"closed by {content.rule}: never opened"
        )
        told = [
            item._replace(fix="change the rule, if it is not meant") for item in closed.findings
        ]
        return closed._replace(slug="access-denied", denied_by=content.rule, findings=tuple(told))
    if isinstance(content, Unreadable):
        return reject_skill(skill, "skill-unreadable", folder.entry, content.reason)
    if isinstance(content, Beginning):
        skill = tell_too_large(skill._replace(size_bytes=content.size_bytes))
        content = whole_characters(content.data)
    else:
        skill = skill._replace(instructions_sha256=sha256_hex(content), size_bytes=len(content))
    try:
        front = read_front_matter(content)
    except ConfigError as error:
        return reject_unread(skill, error)
    name, description = front.members.get("name"), front.members.get("description")
    skill = skill._replace(
        name=fold_name(name) if isinstance(name, str) else None,
        description=collapse(description) if isinstance(description, str) else None,
        members=front.members,
        front_matter_sha256=sha256_hex(content[front.start : front.end]),
    )
    if skill.instructions_sha256 is None:
        content = content[: front.body]  # what is behind it never reaches an input
    folder_name = folder.path.rpartition("/")[2] or root_name
    return check_skill(skill, front, content, folder.escaping, folder_name=folder_name)


def shadow_skill(skill: Skill, winner: Skill) -> Skill:
    """A skill behind a nearer one of its name; equal bytes are no trouble worth a finding."""
    shadowed = skill._replace(state="shadowed", slug="skill-name-taken", where=winner.path)
    if skill.instructions_sha256 == winner.instructions_sha256:
        return shadowed
    finding = make_finding(
        "ASM207",
        skill.path,
        f"{skill.name} is the name of {winner.path} too, which is nearer and is used",
        fix="rename one of the two",
        data={"name": skill.name, "used": winner.path},
    )
    return shadowed._replace(findings=(*skill.findings, finding))

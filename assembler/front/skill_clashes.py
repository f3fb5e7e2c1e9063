"""Skills of one name, as `skills check` tells of them: which of them hides which, and from whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from assembler.model.chain import join_path
from assembler.model.finding import make_finding
from assembler.model.skill import Skill

MOST_NAMED: Final = 3
"""Of those that hide one skill."""


def tell_clashes(skills: Iterable[Skill], roots: Sequence[str]) -> list[Skill]:
    """The skills by path, each that another one hides with that finding.

    Two clash where an agent meets both: one's level is the other's, or lies above it. Which is
    hidden depends on where the agent starts, and the words say for which starts they hold.
    """
    ordered = sorted(
        skills,
        key=lambda skill: (
            -skill.scope.count("/"),
            not skill.scope,
            rank_root(skill, roots),
            skill.path,
        ),
    )
    earlier: dict[str, list[Skill]] = {}
    found: list[Skill] = []
    for skill in ordered:
        if skill.state != "listed" or skill.name is None:
            found.append(skill)
            continue
        same_name = earlier.setdefault(skill.name, [])
        found.append(_hide(skill, same_name, roots))
        same_name.append(skill)
    return sorted(found, key=lambda skill: skill.path)


def _hide(skill: Skill, earlier: Sequence[Skill], roots: Sequence[str]) -> Skill:
    first_of_level = {one.scope: one for one in reversed(earlier)}
    beside = first_of_level.get(skill.scope)
    if beside is not None:
        hiders = [beside]
    else:
        levels = [scope for scope in first_of_level if _is_above(skill.scope, scope)]
        hiders = [first_of_level[scope] for scope in sorted(levels)]
    if not hiders:
        return skill
    hidden = skill._replace(state="shadowed", slug="skill-name-taken", where=hiders[0].path)
    # Equal bytes are no trouble worth a finding.
    others = [one for one in hiders if one.instructions_sha256 != skill.instructions_sha256]
    if not others:
        return hidden
    finding = make_finding(
        "ASM207",
        skill.path,
        _spell(skill, others, roots),
        fix="rename one of the two",
        data={
            "name": skill.name,
            "used": others[0].path,
            "hidden_by": [one.path for one in others],
        },
    )
    return hidden._replace(findings=(*hidden.findings, finding))


def _spell(skill: Skill, hiders: Sequence[Skill], roots: Sequence[str]) -> str:
    first = hiders[0]
    nearer = [one for one in hiders if one.scope != skill.scope and _is_of_level(one, roots)]
    if not nearer:
        return f"{skill.name} is the name of {first.path} too, which comes first"
    told = ", ".join(f"in {one.scope} by {one.path}" for one in nearer[:MOST_NAMED])
    more = len(nearer) - MOST_NAMED
    end = f", and in {more:,} more by others" if more > 0 else ""
    return f"{skill.name} is hidden from agents that start {told}{end}"


def rank_root(skill: Skill, roots: Sequence[str]) -> int:
    """The place of its root among those of its level; the last for what was asked for by path."""
    levels = [join_path(skill.scope, root) for root in roots]
    return levels.index(skill.root) if skill.root in levels else len(levels)


def _is_of_level(skill: Skill, roots: Sequence[str]) -> bool:
    """Whether agents that start at its level list it."""
    return rank_root(skill, roots) < len(roots)


def _is_above(scope: str, other: str) -> bool:
    return not scope or other.startswith(f"{scope}/")

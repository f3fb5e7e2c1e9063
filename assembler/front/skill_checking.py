"""`skills check`: the skills of a repository beside the specification, strictly.

In: paths, or none for every folder of skills of the repository. Out: each skill with its errors and
properties, and every finding. Nothing is read outside the repository, and no folder of a run's
outside it is looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from assembler.errors import RefusedError, UsageError
from assembler.front.policy import load_policy
from assembler.front.skill_looking import SkillGround, look_at_skills
from assembler.front.skill_paths import look_at_paths
from assembler.front.skill_roots import inside_roots, outside_roots
from assembler.front.skill_search import find_elsewhere
from assembler.front.skills import load_locked
from assembler.front.trees import open_workplace, open_workplace_tree
from assembler.model.catalogue import RULES
from assembler.model.finding import Finding, finding_order
from assembler.model.skill import (
    Skill,
)
from assembler.model.skill_places import all_roots, skill_names
from assembler.offers.reader import FileReader


class SkillCheckReport(NamedTuple):
    """What is wrong with some skills, and what they were."""

    skills: tuple[Skill, ...]
    """By path: each SKILL.md, and what stands in the place of one. A skill without `errors` is
    valid by the specification."""
    findings: tuple[Finding, ...]
    """By place: the errors of the specification, and our own."""
    paths: tuple[str, ...]
    """What was asked about, root-relative; empty: all."""
    elsewhere: tuple[str, ...]
    """Each SKILL.md that no folder of skills holds, where all were asked about; not looked at."""
    at: str
    revision: str | None
    profile: str

    def count(self, severity: str) -> int:
        """The findings of one severity."""
        return sum(finding.severity == severity for finding in self.findings)


def check_skills(
    cwd: Path,
    *,
    environment: Mapping[str, str],
    at: str = "worktree",
    paths: Sequence[str] = (),
    profile: str | None = None,
    host: Path | None = None,
    codes: frozenset[str] = frozenset(RULES),
) -> SkillCheckReport:
    """Check the skills at some paths, or all of the repository.

    Args:
        cwd: absolute, links resolved; relative paths are read from it.
        environment: for the user's folders and the documented variables.
        at: `worktree`, `index` or a revision.
        paths: each a SKILL.md, the folder of a skill, a file in it, or a folder that holds skills
            at any depth; none: what lies below a folder of skills, at any level of the repository.
        profile: a name or a file; its `skills.roots` and denies count.
        host: the host manifest.
        codes: the findings that are wanted; errors are told whatever they are.

    Raises:
        UsageError, ConfigError: a path is missing (`path-missing`) or has no skill
            (`skill-missing`), the lock file says nothing usable, or something could not be looked
            at.
    """
    with open_workplace(cwd) as (workplace, git):
        tree = open_workplace_tree(workplace, git, at, environment)
        try:
            policy = load_policy(
                workplace, tree, profile=profile, host=host, base=cwd, environment=environment
            )
        except RefusedError as error:
            raise UsageError(
                error.code, error.message, where=error.where, next_step=error.next_step
            ) from None
        roots = all_roots(inside_roots(policy.profile))
        asked = look_at_paths(workplace, tree, paths, cwd, roots)
        scope = policy.read_scope()
        ground = SkillGround(tree, roots, FileReader(tree, scope), workplace.root.name)
        named = tree.list_named(skill_names(roots))
        found = look_at_skills(
            ground,
            named,
            asked,
            pins=load_locked(tree, scope),
            resident=policy.profile.tools.resident,
            may_be_outside=bool(outside_roots(policy.profile)),
            environment=environment,
        )
        wanted = {_key(item): item for item in found.findings if item.code in codes}
        return SkillCheckReport(
            skills=found.skills,
            findings=tuple(sorted(wanted.values(), key=finding_order)),
            paths=tuple(item.path for item in asked),
            elsewhere=() if asked else find_elsewhere(tree, named, found.seen.search, roots),
            at=at,
            revision=tree.revision,
            profile=policy.loaded.name,
        )


def _key(finding: Finding) -> tuple[object, ...]:
    return finding.code, *finding_order(finding)

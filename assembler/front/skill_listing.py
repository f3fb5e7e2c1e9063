"""`skills list` and `skills show`: what a run would load of skills, level by level."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from assembler.config.profile import Executor
from assembler.config.task import Task
from assembler.errors import UsageError
from assembler.front.counting import counters
from assembler.front.places import Workplace
from assembler.front.policy import Policy, load_policy
from assembler.front.skill_offer import SkillPlace, find_offer
from assembler.front.skill_refusals import Refusal, find_refusals
from assembler.front.skill_roots import inside_roots, outside_roots
from assembler.front.skill_rows import SkillRow, about_lengths, make_rows
from assembler.front.targets import find_targets
from assembler.front.trees import open_workplace, open_workplace_tree
from assembler.model.chain import folders_down_to, join_path
from assembler.model.counting import counter_unit
from assembler.model.finding import Finding
from assembler.model.inventory import TEXT_LAYOUT
from assembler.model.tree import EntryKind
from assembler.ports import SourceTree

FOREIGN_ROOTS: Final = (
    ".claude/skills",
    ".codex/skills",
    ".cursor/skills",
    ".gemini/skills",
    ".github/skills",
    ".opencode/skills",
    "skills",
)
"""Where other programs and repositories keep them (facts of the clients, README of npm skills)."""


class SkillReport(NamedTuple):
    """The skills of a folder where an agent starts."""

    rows: tuple[SkillRow, ...]
    """The listed and hidden ones by name, then those behind one of their name, then the rest."""
    findings: tuple[Finding, ...]
    refusals: tuple[Refusal, ...]
    """What `assemble` would refuse of the same."""
    contents: Mapping[str, bytes]
    """Of each SKILL.md that was read, by its path."""
    executor: Executor
    """What the host lets the agent do; no skill adds to it."""
    resident: tuple[str, ...]
    """The resident tools of the profile."""
    root: Path
    """Absolute; paths are relative to it, or begin with `~/` or `/`."""
    cwd: str
    roots: tuple[str, ...]
    """Folders of skills beside the default one, those outside the repository last."""
    foreign_roots: tuple[str, ...]
    """Where nothing was found: folders of other programs' skills, which were not looked in."""
    targets: tuple[str, ...]
    at: str
    revision: str | None
    profile: str
    counter: str
    unit: str

    @property
    def catalog_cost(self) -> int:
        """Of all lines together."""
        return sum(row.costs.line or 0 for row in self.rows if row.state == "listed")

    @property
    def active_cost(self) -> int:
        """Of the active ones, in whole."""
        return sum(row.costs.instructions or 0 for row in self.rows if row.active is not None)

    @property
    def rendered_cost(self) -> tuple[int, int]:
        """Of lines and of active ones as they stand in an input, their headers included."""
        return (
            sum(row.costs.rendered_line or 0 for row in self.rows),
            sum(row.costs.rendered_instructions or 0 for row in self.rows),
        )

    @property
    def other_findings(self) -> tuple[Finding, ...]:
        """Those that are about no one skill's own file: of the search, the profile, the pins."""
        own = {finding for row in self.rows for finding in map(_key, row.skill.findings)}
        return tuple(finding for finding in self.findings if _key(finding) not in own)


def report_skills(
    cwd: Path,
    *,
    environment: Mapping[str, str],
    at: str = "worktree",
    targets: Sequence[str] = (),
    task: Task | None = None,
    profile: str | None = None,
    host: Path | None = None,
    every_digest: bool = True,
) -> SkillReport:
    """The skills that a run of an agent started in a folder would find.

    Args:
        cwd: where the agent starts; absolute, links resolved.
        environment: for the user's folders and the documented variables.
        at: `worktree`, `index` or a revision.
        targets: paths relative to `cwd`; rules of the profile may activate a skill for them.
        task: what is asked; its words and its `skills` activate.
        profile: a name or a file; its `skills` and denies count.
        host: the host manifest.
        every_digest: read the files of every folder for its digest; else of pinned ones alone.

    Raises:
        UsageError, ConfigError: what was named is missing or says nothing usable.
        RefusedError: `profile-widens-host`.
    """
    asked = Task() if task is None else task
    with open_workplace(cwd) as (workplace, git):
        tree = open_workplace_tree(workplace, git, at, environment)
        policy = load_policy(
            workplace, tree, profile=profile, host=host, base=cwd, environment=environment
        )
        all_targets = find_targets(workplace, tree, cwd, targets, asked.targets)
        with counters(environment) as open_counter:
            counter = open_counter(policy.profile.counter)
            found = find_offer(
                asked,
                policy,
                SkillPlace(workplace, git, tree, environment),
                targets=all_targets,
                counter=counter,
                every_digest=every_digest,
            )
            layout = policy.profile.layout
            rows = make_rows(found.offer, found.contents, counter, layout=layout)
            findings = (*found.offer.findings, *about_lengths(rows, counter.unit))
        return _report(
            rows,
            findings,
            find_refusals(found.offer) if layout == TEXT_LAYOUT else (),
            policy,
            contents={
                row.skill.path: found.contents[row.skill.path]
                for row in rows
                if row.skill.path in found.contents
            },
            workplace=workplace,
            # Asked for a hint, which is given where there is no row.
            foreign_roots=()
            if rows
            else _foreign_roots(tree, inside_roots(policy.profile), workplace.cwd),
            targets=tuple(all_targets),
            at=at,
            revision=tree.revision,
        )


def _report(
    rows: tuple[SkillRow, ...],
    findings: tuple[Finding, ...],
    refusals: tuple[Refusal, ...],
    policy: Policy,
    *,
    contents: Mapping[str, bytes],
    workplace: Workplace,
    foreign_roots: tuple[str, ...],
    targets: tuple[str, ...],
    at: str,
    revision: str | None,
) -> SkillReport:
    profile = policy.profile
    return SkillReport(
        rows=rows,
        findings=findings,
        refusals=refusals,
        contents=contents,
        executor=policy.executor,
        resident=tuple(profile.tools.resident),
        root=workplace.root,
        cwd=workplace.cwd,
        roots=(*inside_roots(profile), *outside_roots(profile)),
        foreign_roots=foreign_roots,
        targets=targets,
        at=at,
        revision=revision,
        profile=policy.loaded.name,
        counter=profile.counter,
        unit=counter_unit(profile.counter),
    )


def _foreign_roots(tree: SourceTree, roots: Sequence[str], cwd: str) -> tuple[str, ...]:
    """The places of other programs' skills, root-relative."""
    names = [name for name in FOREIGN_ROOTS if name not in roots]
    places = [join_path(level, name) for level in folders_down_to(cwd) for name in names]
    found = tree.look_up(places)
    return tuple(place for place in places if found[place].kind is EntryKind.DIRECTORY)


def find_skill(report: SkillReport, name: str) -> SkillRow:
    """The skill of a name: the one that counts, else the first of its name or folder.

    Args:
        report: what was found.
        name: of the skill, or the path of its folder or SKILL.md, relative to where the agent
            starts.

    Raises:
        UsageError: `skill-missing`, with the nearest name.
    """
    path = name if name.startswith("~/") else _root_relative(report, name)
    for row in report.rows:
        if name == row.name or path in (row.skill.folder, row.skill.path):
            return row
    import difflib

    known = [row.name for row in report.rows]
    near = difflib.get_close_matches(name, known, n=1)
    raise UsageError(
        "skill-missing",
        f"no skill is called {name}",
        where=name,
        next_step=f"did you mean {near[0]}?" if near else "all of them: assembler skills list",
    )


def _root_relative(report: SkillReport, name: str) -> str:
    """A path of the command line as rows have it; one outside stays as it is."""
    absolute = os.path.normpath(report.root / report.cwd / name)
    return absolute.removeprefix(f"{report.root}/")


def _key(finding: Finding) -> tuple[object, ...]:
    return finding.code, finding.path, finding.line, finding.column, finding.message

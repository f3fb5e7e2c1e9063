"""`skills list` and `skills show`: what a run would load of skills, level by level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from assembler.adapters.git import GitRepository
from assembler.config.profile import Executor, counter_unit
from assembler.config.task import Task
from assembler.discover.skill_rules import about_tokens
from assembler.errors import UsageError
from assembler.front.counting import counters
from assembler.front.places import Workplace, find_workplace
from assembler.front.policy import Policy, load_policy
from assembler.front.skill_offer import SkillPlace, find_offer
from assembler.front.skill_roots import inside_roots, outside_roots
from assembler.front.targets import find_targets
from assembler.front.trees import open_workplace_tree
from assembler.model.candidate import Absent, Candidate, Inline
from assembler.model.finding import Finding
from assembler.model.skill import Skill, catalog_line
from assembler.model.skill_pin import PinCheck
from assembler.offers.skills import SkillOffer
from assembler.ports import Counter

ListState: TypeAlias = Literal["listed", "shadowed", "rejected", "hidden"]
"""`hidden`: a sound skill whose line does not reach the input."""


class SkillRow(NamedTuple):
    """One skill, or what looks like one, with its cost at each level."""

    skill: Skill
    state: ListState
    reason: str | None
    """Why it is not listed: the slug."""
    where: str | None
    """The place that says so."""
    active: str | None
    """Why its SKILL.md is in; None: its line alone is."""
    line: str | None
    """Level 1: as it is rendered, or would be if the skill were listed."""
    line_cost: int | None
    instructions_cost: int | None
    """Of the whole SKILL.md; None where it was not read."""
    folder_sha256: str | None
    """None where a file of the folder can't be read, or nobody asked for it."""
    pin: PinCheck | None = None
    """Of a listed skill, or one whose pin is broken: what became of its pin."""

    @property
    def source(self) -> str:
        """The folder of skills that it was found in."""
        return self.skill.root


class SkillReport(NamedTuple):
    """The skills of a folder where an agent starts."""

    rows: tuple[SkillRow, ...]
    """The listed and hidden ones by name, then those behind one of their name, then the rest."""
    findings: tuple[Finding, ...]
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
    targets: tuple[str, ...]
    at: str
    revision: str | None
    profile: str
    counter: str
    unit: str

    @property
    def catalog_cost(self) -> int:
        """Of all lines together."""
        return sum(row.line_cost or 0 for row in self.rows if row.state == "listed")

    @property
    def active_cost(self) -> int:
        """Of the active ones, in whole."""
        return sum(row.instructions_cost or 0 for row in self.rows if row.active is not None)


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
    with _open(cwd, at, environment) as (workplace, git):
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
            rows = tuple(_rows(found.offer, found.contents, counter))
            findings = (*found.offer.findings, *_too_long(rows, counter.unit))
        return _report(
            rows,
            findings,
            policy,
            contents={
                row.skill.path: found.contents[row.skill.path]
                for row in rows
                if row.skill.path in found.contents
            },
            workplace=workplace,
            targets=tuple(all_targets),
            at=at,
            revision=tree.revision,
        )


@contextmanager
def _open(
    cwd: Path, at: str, environment: Mapping[str, str]
) -> Iterator[tuple[Workplace, GitRepository | None]]:
    workplace = find_workplace(cwd)
    git = GitRepository(workplace.places) if workplace.is_repository else None
    try:
        yield workplace, git
    finally:
        if git is not None:
            git.close()


def _report(
    rows: tuple[SkillRow, ...],
    findings: tuple[Finding, ...],
    policy: Policy,
    *,
    contents: Mapping[str, bytes],
    workplace: Workplace,
    targets: tuple[str, ...],
    at: str,
    revision: str | None,
) -> SkillReport:
    profile = policy.profile
    return SkillReport(
        rows=rows,
        findings=findings,
        contents=contents,
        executor=policy.executor,
        resident=tuple(profile.tools.resident),
        root=workplace.root,
        cwd=workplace.cwd,
        roots=(*inside_roots(profile), *outside_roots(profile)),
        targets=targets,
        at=at,
        revision=revision,
        profile=policy.loaded.name,
        counter=profile.counter,
        unit=counter_unit(profile.counter),
    )


def find_skill(report: SkillReport, name: str) -> SkillRow:
    """The skill of a name: the one that counts, else the first of its name or folder.

    Args:
        report: what was found.
        name: of the skill, or the path of its folder or SKILL.md.

    Raises:
        UsageError: `skill-missing`, with the nearest name.
    """
    path = name.rstrip("/")
    for row in report.rows:
        if name == row.skill.name or path in (row.skill.folder, row.skill.path):
            return row
    import difflib

    known = [row.skill.name for row in report.rows if row.skill.name is not None]
    near = difflib.get_close_matches(name, known, n=1)
    raise UsageError(
        "skill-missing",
        f"no skill is called {name}",
        where=name,
        next_step=f"did you mean {near[0]}?" if near else "all of them: assembler skills list",
    )


def _rows(offer: SkillOffer, contents: Mapping[str, bytes], counter: Counter) -> Iterator[SkillRow]:
    candidates = {candidate.id: candidate for candidate in offer.candidates}
    entries = [_entry_of(skill, candidates) for skill in offer.skills]
    lines = [_line(*pair) for pair in zip(offer.skills, entries, strict=True)]
    texts = [None if line is None else line.encode() for line in lines]
    heads = [contents.get(skill.path) for skill in offer.skills]
    costs = _count(counter, [*texts, *heads])
    for index, skill in enumerate(offer.skills):
        state: ListState = skill.state
        reason, where, entry = skill.slug, skill.where, entries[index]
        pin = offer.pins.get(str(skill.name)) if state == "listed" else None
        if entry is not None and isinstance(entry.content, Absent):
            is_broken = pin is not None and pin.state == "broken"
            state = "rejected" if is_broken else "hidden"
            reason, where = entry.content.code, entry.content.where
        active = candidates.get(f"skill:{skill.name}#instructions") if state != "shadowed" else None
        folder = offer.folders.get(skill.path)
        yield SkillRow(
            skill=skill,
            state=state,
            reason=reason,
            where=where,
            active=None if active is None else active.discovered_by,
            line=lines[index],
            line_cost=costs[index],
            instructions_cost=costs[len(lines) + index],
            folder_sha256=None if folder is None else folder.sha256,
            pin=pin,
        )


def _too_long(rows: Sequence[SkillRow], unit: str) -> list[Finding]:
    """A note for each skill that has too many tokens; of too many lines it says so itself."""
    return [
        finding
        for row in rows
        if unit == "token"
        if (finding := about_tokens(row.skill, row.instructions_cost or 0)) is not None
    ]


def _entry_of(skill: Skill, candidates: Mapping[str, Candidate]) -> Candidate | None:
    """The catalog's candidate of a listed skill."""
    return candidates.get(f"skill:{skill.name}") if skill.state == "listed" else None


def _count(counter: Counter, texts: Sequence[bytes | None]) -> list[int | None]:
    """The cost of each text; None stays None."""
    costs = iter(counter.count_all([text for text in texts if text is not None]))
    return [None if text is None else next(costs) for text in texts]


def _line(skill: Skill, entry: Candidate | None) -> str | None:
    """The line that is rendered, else the one that would be."""
    if entry is not None and isinstance(entry.content, Inline):
        return entry.content.data.decode()
    if skill.name is None or skill.description is None:
        return None
    return catalog_line(skill.name, skill.description)

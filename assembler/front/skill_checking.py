"""`skills check`: the skills of a repository beside the specification, strictly.

In: paths, or none for every folder of skills of the repository. Out: each skill with its errors and
properties, and every finding. Nothing is read outside the repository, and no folder of a run's
outside it is looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from assembler.adapters.frontmatter import read_front_matter
from assembler.adapters.git import GitRepository
from assembler.discover.skill_rules import about_tokens
from assembler.discover.skills import build_skill, shadow_skill
from assembler.errors import RefusedError, UsageError
from assembler.front.chains import is_own_root
from assembler.front.counting import counters
from assembler.front.places import Workplace, find_workplace
from assembler.front.policy import load_policy
from assembler.front.skill_roots import inside_roots
from assembler.front.skill_search import AskedPath, search_asked, search_roots
from assembler.front.targets import path_missing
from assembler.front.trees import open_workplace_tree
from assembler.model.catalogue import RULES
from assembler.model.chain import parent_folder
from assembler.model.finding import Finding, finding_order
from assembler.model.names import escape_bytes
from assembler.model.skill import (
    DEFAULT_SKILL_ROOTS,
    MAX_SKILL_TOKENS,
    SKILL_FILE,
    Skill,
    SkillSearch,
)
from assembler.model.tree import EntryKind
from assembler.offers.reader import FileReader
from assembler.offers.skill_search import read_heads
from assembler.ports import SourceTree

COUNTER: Final = "o200k_base"


class SkillCheckReport(NamedTuple):
    """What is wrong with some skills, and what they were."""

    skills: tuple[Skill, ...]
    """By path: each SKILL.md, and what stands in the place of one. A skill without `errors` is
    valid by the specification."""
    findings: tuple[Finding, ...]
    """By place: the errors of the specification, and our own."""
    paths: tuple[str, ...]
    """What was asked about, root-relative; empty: all."""
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
        paths: each a SKILL.md, the folder of a skill, or a folder that holds skills at any depth;
            none: what lies below a folder of skills, at any level of the repository.
        profile: a name or a file; its `skills.roots` and denies count.
        host: the host manifest.
        codes: the findings that are wanted; errors are told whatever they are.

    Raises:
        UsageError, ConfigError: a path is missing (`path-missing`) or has no skill
            (`skill-missing`), or something could not be looked at.
    """
    with _open(cwd, at, environment) as (workplace, tree):
        try:
            policy = load_policy(
                workplace, tree, profile=profile, host=host, base=cwd, environment=environment
            )
        except RefusedError as error:
            raise UsageError(
                error.code, error.message, where=error.where, next_step=error.next_step
            ) from None
        roots = tuple(dict.fromkeys((*DEFAULT_SKILL_ROOTS, *inside_roots(policy.profile))))
        asked = _look_at(workplace, tree, paths, cwd)
        search = _search(tree, roots, asked)
        reader = FileReader(tree, policy.read_scope())
        skills = _with_clashes(_build(search, reader, workplace.root.name))
        found = (
            *search.findings,
            *(item for skill in skills for item in skill.findings),
            *_too_long(skills, reader, environment),
        )
        wanted = {_key(item): item for item in found if item.code in codes}
        return SkillCheckReport(
            skills=tuple(skill for skill in skills if _is_skill_file(skill)),
            findings=tuple(sorted(wanted.values(), key=finding_order)),
            paths=tuple(item.path for item in asked),
            at=at,
            revision=tree.revision,
            profile=policy.loaded.name,
        )


def _too_long(
    skills: Sequence[Skill], reader: FileReader, environment: Mapping[str, str]
) -> list[Finding]:
    """Notes about tokens. No token is less than a byte: what is small is not counted at all."""
    large = [
        (skill, data)
        for skill in skills
        if len(data := reader.contents.get(skill.path, b"")) > MAX_SKILL_TOKENS
    ]
    if not large:
        return []
    with counters(environment) as open_counter:
        counts = open_counter(COUNTER).count_all([data for _, data in large])
    notes = (about_tokens(skill, count) for (skill, _), count in zip(large, counts, strict=True))
    return [note for note in notes if note is not None]


@contextmanager
def _open(
    cwd: Path, at: str, environment: Mapping[str, str]
) -> Iterator[tuple[Workplace, SourceTree]]:
    workplace = find_workplace(cwd)
    git = GitRepository(workplace.places) if workplace.is_repository else None
    try:
        yield workplace, open_workplace_tree(workplace, git, at, environment)
    finally:
        if git is not None:
            git.close()


def _key(finding: Finding) -> tuple[object, ...]:
    return finding.code, *finding_order(finding)


def _look_at(
    workplace: Workplace, tree: SourceTree, paths: Sequence[str], cwd: Path
) -> list[AskedPath]:
    """The named paths, root-relative, each once.

    Raises:
        UsageError: `path-missing`, `path-outside`; `skill-missing` for a file that is no SKILL.md.
    """
    relative = {workplace.relative(path, base=cwd): path for path in paths}
    entries = tree.look_up(list(relative)) if relative else {}
    asked = []
    for path, as_given in relative.items():
        kind = entries[path].kind
        if kind is EntryKind.MISSING:
            raise path_missing(as_given, path, tree)
        is_folder = kind is EntryKind.DIRECTORY and path.rpartition("/")[2] != SKILL_FILE
        folder = path if is_folder else parent_folder(path)
        if tree.at == "worktree" and folder and is_own_root(workplace, folder):
            raise UsageError(
                "path-outside",
                f"{as_given} lies in a repository of its own",
                where=as_given,
                next_step="start there with -C",
            )
        is_file = not is_folder and kind not in {EntryKind.OUTSIDE_LINK, EntryKind.ERROR}
        if is_file and path.rpartition("/")[2].lower() != SKILL_FILE.lower():
            raise _no_skill(as_given)
        asked.append(AskedPath(path, folder if is_file or is_folder else path, as_given))
    return asked


def _no_skill(as_given: str) -> UsageError:
    return UsageError(
        "skill-missing",
        f"no skill at {as_given}",
        where=as_given,
        next_step=f"a skill is a folder with a {SKILL_FILE}; name it, or a folder above it",
    )


def _search(tree: SourceTree, roots: Sequence[str], asked: Sequence[AskedPath]) -> SkillSearch:
    """What the search meets.

    Raises:
        UsageError: `skill-missing`, `path-not-utf8`, `size-limit`.
    """
    named = tree.list_named({SKILL_FILE, *(root.partition("/")[0] for root in roots)})
    if not asked:
        unnamable = [path for path in named.unnamable if path.endswith(SKILL_FILE.encode())]
        if unnamable:
            raise UsageError(
                "path-not-utf8",
                "a skill on a path that is not UTF-8, so that no rule can speak of it",
                where=escape_bytes(unnamable[0]),
                next_step="rename the folder",
            )
        if named.truncated:
            raise UsageError(
                "size-limit",
                "the folder holds more files than are listed without git",
                next_step="start deeper with -C, or inside a repository",
            )
        return search_roots(tree, roots, named)
    search = search_asked(tree, roots, named, asked)
    seen = [folder.entry.path for folder in search.folders]
    seen += [skill.path for skill in search.turned_away]
    for item in asked:
        if not any(path == item.path or path.startswith(_prefix(item.folder)) for path in seen):
            raise _no_skill(item.as_given)
    return search


def _prefix(folder: str) -> str:
    return f"{folder}/" if folder else ""


def _build(search: SkillSearch, reader: FileReader, root_name: str) -> list[Skill]:
    contents = read_heads(search, reader)
    built = [
        build_skill(
            folder,
            contents[folder.entry.path],
            read_front_matter,
            root_name=root_name,
        )
        for folder in search.folders
    ]
    # The same real file under a second name is the same skill.
    others = [skill for skill in search.turned_away if skill.slug != "same-file-twice"]
    return sorted((*built, *others), key=lambda skill: skill.path)


def _with_clashes(skills: Iterable[Skill]) -> list[Skill]:
    """The skills, each that a nearer one of its name hides from an agent with that finding.

    Two clash where an agent meets both: one's level is the other's, or lies above it.
    """
    ordered = sorted(skills, key=lambda skill: (-skill.scope.count("/"), not skill.scope))
    winners: dict[str, list[Skill]] = {}
    found: list[Skill] = []
    for skill in ordered:
        if skill.state != "listed" or skill.name is None:
            found.append(skill)
            continue
        nearer = winners.setdefault(skill.name, [])
        winner = next((one for one in nearer if _is_at_or_above(skill.scope, one.scope)), None)
        if winner is None:
            nearer.append(skill)
        found.append(skill if winner is None else shadow_skill(skill, winner))
    return sorted(found, key=lambda skill: skill.path)


def _is_at_or_above(scope: str, other: str) -> bool:
    return not scope or scope == other or other.startswith(f"{scope}/")


def _is_skill_file(skill: Skill) -> bool:
    """Whether it stands for a skill: not a link beside the folders, nor part of another skill."""
    return skill.slug != "skill-nested" and skill.path.lower().endswith(SKILL_FILE.lower())

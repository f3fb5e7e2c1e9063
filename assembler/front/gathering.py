"""What a run is offered by a repository, before anything of it is recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeAlias

from assembler.adapters.folder_tree import FolderTree
from assembler.adapters.git import GitRepository
from assembler.adapters.git_objects import Commit
from assembler.adapters.history import GitHistory
from assembler.adapters.ignore_rules import NothingIgnored, WorktreeIgnores
from assembler.adapters.patterns import compile_patterns
from assembler.adapters.symbols import TreeSitterReader
from assembler.adapters.text_scans import scan_secrets, scan_signals
from assembler.authorize.read_scope import ReadScope
from assembler.config.task import Task
from assembler.errors import UsageError
from assembler.front.changed_paths import ChangedPaths
from assembler.front.counting import counters
from assembler.front.declared_servers import read_declared
from assembler.front.places import Workplace
from assembler.front.policy import (
    Policy,
    load_global_instructions,
    load_policy,
    open_instructions,
)
from assembler.front.revision_trust import TrustedRevisions
from assembler.front.revisions import name_in
from assembler.front.skill_roots import join_skill_roots, outside_roots
from assembler.front.skills import skill_terms
from assembler.front.surroundings import look_around
from assembler.front.targets import find_targets
from assembler.front.terms import make_terms
from assembler.front.trees import Trees, open_trees
from assembler.model.chain import parent_folder
from assembler.model.run import RunTerms
from assembler.model.skill import FrontMatter
from assembler.model.tree import EntryKind
from assembler.offers.reader import FileReader
from assembler.pipeline import Offer, World, discover_inventory
from assembler.ports import Counter, SourceTree, SymbolReader

OpenCounter: TypeAlias = Callable[[str], Counter]


class Gathered(NamedTuple):
    """Everything that a run is offered, before anything of it is recorded."""

    offer: Offer
    policy: Policy
    trees: Trees
    targets: tuple[str, ...]
    git: GitRepository
    open_counter: OpenCounter


@contextmanager
def gather_repository(
    workplace: Workplace,
    cwd: Path,
    task: Task,
    *,
    environment: Mapping[str, str],
    at: str,
    policy_from: str | None = None,
    targets: Sequence[str] = (),
    profile: str | None = None,
    host: Path | None = None,
    now: str | None = None,
    api: str = "text",
    model: str | None = None,
) -> Iterator[Gathered]:
    """Discover what a run is offered; nothing is written.

    Args:
        workplace: the repository.
        cwd: as of `assemble_repository`, like all that follows.
        task: what is asked.
        environment: for the user's folders.
        at: `worktree`, `index` or a revision.
        policy_from: the revision of the policy, or None.
        targets: paths relative to `cwd`.
        profile: a name or a file.
        host: the host manifest.
        now: reference time for expiry.
        api: the request adapter.
        model: the model's name.

    Raises:
        UsageError, ConfigError, RefusedError: as `assemble_repository`.
    """
    with (
        GitRepository(workplace.places, environment=environment) as git,
        counters(environment) as counter_source,
        TreeSitterReader() as symbols,
    ):
        trees = open_trees(workplace, git, at, environment, policy_from=policy_from)
        tree = trees.evidence
        head = _require_commit(git, at)
        policy = load_policy(
            workplace,
            trees.policy,
            profile=profile,
            host=host,
            base=cwd,
            environment=environment,
            policy_from=trees.policy_from,
        )
        ground = _Ground(workplace, trees, git, policy, policy.read_scope(), environment)
        all_targets = find_targets(workplace, tree, cwd, [*targets], task.targets)
        terms = _make_terms(
            ground, task, all_targets, now=now or head.committed_at, api=api, model=model
        )
        world = _open_world(ground, symbols, counter_source)
        offer = discover_inventory(terms, world)
        yield Gathered(offer, policy, trees, tuple(all_targets), git, counter_source)


class _Ground(NamedTuple):
    """Where a run stands and what it may do there."""

    workplace: Workplace
    trees: Trees
    git: GitRepository
    policy: Policy
    scope: ReadScope
    environment: Mapping[str, str]


def _make_terms(
    ground: _Ground,
    task: Task,
    targets: Sequence[str],
    *,
    now: str,
    api: str,
    model: str | None,
) -> RunTerms:
    """The terms of a run: what is asked, where, and under which policy."""
    workplace, trees, git, policy, scope, environment = ground
    tree = trees.evidence
    changed_paths = ChangedPaths(tree, git, scope)
    asked = task.asked_changes
    return make_terms(
        task,
        policy,
        tree,
        scope,
        policy_tree=trees.policy,
        ends=_ends(trees, targets),
        surroundings=look_around(workplace, trees.policy.at, environment, policy.walk_rules),
        cwd=workplace.cwd,
        targets=targets,
        global_file=load_global_instructions(policy, environment),
        skills=skill_terms(
            task,
            policy,
            trees,
            workplace,
            scope=scope,
            targets=targets,
            environment=environment,
            find_changed=changed_paths.find,
        ),
        changed=None if asked is None else changed_paths.list_changed(asked.since, asked.limit),
        now=now,
        api=api,
        model=model,
    )


def _open_world(ground: _Ground, symbols: SymbolReader, open_counter: OpenCounter) -> World:
    """Everything that discovery reads by."""
    workplace, trees, git, policy, scope, environment = ground
    tree = trees.evidence
    readers = _open_readers(policy, workplace, trees, scope, environment)
    return World(
        reader=readers.evidence,
        policy_reader=readers.policy,
        skill_reader=readers.skills,
        payloads=_payload_reader(workplace, tree, readers.evidence, scope),
        history=GitHistory(git, current=tree.revision),
        read_front_matter=_read_front_matter,
        read_declaration=read_declared,
        symbols=symbols,
        compile_glob=lambda glob: compile_patterns([glob], where=f"search: {glob}"),
        name_revisions=name_in(
            git, policy=readers.policy, skills=readers.skills, evidence=readers.evidence
        ),
        scan_secrets=scan_secrets,
        scan_signals=scan_signals,
        open_counter=open_counter,
        ignores=WorktreeIgnores(git) if tree.at == "worktree" else NothingIgnored(),
        trusted=_trusted_revisions(git, policy),
    )


class _Readers(NamedTuple):
    """What each part of a run is read by; one object where two parts come from one tree."""

    evidence: FileReader
    policy: FileReader
    skills: FileReader


def _open_readers(
    policy: Policy,
    workplace: Workplace,
    trees: Trees,
    scope: ReadScope,
    environment: Mapping[str, str],
) -> _Readers:
    """Readers of the trees, with what the host allows outside them.

    Instructions may be links out of the repository, skills may lie in folders outside it.
    """
    allowed = open_instructions(policy, workplace, trees.policy, environment)
    is_one = trees.policy is trees.evidence
    evidence = FileReader(trees.evidence, scope, instruction_tree=allowed if is_one else None)
    own = evidence if is_one else FileReader(trees.policy, scope)
    outside = outside_roots(policy.profile)
    skill_tree = join_skill_roots(trees.policy, workplace.root, outside, environment)
    skills = own if skill_tree is trees.policy else FileReader(skill_tree, scope)
    return _Readers(evidence, own, skills)


def _ends(trees: Trees, targets: Sequence[str]) -> list[str]:
    """Where the instructions of each target end.

    What a target is says the tree that it stands in: in that of the policy it may be another
    kind of thing, or nothing yet.
    """
    if trees.policy is trees.evidence:
        return [*targets]
    entries = trees.evidence.look_up(targets)
    folders = (
        path if entries[path].kind is EntryKind.DIRECTORY else parent_folder(path)
        for path in targets
    )
    return list(dict.fromkeys(folders))


def _require_commit(git: GitRepository, at: str) -> Commit:
    commit = git.head() if at in ("worktree", "index") else git.resolve(at)
    if commit is None:
        raise UsageError(
            "unborn-branch",
            "the branch has no commit yet: there is no revision to name",
            next_step="make a first commit",
        )
    return commit


def _trusted_revisions(git: GitRepository, policy: Policy) -> TrustedRevisions | None:
    """The revisions that the host trusts; None where it says nothing of them."""
    names = policy.host.revisions.trusted
    return None if names is None else TrustedRevisions(git, names, policy.policy_from)


def _payload_reader(
    workplace: Workplace, tree: SourceTree, reader: FileReader, scope: ReadScope
) -> FileReader:
    """What the invoker hands in is read as it is now, whatever the run reads."""
    if tree.at == "worktree":
        return reader
    return FileReader(FolderTree(workplace.root), scope)


def _read_front_matter(data: bytes) -> FrontMatter:
    from assembler.adapters.frontmatter import read_front_matter  # of repositories with skills

    return read_front_matter(data)

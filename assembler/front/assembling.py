"""`assemble`: the input of one run, from a repository or from an inventory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from assembler.adapters.folder_tree import FolderTree
from assembler.adapters.git import GitRepository
from assembler.adapters.git_objects import Commit
from assembler.adapters.history import GitHistory
from assembler.adapters.ignore_rules import NothingIgnored, WorktreeIgnores
from assembler.adapters.patterns import compile_patterns
from assembler.adapters.store import Store
from assembler.adapters.symbols import TreeSitterReader
from assembler.adapters.text_scans import scan_secrets, scan_signals
from assembler.assess.normal_form import normalise
from assembler.assess.secrets import CODE as SECRET
from assembler.assess.secrets import find_in_terms
from assembler.authorize.read_scope import ReadScope
from assembler.config.inventory_limits import check_limits
from assembler.config.task import Task, check_task
from assembler.errors import RefusedError, UsageError
from assembler.front.changed_paths import ChangedPaths
from assembler.front.counting import counters
from assembler.front.declared_servers import read_declared
from assembler.front.package_folder import require_free_folder
from assembler.front.places import (
    Workplace,
    find_workplace,
    require_repository,
    state_folder,
)
from assembler.front.policy import (
    Policy,
    load_global_instructions,
    load_policy,
    open_instructions,
)
from assembler.front.recording import (
    NOTHING_MORE,
    RecordedRun,
    Terms,
    Wanted,
    compile_on_record,
)
from assembler.front.refusals import name_cause
from assembler.front.revision_trust import TrustedRevisions
from assembler.front.revisions import name_in
from assembler.front.skill_roots import join_skill_roots, outside_roots
from assembler.front.skills import skill_terms
from assembler.front.surroundings import look_around
from assembler.front.targets import find_targets
from assembler.front.terms import make_terms
from assembler.front.trees import PolicyRevision, Trees, open_trees
from assembler.model.candidate import Absent, FromPath
from assembler.model.chain import Chain, parent_folder
from assembler.model.inventory import Inventory
from assembler.model.skill import FrontMatter
from assembler.model.times import is_time
from assembler.model.tree import EntryKind
from assembler.offers.reader import FileReader
from assembler.pipeline import Offer, World, discover_inventory
from assembler.ports import Counter, SourceTree


class AssembledRun(NamedTuple):
    """A run from a repository, and what it was made under."""

    recorded: RecordedRun
    policy: Policy
    offer: Offer
    at: str
    revision: str | None
    cwd: str
    targets: tuple[str, ...]
    git_processes: int
    policy_from: PolicyRevision | None = None


class Gathered(NamedTuple):
    """Everything that a run is offered, before anything of it is recorded."""

    offer: Offer
    policy: Policy
    trees: Trees
    targets: tuple[str, ...]
    git: GitRepository
    open_counter: Callable[[str], Counter]


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
        scope = policy.read_scope()
        all_targets = find_targets(workplace, tree, cwd, [*targets], task.targets)
        changed_paths = ChangedPaths(tree, git, scope)
        asked = task.asked_changes
        terms = make_terms(
            task,
            policy,
            tree,
            scope,
            policy_tree=trees.policy,
            ends=_ends(trees, all_targets),
            surroundings=look_around(workplace, trees.policy.at, environment, policy.walk_rules),
            cwd=workplace.cwd,
            targets=all_targets,
            global_file=load_global_instructions(policy, environment),
            skills=skill_terms(
                task,
                policy,
                trees,
                workplace,
                scope=scope,
                targets=all_targets,
                environment=environment,
                find_changed=changed_paths.find,
            ),
            changed=None if asked is None else changed_paths.list_changed(asked.since, asked.limit),
            now=now or head.committed_at,
            api=api,
            model=model,
        )
        readers = _open_readers(policy, workplace, trees, scope, environment)
        world = World(
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
            open_counter=counter_source,
            ignores=WorktreeIgnores(git) if tree.at == "worktree" else NothingIgnored(),
            trusted=_trusted_revisions(git, policy),
        )
        offer = discover_inventory(terms, world)
        yield Gathered(offer, policy, trees, tuple(all_targets), git, counter_source)


def assemble_repository(
    cwd: Path,
    task: Task,
    *,
    environment: Mapping[str, str],
    at: str = "worktree",
    policy_from: str | None = None,
    targets: Sequence[str] = (),
    profile: str | None = None,
    host: Path | None = None,
    now: str | None = None,
    api: str = "text",
    model: str | None = None,
    locked: bool = False,
    wanted: Wanted = NOTHING_MORE,
) -> AssembledRun:
    """Discover, compile and record one run.

    Args:
        cwd: where the agent starts; absolute, links resolved.
        task: what is asked.
        environment: for the user's folders and the documented variables.
        at: `worktree`, `index` or a revision.
        policy_from: the revision that profile, instructions, skills, tools and pins are taken
            from; None: `at`.
        targets: paths relative to `cwd`, or absolute.
        profile: a name or a file.
        host: the host manifest.
        now: reference time for expiry; None: the revision's commit date.
        api: the request adapter.
        model: the model's name.
        locked: refuse where policy is not what the lock records, both of where policy is from.
        wanted: a folder for the package, and what else is wanted of the run.

    Raises:
        UsageError, ConfigError: what was named is missing or says nothing usable.
        RefusedError: the run is refused; where it had been requested, on record.
    """
    check_task(task)
    workplace = find_workplace(cwd)
    require_repository(workplace)
    if wanted.out is not None:
        require_free_folder(wanted.out)
    require_time(now)
    require_chain: Callable[[Chain], None] | None = None
    if locked:
        # Few runs ask for it.
        from assembler.front.locking import require_chain_locked, require_locked

        entries = require_locked(
            cwd, environment=environment, at=policy_from or at, profile=profile, host=host
        )
        require_chain = partial(require_chain_locked, locked=entries)
    with (
        Store(state_folder(environment, workplace), checkpoint=wanted.checkpoint) as store,
        gather_repository(
            workplace,
            cwd,
            task,
            environment=environment,
            at=at,
            policy_from=policy_from,
            targets=targets,
            profile=profile,
            host=host,
            now=now,
            api=api,
            model=model,
        ) as gathered,
    ):
        offer, trees = gathered.offer, gathered.trees
        if require_chain is not None:
            require_chain(offer.policy.chain)
        inventory, contents = normalise(
            offer.inventory, read_path=no_path, read_object=lambda _: None
        )
        check_limits(inventory, contents)
        _require_no_secret(inventory)
        try:
            recorded = compile_on_record(
                inventory,
                contents,
                Terms(store, workplace.chain_key, gathered.open_counter, wanted),
            )
        except RefusedError as error:
            raise name_cause(error, offer, policy_from=trees.policy_from) from None
        return AssembledRun(
            recorded=recorded,
            policy=gathered.policy,
            offer=offer,
            at=at,
            revision=trees.evidence.revision,
            cwd=workplace.cwd,
            targets=gathered.targets,
            git_processes=gathered.git.process_count,
            policy_from=trees.policy_from,
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


def require_time(now: str | None) -> None:
    """Refuse a reference time that is none.

    Raises:
        UsageError: `time-invalid`.
    """
    if now is not None and not is_time(now):
        raise UsageError(
            "time-invalid",
            f"--now {now} is no time",
            where=now,
            next_step="write it as 2026-09-14T00:00:00Z",
        )


def _require_no_secret(inventory: Inventory) -> None:
    """Refuse terms that would put a secret on record, before anything is."""
    found = find_in_terms(inventory, scan_secrets)
    if found is not None:
        raise UsageError(
            SECRET,
            f"{found} has the form of a secret",
            next_step="take another word, and rotate the secret",
        )


def no_path(named: FromPath, revision: str | None) -> Absent:
    """What stands at a path of an inventory: the first door hands in bytes alone."""
    raise AssertionError("the first door hands in bytes")

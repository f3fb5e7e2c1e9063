"""`chain`: the instruction files of a folder or target, and what is lost of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from assembler.adapters.git import GitRepository
from assembler.authorize.read_scope import ReadScope
from assembler.errors import RefusedError, UsageError
from assembler.front.counting import counters
from assembler.front.places import Workplace, find_workplace
from assembler.front.revisions import RevisionNames
from assembler.front.trees import open_workplace_tree
from assembler.model.chain import STRICT, Chain, ChainRow, WalkRules
from assembler.model.tree import EntryKind
from assembler.offers.chain import read_chain
from assembler.offers.reader import FileReader
from assembler.ports import SourceTree

COUNTER = "o200k_base"


class ChainReport(NamedTuple):
    """A chain with the facts that only adapters know."""

    chain: Chain
    tokens: Mapping[str, int]
    """Of the loaded text of each file, by path."""
    versions: Mapping[str, str]
    """Of files that are not those of HEAD, by path."""
    cwd: str
    targets: tuple[str, ...]
    at: str
    revision: str | None
    searched_folders: int
    profile: str
    counter: str

    @property
    def lost(self) -> tuple[ChainRow, ...]:
        """The files of which something is missing that was due."""
        return self.chain.lost


def report_chain(
    cwd: Path,
    *,
    environment: Mapping[str, str],
    at: str = "worktree",
    targets: Sequence[str] = (),
    profile: str | None = None,
    host: Path | None = None,
) -> ChainReport:
    """The chain that an agent started in a folder would load, by the strict rules.

    Args:
        cwd: where the agent starts; absolute, links resolved.
        environment: for the user's folders and the documented variables.
        at: `worktree`, `index` or a revision.
        targets: paths whose own instructions are shown too where the walk misses them.
        profile: a name or a file; its `instructions` and denies count.
        host: the host manifest.

    Raises:
        UsageError, ConfigError: what was named is missing or says nothing usable.
        RefusedError: `profile-widens-host`.
    """
    workplace = find_workplace(cwd)
    git = GitRepository(workplace.places) if workplace.is_repository else None
    try:
        return _report(
            workplace,
            git,
            cwd,
            environment=environment,
            at=at,
            targets=targets,
            profile=profile,
            host=host,
        )
    finally:
        if git is not None:
            git.close()


def _report(
    workplace: Workplace,
    git: GitRepository | None,
    cwd: Path,
    *,
    environment: Mapping[str, str],
    at: str,
    targets: Sequence[str],
    profile: str | None,
    host: Path | None,
) -> ChainReport:
    tree = open_workplace_tree(workplace, git, at, environment)
    named = tuple(workplace.relative(target, base=cwd) for target in targets)
    _require_targets(tree, targets, named)
    rules, scope, profile_name, counter_name = walk_policy(
        workplace, tree, cwd, environment=environment, profile=profile, host=host
    )
    reader = FileReader(tree, scope)
    chain, _ = read_chain(reader, rules, ends=(workplace.cwd,), targets=named)
    with counters(environment) as open_counter:
        counter = open_counter(counter_name)
        tokens = {path: counter.count(text) for path, text in chain.texts.items()}
    return ChainReport(
        chain=chain,
        tokens=tokens,
        versions=_versions(tree, git, reader, chain),
        cwd=workplace.cwd,
        targets=named,
        at=at,
        revision=tree.revision,
        searched_folders=workplace.cwd.count("/") + 2 if workplace.cwd else 1,
        profile=profile_name,
        counter=counter_name,
    )


def walk_policy(
    workplace: Workplace,
    tree: SourceTree,
    cwd: Path,
    *,
    environment: Mapping[str, str],
    profile: str | None,
    host: Path | None,
) -> tuple[WalkRules, ReadScope, str, str]:
    """Rules, grant, profile's name and counter; without any configuration nothing is loaded.

    A profile that asks for more than the host grants is no reason not to look.
    """
    if not _is_configured(tree, environment, profile=profile, host=host):
        return STRICT, ReadScope(()), "built-in", COUNTER
    from assembler.front.policy import load_policy

    try:
        policy = load_policy(
            workplace, tree, profile=profile, host=host, base=cwd, environment=environment
        )
    except RefusedError as error:
        raise UsageError(
            error.code, error.message, where=error.where, next_step=error.next_step
        ) from None
    return policy.walk_rules, policy.read_scope(), policy.loaded.name, policy.profile.counter


def _is_configured(
    tree: SourceTree,
    environment: Mapping[str, str],
    *,
    profile: str | None,
    host: Path | None,
) -> bool:
    """Whether there is anything to load; reading configuration costs as much as the rest."""
    if profile is not None or host is not None:
        return True
    if environment.get("ASSEMBLER_PROFILE") or environment.get("ASSEMBLER_HOST"):
        return True
    path = ".assembler/profile.yaml"
    return tree.look_up([path])[path].kind is not EntryKind.MISSING


def _require_targets(tree: SourceTree, as_given: Sequence[str], named: Sequence[str]) -> None:
    entries = tree.look_up(named)
    for text, path in zip(as_given, named, strict=True):
        if entries[path].kind is EntryKind.MISSING:
            from assembler.front.targets import path_missing

            raise path_missing(text, path, tree)


def _versions(
    tree: SourceTree, git: GitRepository | None, reader: FileReader, chain: Chain
) -> dict[str, str]:
    """What is not as HEAD has it; without a commit there is nothing to differ from."""
    if git is None or tree.revision is None:
        return {}
    named = RevisionNames(tree, git, reader).of({path: path for path in chain.texts})
    return {path: version for path, (_, version) in named.items() if version is not None}

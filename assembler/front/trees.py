"""The trees that a command reads: of a repository or a plain folder, at one place in time.

Policy and evidence may come from two places: with a policy revision, profile, instructions,
skills, tools and pins are read from git objects of exactly that one, and all else from `--at`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from assembler.adapters.folder_tree import WORKTREE
from assembler.adapters.git import GitRepository
from assembler.adapters.trees import INDEX, RevisionTree, open_tree
from assembler.errors import AssemblerError, ConfigError, UsageError
from assembler.front.places import Workplace, find_workplace
from assembler.ports import SourceTree


class PolicyRevision(NamedTuple):
    """The revision that policy is taken from."""

    name: str
    """As the invoker wrote it."""
    id: str
    """Full id of the commit."""

    def __str__(self) -> str:
        return f"{self.name} ({self.id[:7]})"


class Trees(NamedTuple):
    """Where evidence comes from, and where policy does."""

    evidence: SourceTree
    policy: SourceTree
    """The same object where both come from one place."""
    policy_from: PolicyRevision | None = None
    """None: nobody asked for another place than that of the evidence."""

    @property
    def judge(self) -> str | None:
        """The revision that policy is from, where that is another place than the evidence's."""
        is_other = self.policy_from is not None and self.policy is not self.evidence
        return str(self.policy_from) if is_other else None


@contextmanager
def named_in(policy_from: PolicyRevision | None) -> Iterator[None]:
    """Have a fault of a policy file name its revision: the file at hand may be another one.

    Raises:
        ConfigError: the same, with the revision in its message.
    """
    try:
        yield
    except ConfigError as error:
        if policy_from is None:
            raise
        raise ConfigError(
            error.code,
            f"{error.message}, in {policy_from}",
            where=error.where,
            next_step=error.next_step,
        ) from None


@contextmanager
def named_side(name: str) -> Iterator[None]:
    """Have a failure say which of two places in time it is about.

    Raises:
        AssemblerError: the same, with the place in its message.
    """
    try:
        yield
    except AssemblerError as error:
        error.message = f"{error.message} (at {name})"
        raise


@contextmanager
def open_workplace(
    cwd: Path, *, environment: Mapping[str, str] | None = None
) -> Iterator[tuple[Workplace, GitRepository | None]]:
    """The repository around a folder with its git, or the folder itself without one.

    Args:
        cwd: absolute, links resolved.
        environment: for the user's own list of what git ignores; None: nobody asks for that.
    """
    workplace = find_workplace(cwd)
    is_repository = workplace.is_repository
    git = GitRepository(workplace.places, environment=environment) if is_repository else None
    try:
        yield workplace, git
    finally:
        if git is not None:
            git.close()


def open_workplace_tree(
    workplace: Workplace, git: GitRepository | None, at: str, environment: Mapping[str, str]
) -> SourceTree:
    """The tree at `worktree`, `index` or a revision.

    With `index` it is the one that a git hook names, where it names one; git means that path
    from the worktree's root.

    Raises:
        UsageError: as `open_tree`.
    """
    named = environment.get("GIT_INDEX_FILE") if at == "index" else None
    index_file = workplace.root / named if named else None
    return open_tree(workplace.places, git, at, index_file=index_file)


def open_trees(
    workplace: Workplace,
    git: GitRepository | None,
    at: str,
    environment: Mapping[str, str],
    *,
    policy_from: str | None,
) -> Trees:
    """The tree at `worktree`, `index` or a revision, and that of the policy.

    Args:
        workplace: the repository or folder.
        git: its git; None where there are no objects.
        at: where evidence comes from.
        environment: for the index that a hook names.
        policy_from: the name of a revision; None: policy comes from `at` too.

    Raises:
        UsageError: as `open_tree`, about either; `policy-revision` for a word that is none.
    """
    evidence = open_workplace_tree(workplace, git, at, environment)
    if policy_from is None:
        return Trees(evidence, evidence)
    if git is None:
        raise UsageError(
            "not-a-repository",
            f"--policy-from {policy_from} names a revision, and this is no git repository",
            where=str(workplace.root),
            next_step="leave it out: policy is then that of the folder",
        )
    if policy_from in (WORKTREE, INDEX):
        raise UsageError(
            "policy-revision",
            f"--policy-from takes a revision, and {policy_from} is none",
            where=policy_from,
            next_step=f"name a commit, branch or tag; a branch of that name is heads/{policy_from}",
        )
    try:
        commit = git.resolve(policy_from)
    except UsageError as error:
        raise UsageError(
            error.code,
            f"--policy-from {policy_from}: {error.message}",
            where=policy_from,
            next_step=error.next_step,
        ) from None
    revision = PolicyRevision(policy_from, commit.id)
    if evidence.at == commit.id:
        return Trees(evidence, evidence, revision)
    return Trees(evidence, RevisionTree(git, commit.id), revision)

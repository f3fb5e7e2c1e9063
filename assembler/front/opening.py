"""A repository or plain folder at one place in time, ready to be looked at.

Little is loaded here: what a command does with it is loaded while git lists.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from assembler.adapters.folder_tree import WORKTREE
from assembler.adapters.git import GitRepository
from assembler.front.places import Workplace
from assembler.front.tool_policy import ToolPolicy
from assembler.front.trees import Trees, open_trees, open_workplace
from assembler.front.walk_terms import read_walk_terms
from assembler.model.chain import WalkRules
from assembler.offers.reader import FileReader
from assembler.ports import SourceTree


class OpenRepository(NamedTuple):
    """A repository or plain folder at one place in time, with the rules of its walk."""

    workplace: Workplace
    tree: SourceTree
    reader: FileReader
    rules: WalkRules
    profile: str
    counter: str
    git: GitRepository | None
    environment: Mapping[str, str]
    policy: ToolPolicy
    """What profile and host say of tools and skills."""
    trees: Trees
    """`tree`, and the one that profile, lock and what else judges it come from."""


@contextmanager
def open_repository(
    cwd: Path,
    *,
    environment: Mapping[str, str],
    at: str,
    profile: str | None,
    host: Path | None,
    policy_from: str | None = None,
) -> Iterator[OpenRepository]:
    """The repository around a folder, or the folder itself, ready to be walked.

    Args:
        cwd: absolute, links resolved.
        environment: for the user's folders and the documented variables.
        at: `worktree`, `index` or a revision.
        profile: a name or a file, relative to `cwd`; its `instructions` and denies count.
        host: the host manifest.
        policy_from: the revision that judges what stands at `at`; None: that judges itself.

    Raises:
        UsageError, ConfigError: what was named is missing or says nothing usable.
    """
    with open_workplace(cwd) as (workplace, git):
        yield open_place(
            workplace,
            git,
            cwd,
            environment=environment,
            at=at,
            profile=profile,
            host=host,
            policy_from=policy_from,
        )


def open_place(
    workplace: Workplace,
    git: GitRepository | None,
    cwd: Path,
    *,
    environment: Mapping[str, str],
    at: str,
    profile: str | None,
    host: Path | None,
    policy_from: str | None = None,
) -> OpenRepository:
    """One place in time of a workplace that is open; the rest as `open_repository`."""
    trees = open_trees(workplace, git, at, environment, policy_from=policy_from)
    tree = trees.evidence
    terms = read_walk_terms(
        workplace, trees, cwd, environment=environment, profile=profile, host=host
    )
    return OpenRepository(
        workplace,
        tree,
        FileReader(tree, terms.scope, instruction_tree=terms.instruction_tree),
        terms.rules,
        terms.profile,
        terms.counter,
        git,
        environment,
        ToolPolicy(terms.policy),
        trees,
    )


def begin_listing(repository: OpenRepository, names: Collection[str]) -> None:
    """Have git start on what `list_named` of these names will wait for, if that takes it long.

    Raises:
        UsageError: git is missing.
    """
    if repository.git is not None and repository.tree.at == WORKTREE:
        repository.git.begin_with_ignored(names)


def chain_names(rules: WalkRules) -> list[str]:
    """Every name of the walk, and each part of those that it looks for to say they are unread."""
    parts = (part for name in rules.off_names for part in name.split("/"))
    return list(dict.fromkeys((*rules.names, *parts)))

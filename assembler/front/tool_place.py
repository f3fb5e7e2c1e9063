"""A workplace opened for the commands about tools: policy, pins, and which servers there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from assembler.discover.pins import find_pins
from assembler.errors import UsageError
from assembler.front.places import Workplace
from assembler.front.tool_policy import ToolPolicy, load_tool_policy
from assembler.front.tool_terms import ToolPlace, load_locked_catalogs
from assembler.front.trees import Trees, named_in, open_workplace, open_workplace_tree
from assembler.model.server import is_server_name


class ToolWork(NamedTuple):
    """What a command about tools works on."""

    workplace: Workplace
    at: str
    place: ToolPlace
    pinned: tuple[str, ...]
    """Servers that have a file of pins here, sorted."""
    approved: ToolPlace | None = None
    """Where pins hold, if that is another place than the one that is looked at."""
    judge: str | None = None
    """The revision of that place."""

    @property
    def policy(self) -> ToolPolicy:
        """Profile and host."""
        return self.place.policy

    @property
    def servers(self) -> tuple[str, ...]:
        """Every server that the profile names or that is pinned, sorted."""
        return tuple(sorted({*self.policy.servers, *self.pinned}))


@contextmanager
def open_tool_work(
    cwd: Path,
    *,
    environment: Mapping[str, str],
    at: str = "worktree",
    profile: str | None = None,
    host: Path | None = None,
) -> Iterator[ToolWork]:
    """A workplace with its policy and pins.

    Args:
        cwd: where the command was given; absolute, links resolved.
        environment: for the user's folders and the documented variables.
        at: `worktree`, `index` or a revision: where profile and pins are read.
        profile: a name or a file.
        host: the host manifest.

    Raises:
        UsageError, ConfigError: what was named is missing or says nothing usable.
        RefusedError: `profile-widens-host`.
    """
    with open_workplace(cwd) as (workplace, git):
        tree = open_workplace_tree(workplace, git, at, environment)
        policy = load_tool_policy(
            workplace, tree, profile=profile, host=host, base=cwd, environment=environment
        )
        yield make_tool_work(workplace, at, Trees(tree, tree), policy)


def make_tool_work(workplace: Workplace, at: str, trees: Trees, policy: ToolPolicy) -> ToolWork:
    """The same of trees that are open: the lock is that of the policy.

    Raises:
        ConfigError: the lock says nothing usable.
    """
    scope = policy.read_scope()
    with named_in(trees.policy_from):
        locked = load_locked_catalogs(trees.policy, scope)
    place = ToolPlace(policy, trees.evidence, scope, locked)
    # What is no pin's name is passed over.
    pinned = tuple(sorted(filter(is_server_name, find_pins(trees.evidence))))
    if trees.policy is trees.evidence:
        return ToolWork(workplace, at, place, pinned)
    approved = ToolPlace(policy, trees.policy, scope, locked)
    return ToolWork(workplace, at, place, pinned, approved, trees.judge)


def require_server_name(name: str) -> None:
    """Refuse a name that no pin can have.

    Raises:
        UsageError: `server-name`.
    """
    if not is_server_name(name):
        raise UsageError(
            "server-name",
            f"{name} is no name for a server",
            where=name,
            next_step="letters, digits, _ . and -, at most 128; the name that the host manifest "
            "has under `servers`",
        )

"""`diff`: what agents are given at two places in time of one repository."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from assembler.adapters.git import GitRepository
from assembler.compare.sight_changes import SightChanges, compare_sights
from assembler.compare.sights import Sight
from assembler.errors import UsageError
from assembler.front.checking import declared_agents
from assembler.front.counting import counters
from assembler.front.opening import OpenRepository, open_place
from assembler.front.places import Workplace
from assembler.front.policy_changes import compare_judging
from assembler.front.sights import default_settings, find_sight
from assembler.front.trees import named_side, open_workplace
from assembler.offers.differences import PolicyDifference

WORKTREE = "worktree"
"""Where the files are as they lie there; the other side that is no commit is `index`."""


class SightPair(NamedTuple):
    """Two places in time, and everything that differs between them."""

    old: Sight
    new: Sight
    changes: SightChanges
    judging: tuple[PolicyDifference, ...]
    """Files that judge, such as profile, lock and pins, and that differ."""
    git_processes: int


def split_range(words: tuple[str, ...]) -> tuple[str, str]:
    """The two sides that the words of a command line name.

    `A..B` and `A B` name both; `A..` ends at HEAD and `..B` begins there, as in git; `A` alone is
    compared with the worktree, and nothing at all is HEAD against the worktree.

    Raises:
        UsageError: `range-unknown`.
    """
    if len(words) == 2:
        return words[0], words[1]
    if not words:
        return "HEAD", WORKTREE
    (word,) = words
    if "..." in word:
        raise UsageError(
            "range-unknown",
            "A...B begins at the common ancestor, which is not looked for here",
            where=word,
            next_step="assembler diff $(git merge-base A B)..B",
        )
    old, dots, new = word.partition("..")
    if not dots:
        return word, WORKTREE
    if ".." in new:
        raise UsageError("range-unknown", "a range has two ends", where=word, next_step="A..B")
    return old or "HEAD", new or "HEAD"


def compare_places(
    cwd: Path,
    old: str,
    new: str,
    *,
    environment: Mapping[str, str],
    profile: str | None = None,
    host: Path | None = None,
    agents: Sequence[str] = (),
) -> SightPair:
    """What agents would be given differently at two places in time.

    Args:
        cwd: absolute, links resolved.
        old: `worktree`, `index` or a revision.
        new: the same.
        environment: for the user's folders and the documented variables.
        profile: a name or a file, of both.
        host: the host manifest.
        agents: names of agents beside those that either side's profile declares.

    Raises:
        UsageError, ConfigError: one of the two, which the message names, could not be looked at.
    """
    with open_workplace(cwd) as (workplace, git), counters(environment) as open_counter:
        _require_git(workplace, git)

        def open_side(name: str) -> OpenRepository:
            with named_side(name):
                return open_place(
                    workplace,
                    git,
                    cwd,
                    environment=environment,
                    at=name,
                    profile=profile,
                    host=host,
                )

        sides = {name: open_side(name) for name in dict.fromkeys((old, new))}
        declared = {name: declared_agents(side, agents) for name, side in sides.items()}
        all_agents = sorted({agent for own in declared.values() for agent in own})
        seen: dict[str, Sight] = {}
        for name, side in sides.items():
            with named_side(name):
                seen[name] = find_sight(
                    side,
                    name,
                    open_counter=open_counter,
                    agents=all_agents,
                    declared=declared[name],
                )
        judging = compare_judging(sides[old], sides[new])
        before, after = seen[old], seen[new]
        before, after = _fill_settings(before, after)
        processes = 0 if git is None else git.process_count
        changes = compare_sights(before, after)
        return SightPair(before, after, changes, judging, processes)


def _require_git(workplace: Workplace, git: GitRepository | None) -> None:
    if git is None:
        raise UsageError(
            "not-a-repository",
            "not a git repository",
            where=str(workplace.root),
            next_step="two runs can be compared anywhere: assembler diff RUN RUN",
        )


def _fill_settings(old: Sight, new: Sight) -> tuple[Sight, Sight]:
    """A side without a profile has the defaults; they are loaded where the other has one."""
    if bool(old.settings) == bool(new.settings):
        return old, new
    defaults = default_settings()
    if old.settings:
        return old, new._replace(settings=defaults)
    return old._replace(settings=defaults), new

"""`lock`: what a repository's policy is now, beside what its lock file records.

A digest is recorded as somebody saw it: pins of tools are moved by `tools approve` alone, so an
entry of a catalog that the lock has stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from assembler.assess.lock_changes import compare_lock
from assembler.authorize.read_scope import ReadScope
from assembler.config.defaults import LOCK
from assembler.config.lock import Lock, read_lock
from assembler.errors import UsageError
from assembler.front.chains import ChainsFound, find_chains
from assembler.front.counting import counters
from assembler.front.lockable import find_lockable
from assembler.front.opening import open_repository
from assembler.front.pin_writing import replace_lock
from assembler.front.policy_changes import find_policy_changes
from assembler.front.profiles import read_document, read_policy_file
from assembler.front.skill_looking import see_all_skills
from assembler.front.trees import PolicyRevision, named_in
from assembler.model.finding import Finding
from assembler.model.locked import LockChange, Locked
from assembler.model.skill_places import all_roots
from assembler.ports import SourceTree
from assembler.record.lock import write_lock


class LockReport(NamedTuple):
    """What is locked, what is there, and how the two differ."""

    locked: tuple[Locked, ...] | None
    """None: there is no lock file."""
    current: tuple[Locked, ...]
    changes: tuple[LockChange, ...]
    """All of them; against no lock everything is new."""
    findings: tuple[Finding, ...]
    """What can't be locked, and a change of the lock by what it is to judge."""
    root: Path
    at: str
    revision: str | None
    profile: str
    counter: str
    policy_from: PolicyRevision | None
    judge: str | None
    """The revision whose lock it is, where that is another place than `at`."""


def report_lock(
    cwd: Path,
    *,
    environment: Mapping[str, str],
    at: str = "worktree",
    profile: str | None = None,
    host: Path | None = None,
    policy_from: str | None = None,
) -> LockReport:
    """The policy of a repository beside its lock.

    Args:
        cwd: absolute, links resolved.
        environment: for the user's folders and the documented variables.
        at: `worktree`, `index` or a revision; policy and lock are both read there.
        profile: a name or a file; its `instructions`, `skills.roots`, `counter` and denies count.
        host: the host manifest.
        policy_from: the revision whose profile and lock judge what stands at `at`, instead.

    Raises:
        UsageError, ConfigError: what was named is missing, the lock says nothing usable, or
            something could not be looked at.
    """
    with (
        open_repository(
            cwd,
            environment=environment,
            at=at,
            profile=profile,
            host=host,
            policy_from=policy_from,
        ) as repository,
        counters(environment) as open_counter,
    ):
        trees = repository.trees
        with named_in(trees.policy_from):
            locked = load_lock_entries(trees.policy, repository.policy.read_scope())
        chains = find_chains(repository)
        _require_whole(chains)
        roots = all_roots(repository.policy.skill_roots())
        seen = see_all_skills(repository.reader, roots)
        found = find_lockable(
            repository, chains, seen, roots, counter=open_counter(repository.counter)
        )
        return LockReport(
            locked=locked,
            current=found.entries,
            changes=compare_lock(locked or (), found.entries),
            findings=(*found.findings, *find_policy_changes(repository, paths=[LOCK])),
            root=repository.workplace.root,
            at=at,
            revision=repository.tree.revision,
            profile=repository.profile,
            counter=repository.counter,
            policy_from=trees.policy_from,
            judge=trees.judge,
        )


def write_report(report: LockReport) -> bool:
    """Write the lock of what is there; False where it says so already.

    Entries of catalogs that the lock has stay as they are.

    Raises:
        UsageError: `path-outside` where the lock or its folder is a link, `path-unwritable`.
    """
    kept = {entry.name: entry for entry in report.locked or () if entry.kind == "catalog"}
    entries = [
        kept.get(entry.name, entry) if entry.kind == "catalog" else entry
        for entry in report.current
    ]
    data = write_lock([entry.to_json() for entry in entries])
    return replace_lock(report.root, data)


def load_lock_entries(tree: SourceTree, scope: ReadScope) -> tuple[Locked, ...] | None:
    """The entries of the lock file of a tree; None: there is none.

    Raises:
        ConfigError: it is there and says nothing usable.
    """
    data = read_policy_file(tree, LOCK, scope)
    if data is None:
        return None
    return _entries_of(read_lock(data, path=LOCK, read_document=read_document))


def _entries_of(lock: Lock) -> tuple[Locked, ...]:
    return tuple(
        Locked(entry.kind, entry.name, entry.sha256, entry.tokens, entry.instructions, entry.files)
        for entry in lock.entries
    )


def _require_whole(chains: ChainsFound) -> None:
    if chains.truncated or chains.unnamable:
        raise UsageError(
            "size-limit" if chains.truncated else "path-not-utf8",
            "not every instruction file can be looked at, so no lock would be whole",
            next_step="assembler check",
        )


def no_lock(judge: str | None = None) -> UsageError:
    """There is no lock file, in the revision that is to judge if one is."""
    return UsageError(
        "lock-missing",
        f"no {LOCK}{f' in {judge}' if judge else ''}",
        where=LOCK,
        next_step=f"make one{' there' if judge else ''}: assembler lock",
    )

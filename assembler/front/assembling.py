"""`assemble`: the input of one run, from a repository or from an inventory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from assembler.adapters.store import Store
from assembler.adapters.text_scans import scan_secrets
from assembler.assess.normal_form import normalise
from assembler.assess.secrets import CODE as SECRET
from assembler.assess.secrets import find_in_terms
from assembler.config.inventory_limits import check_limits
from assembler.config.task import Task, check_task
from assembler.errors import RefusedError, UsageError
from assembler.front.gathering import gather_repository
from assembler.front.package_folder import require_free_folder
from assembler.front.places import find_workplace, require_repository, state_folder
from assembler.front.policy import Policy
from assembler.front.recording import (
    NOTHING_MORE,
    RecordedRun,
    Terms,
    Wanted,
    compile_on_record,
)
from assembler.front.refusals import name_cause
from assembler.front.trees import PolicyRevision
from assembler.model.candidate import Absent, FromPath
from assembler.model.chain import Chain
from assembler.model.inventory import Inventory
from assembler.model.times import is_time
from assembler.pipeline import Offer


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
        from assembler.front.lock_requiring import require_chain_locked, require_locked

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
        inventory, contents = prepare_inventory(offer)
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


def prepare_inventory(offer: Offer) -> tuple[Inventory, Mapping[str, bytes]]:
    """What was offered, in normal form, and the bytes of every content by digest.

    Raises:
        UsageError: it is more than a run takes, or its terms hold a secret.
    """
    inventory, contents = normalise(offer.inventory, read_path=no_path, read_object=lambda _: None)
    check_limits(inventory, contents)
    _require_no_secret(inventory)
    return inventory, contents


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

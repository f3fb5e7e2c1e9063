"""Carry a run on: what it pinned stays, or enters by a transition that says why.

Read under the record's lock, so that nothing comes between the look and the request.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assembler.adapters.store import ChainWriter
from assembler.errors import RefusedError, UsageError
from assembler.front.records import (
    LAST,
    StoredRun,
    find_run,
    read_inventory,
    require_compiled,
    runs_of,
)
from assembler.model.digest import sha256_hex
from assembler.model.inventory import Inventory
from assembler.model.limits import MAX_WORDS_BYTES, are_words
from assembler.record.transitions import Change, find_changes, write_transition

_SHOWN_CHANGES = 5


class Continuation(NamedTuple):
    """The run whose pins are kept, and why others may enter."""

    run: str
    """Its number, or `last`: that of the same task."""
    reason: str | None


def check_reason(reason: str | None, *, run: str | None) -> None:
    """Refuse a reason that no transition can hold.

    Raises:
        UsageError: `option-conflict`, or `reason-invalid`.
    """
    if reason is None:
        return
    if run is None:
        raise UsageError(
            "option-conflict",
            "--because says why a continued run changes, and --continue is not given",
            next_step="add --continue RUN",
        )
    if not are_words(reason):
        raise UsageError(
            "reason-invalid",
            f"a reason has 1 to {MAX_WORDS_BYTES:,} bytes",
            next_step="say in a sentence why the change is meant",
        )


def plan_transition(
    writer: ChainWriter, continued: Continuation, inventory: Inventory, inventory_bytes: bytes
) -> bytes | None:
    """The payload of the transition that lets a run's changes in, or None without a change.

    Raises:
        UsageError: the run is missing, never compiled, is of another task, or is not that
            task's last one.
        RefusedError: `transition-required`: pins differ, and no reason was given.
    """
    runs = runs_of(writer.events())
    last = _find_last(writer, runs, inventory.task.id)
    run = last if last is not None and continued.run == LAST else find_run(runs, continued.run)
    require_compiled(run)
    old = read_inventory(writer, run)
    _require_last_of_task(run, last, old["task"]["id"], inventory.task.id)
    changes = find_changes(old, inventory.to_json())
    if not changes:
        return None
    if continued.reason is None:
        raise _transition_required(run, changes)
    return write_transition(
        run.requested.payload_sha256, sha256_hex(inventory_bytes), changes, continued.reason
    )


def _find_last(writer: ChainWriter, runs: Sequence[StoredRun], task: str) -> StoredRun | None:
    """The run of a task that compiled last: runs may interleave, so outcomes give the order."""
    compiled = [run for run in runs if run.state == "compiled"]
    for run in sorted(compiled, key=lambda run: require_compiled(run).seq, reverse=True):
        if read_inventory(writer, run)["task"]["id"] == task:
            return run
    return None


def _require_last_of_task(run: StoredRun, last: StoredRun | None, task: str, asked: str) -> None:
    if task != asked:
        raise UsageError(
            "run-of-other-task",
            f"run {run.number} is of the task {task}, and this one is {asked}",
            where=str(run.number),
            next_step="give both the same `id` in the task file, or leave --continue out",
        )
    if last != run:
        assert last is not None  # this run is of the task, and compiled
        raise UsageError(
            "run-not-last",
            f"run {last.number} is the last one of this task, not run {run.number}",
            where=str(run.number),
            next_step=f"--continue {last.number}",
        )


def _transition_required(run: StoredRun, changes: Sequence[Change]) -> RefusedError:
    words = [_spell(change) for change in changes[:_SHOWN_CHANGES]]
    more = len(changes) - len(words)
    if more:
        words.append(f"{more} more")
    return RefusedError(
        "transition-required",
        f"{_count(len(changes))} of run {run.number}: {'; '.join(words)}",
        detail={"run": run.number, "changes": [change._asdict() for change in changes]},
        where=changes[0].name,
        next_step="look at the change, then give the reason: --because TEXT",
    )


def _count(number: int) -> str:
    return "1 pin differs from that" if number == 1 else f"{number} pins differ from those"


def _spell(change: Change) -> str:
    old, new = (
        "none" if digest is None else digest[:12]
        for digest in (change.old_sha256, change.new_sha256)
    )
    return f"{change.name} {old} -> {new}"

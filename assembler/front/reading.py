"""A run by what a person calls it: a number or `last` of this repository, or a package folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from assembler.adapters.store import Store
from assembler.errors import UsageError
from assembler.front.consuming import Consumption, consumptions_of
from assembler.front.places import find_workplace, state_folder
from assembler.front.records import (
    RunRecord,
    find_run,
    is_package_folder,
    is_run_name,
    list_runs,
    read_folder_objective,
    read_inventory,
    read_package_folder,
    read_run,
    require_compiled,
    runs_of,
)
from assembler.model.failure import spell_failure


def read_any_run(name: str, *, cwd: Path, environment: Mapping[str, str]) -> RunRecord:
    """The record of a run, whatever became of it.

    Raises:
        UsageError: there is no such run or package, or it can't be read.
    """
    return read_with_consumptions(name, cwd=cwd, environment=environment)[0]


def read_with_consumptions(
    name: str, *, cwd: Path, environment: Mapping[str, str]
) -> tuple[RunRecord, tuple[Consumption, ...]]:
    """The record of a run, and what later decisions used of it.

    Args:
        name: a number, `last`, or a folder relative to `cwd`.
        cwd: absolute, links resolved.
        environment: for the state folder.

    Raises:
        UsageError: there is no such run or package, or it can't be read.
    """
    if is_package_folder(name, cwd):
        return read_package_folder(cwd / name), ()
    if not is_run_name(name) and (cwd / name).is_dir():
        raise UsageError(
            "not-a-package",
            f"{name} is a folder without a manifest.json",
            where=name,
            next_step="name a package folder, or a run by its number",
        )
    workplace = find_workplace(cwd)
    with Store(state_folder(environment, workplace)) as store:
        events = store.events(workplace.chain_key)
        run = find_run(runs_of(events), name)
        record = read_run(store, run)
        if record.manifest is None:
            return record, ()
        return record, consumptions_of(store, events, require_compiled(run), record)


def read_objective(name: str, *, cwd: Path, environment: Mapping[str, str]) -> str | None:
    """The id of a run's objective; None for a folder whose inventory can't be read.

    Raises:
        UsageError: there is no such run, or it can't be read.
    """
    if is_package_folder(name, cwd):
        return read_folder_objective(cwd / name)
    workplace = find_workplace(cwd)
    with Store(state_folder(environment, workplace)) as store:
        run = find_run(list_runs(store, workplace.chain_key), name)
        return str(read_inventory(store, run)["task"]["objective"])


def require_package(record: RunRecord) -> RunRecord:
    """The record of a run that made a package.

    Raises:
        UsageError: `run-without-package`: it failed, or was interrupted.
    """
    if record.manifest is not None:
        return record
    why = (
        "was interrupted" if record.failure is None else f"failed: {spell_failure(record.failure)}"
    )
    raise UsageError(
        "run-without-package",
        f"run {record.number} {why}",
        where=str(record.number),
        next_step=f"assembler log {record.number}",
    )

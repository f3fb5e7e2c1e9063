"""`diff` of two runs: packages, runs on record, or what a task would make of two revisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from assembler.adapters.store import Store
from assembler.compare.packages import Comparison, compare
from assembler.compare.rendered import item_texts
from assembler.config.task import Task, check_task
from assembler.errors import RefusedError
from assembler.front.assembling import prepare_inventory, require_time
from assembler.front.gathering import gather_repository
from assembler.front.places import find_workplace, require_repository, state_folder
from assembler.front.reading import read_any_run, require_package
from assembler.front.records import is_package_folder, read_rendered
from assembler.front.refusals import name_cause
from assembler.front.trees import named_side
from assembler.pipeline import compile_inventory


class RunSide(NamedTuple):
    """One of two runs that are compared: a package, or why there is none."""

    name: str
    manifest: Mapping[str, Any] | None = None
    rows: tuple[Mapping[str, Any], ...] = ()
    rendered: bytes = b""
    refusal: RefusedError | None = None


class RunPair(NamedTuple):
    """Two runs, and how they differ where both were made."""

    old: RunSide
    new: RunSide
    comparison: Comparison | None

    @property
    def is_identical(self) -> bool:
        """Whether nothing differs; two refusals for the same reason are the same."""
        if self.comparison is not None:
            return self.comparison.is_identical
        one, other = self.old.refusal, self.new.refusal
        return one is not None and other is not None and _key(one) == _key(other)

    def texts(self) -> tuple[dict[str, bytes], dict[str, bytes]]:
        """What the model reads of each item, by id, on both sides."""
        return (
            item_texts(self.old.rendered, self.old.rows),
            item_texts(self.new.rendered, self.new.rows),
        )


def compare_runs(cwd: Path, old: str, new: str, *, environment: Mapping[str, str]) -> RunPair:
    """Two runs side by side.

    Args:
        cwd: absolute, links resolved.
        old: a number, `last`, or a package folder.
        new: the same.
        environment: for the state folder.

    Raises:
        UsageError: one is missing, or made no package.
    """
    return _pair(*(_read(name, cwd, environment) for name in (old, new)))


def compare_tasks(
    cwd: Path,
    old: str,
    new: str,
    task: Task,
    *,
    targets: Sequence[str],
    environment: Mapping[str, str],
    profile: str | None,
    host: Path | None,
) -> RunPair:
    """What one task would be given at two places in time; nothing is recorded.

    Args:
        cwd: where the agent starts; absolute, links resolved.
        old: `worktree`, `index` or a revision.
        new: the same.
        task: what is asked.
        targets: paths relative to `cwd`.
        environment: for the user's folders and the documented variables.
        profile: a name or a file, of both.
        host: the host manifest.

    Raises:
        UsageError, ConfigError: one of the two, which the message names, could not be looked at.
    """
    check_task(task)
    require_time(None)
    workplace = find_workplace(cwd)
    require_repository(workplace)

    def make(name: str) -> RunSide:
        with (
            named_side(name),
            gather_repository(
                workplace,
                cwd,
                task,
                environment=environment,
                at=name,
                policy_from=None,
                targets=targets,
                profile=profile,
                host=host,
                now=None,
                api="text",
                model=None,
            ) as gathered,
        ):
            inventory, contents = prepare_inventory(gathered.offer)
            try:
                package = compile_inventory(inventory, contents, gathered.open_counter)
            except RefusedError as error:
                return RunSide(name, refusal=name_cause(error, gathered.offer, policy_from=None))
            return RunSide(name, package.manifest, package.rows, package.rendering.data)

    return _pair(make(old), make(new))


def _read(name: str, cwd: Path, environment: Mapping[str, str]) -> RunSide:
    record = require_package(read_any_run(name, cwd=cwd, environment=environment))
    assert record.manifest is not None  # required just now
    if is_package_folder(name, cwd):
        rendered = read_rendered(record.manifest, cwd / name)
    else:
        with Store(state_folder(environment, find_workplace(cwd))) as store:
            rendered = read_rendered(record.manifest, store)
    return RunSide(name, record.manifest, record.rows, rendered)


def _pair(old: RunSide, new: RunSide) -> RunPair:
    if old.manifest is None or new.manifest is None:
        return RunPair(old, new, None)
    return RunPair(old, new, compare(old.manifest, old.rows, new.manifest, new.rows))


def _key(refusal: RefusedError) -> tuple[str, str, str | None]:
    return refusal.code, refusal.message, refusal.where

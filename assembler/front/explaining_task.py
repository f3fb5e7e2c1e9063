"""What would become of a path under a task: the run is made, and nothing of it is recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from assembler.assess.normal_form import normalise
from assembler.config.inventory_limits import check_limits
from assembler.config.task import Task, check_task
from assembler.errors import RefusedError
from assembler.front.asked_sources import AskedSource, ask_sources, rows_about
from assembler.front.assembling import no_path, require_time
from assembler.front.gathering import Gathered, gather_repository
from assembler.front.places import find_workplace, require_repository
from assembler.front.refusals import name_cause
from assembler.model.decision import Reason, Rejected
from assembler.model.inventory import Inventory
from assembler.model.rendered import Rendering
from assembler.pipeline import compile_inventory
from assembler.record.ledger import write_rows
from assembler.select.checks import check_facts

NOTHING_RENDERED: Final = Rendering("", b"", (), ())


class TaskAnswer(NamedTuple):
    """What a task makes of a path."""

    path: str
    rows: tuple[Mapping[str, Any], ...]
    """Those about the path, in the order of the ledger."""
    sources: tuple[AskedSource, ...]
    refusal: RefusedError | None
    """Why there would be no run; the rows then say what is known before any selection."""


def explain_in_task(
    path: str,
    cwd: Path,
    task: Task,
    *,
    environment: Mapping[str, str],
    at: str,
    targets: Sequence[str],
    profile: str | None,
    host: Path | None,
    now: str | None = None,
) -> TaskAnswer:
    """Ask every source of a task for a path, and say what a run would make of it.

    Args:
        path: root-relative, there or not; or the id of a row.
        cwd: where the agent starts; absolute, links resolved.
        task: what is asked.
        environment: for the user's folders.
        at: `worktree`, `index` or a revision.
        targets: those of the command line, relative to `cwd`.
        profile: a name or a file.
        host: the host manifest.
        now: reference time for expiry; None: the revision's commit date.

    Raises:
        UsageError, ConfigError: as `assemble` does.
        RefusedError: what the host does not grant, before anything is offered.
    """
    check_task(task)
    require_time(now)
    workplace = find_workplace(cwd)
    require_repository(workplace)
    with gather_repository(
        workplace,
        cwd,
        task,
        environment=environment,
        at=at,
        targets=targets,
        profile=profile,
        host=host,
        now=now,
    ) as gathered:
        rows, refusal = _compile(gathered)
    about = (
        [row for row in rows if row["id"] == path]
        or rows_about(path, rows, gathered.offer.paths)
        # What a row prints can be asked for, also where no path is spelled so.
        or [row for row in rows if row["id"] == f"file:{path}"]
    )
    return TaskAnswer(
        path,
        tuple(about),
        ask_sources(path, task, gathered.targets, rows, gathered.offer.paths),
        refusal,
    )


def _compile(gathered: Gathered) -> tuple[list[dict[str, Any]], RefusedError | None]:
    """The rows of the run, else what is known of each candidate before any selection."""
    inventory, contents = normalise(
        gathered.offer.inventory, read_path=no_path, read_object=lambda _: None
    )
    check_limits(inventory, contents)
    try:
        package = compile_inventory(inventory, contents, gathered.open_counter)
    except RefusedError as error:
        cause = name_cause(error, gathered.offer, policy_from=gathered.trees.policy_from)
        return _rows_unselected(inventory, cause), cause
    return list(package.rows), None


def _rows_unselected(inventory: Inventory, refusal: RefusedError) -> list[dict[str, Any]]:
    verdicts = [(item, check_facts(item, inventory)) for item in inventory.candidates]
    decisions = [
        Rejected(item, *(verdict or (Reason.CONTENT_ABSENT, {})), cost=None)
        for item, verdict in verdicts
    ]
    rows = write_rows(decisions, NOTHING_RENDERED, (), inventory.required_ids)
    for row, (_, verdict) in zip(rows, verdicts, strict=True):
        if verdict is None:
            row |= {"reason": refusal.code, "detail": {}}
    return rows

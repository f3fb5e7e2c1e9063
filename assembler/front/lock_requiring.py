"""`assemble --locked`: no run of a policy that is not what is locked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from assembler.assess.lock_changes import tell_changes
from assembler.config.defaults import LOCK
from assembler.errors import RefusedError
from assembler.front.locking import no_lock, report_lock
from assembler.model.chain import Chain
from assembler.model.locked import Locked


def require_locked(
    cwd: Path,
    *,
    environment: Mapping[str, str],
    at: str,
    profile: str | None,
    host: Path | None,
) -> tuple[Locked, ...]:
    """Refuse a run whose policy is not what is locked; arguments as `report_lock`.

    Returns:
        The entries of the lock.

    Raises:
        UsageError, ConfigError: as `report_lock`; `lock-missing`.
        RefusedError: `lock-stale`, naming the first thing.
    """
    report = report_lock(cwd, environment=environment, at=at, profile=profile, host=host)
    if report.locked is None:
        raise no_lock()
    told = tell_changes(report.changes)
    if told:
        more = f" and {len(told) - 1:,} more" if len(told) > 1 else ""
        raise RefusedError(
            "lock-stale",
            f"policy is not what is locked: {told[0].shown_name}{more}",
            where=LOCK,
            next_step="assembler lock --check; then `assembler lock`, after a review",
        )
    return report.locked


def require_chain_locked(chain: Chain, locked: Iterable[Locked]) -> None:
    """Refuse a chain with a file that is not locked, wherever it stands.

    The lock has the files of every folder that git lists; a run may start or aim elsewhere, in a
    folder that git ignores.

    Raises:
        RefusedError: `lock-stale`, naming the first of them.
    """
    known = {(entry.name, entry.sha256) for entry in locked if entry.kind == "instruction"}
    for row in chain.rows:
        if row.path in chain.texts and (row.path, row.sha256) not in known:
            raise RefusedError(
                "lock-stale",
                f"the run would load instructions that are not locked: {row.path}",
                where=LOCK,
                next_step=f"remove {row.path}, or track it in git, then `assembler lock`",
            )

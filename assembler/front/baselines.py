"""The baseline that the invoker names: read where policy is, written where it is named.

A baseline inside the repository is of the repository: it comes from the index, the commit or the
policy's revision, where those are asked for, so that a change can't quiet itself.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from assembler.adapters.filesystem import read_host_file, write_file_atomically
from assembler.assess.baseline import make_baseline
from assembler.config.baseline import read_baseline
from assembler.errors import ConfigError, UsageError
from assembler.front.opening import OpenRepository
from assembler.front.profiles import path_inside, read_document, read_policy_file
from assembler.front.trees import named_in
from assembler.model.finding import Finding
from assembler.model.known_finding import Known
from assembler.record.baseline import write_baseline

MAX_BASELINE_BYTES: Final = 1024 * 1024


def load_baseline(repository: OpenRepository, named: str, cwd: Path) -> tuple[Known, ...]:
    """The entries of a baseline.

    Args:
        repository: as opened.
        named: the file, as given.
        cwd: what it is relative to.

    Raises:
        UsageError, ConfigError: it is missing, or says nothing usable.
    """
    trees = repository.trees
    place = path_inside(repository.workplace, named, cwd)
    if place is None:
        if not os.path.lexists(cwd / named):
            raise _missing(named, None)
        return _read(read_host_file(cwd / named, limit_bytes=MAX_BASELINE_BYTES), Path(named).name)
    with named_in(trees.policy_from):
        data = read_policy_file(trees.policy, place, repository.policy.read_scope())
        if data is None:
            at = str(trees.policy_from) if trees.policy_from is not None else trees.policy.at
            raise _missing(named, None if at == "worktree" else at)
        return _read(data, place)


def put_baseline(path: Path, findings: Sequence[Finding]) -> int:
    """Write the baseline of some findings; how many of them are known by it.

    Args:
        path: absolute.
        findings: all that is told.

    Raises:
        UsageError: `path-outside` for a link, `baseline-other-file` where something else stands
            there, `size-limit`, `path-missing`, `path-unwritable`.
    """
    entries = make_baseline(findings)
    data = write_baseline(entries)
    if len(data) > MAX_BASELINE_BYTES:
        raise UsageError(
            "size-limit",
            f"a baseline of {len(entries):,} entries is larger than {MAX_BASELINE_BYTES:,} bytes",
            where=path.name,
            next_step="choose codes with --select, or except folders in the profile",
        )
    if path.is_symlink():
        raise UsageError(
            "path-outside",
            "is a link; nothing was written",
            where=path.name,
            next_step="name the file itself",
        )
    if path.exists():
        _require_baseline(path)
    write_file_atomically(path, data)
    return sum(entry.times for entry in entries)


def _require_baseline(path: Path) -> None:
    """Refuse to write over what is no baseline: a slip of the hand names any file.

    Raises:
        UsageError: `baseline-other-file`.
    """
    try:
        _read(read_host_file(path, limit_bytes=MAX_BASELINE_BYTES), path.name)
    except UsageError as error:
        raise UsageError(
            "baseline-other-file",
            f"{path.name} is there and is no baseline; nothing was written",
            where=error.where if isinstance(error, ConfigError) else path.name,
            next_step="name another file, or remove this one first",
        ) from None


def _read(data: bytes, place: str) -> tuple[Known, ...]:
    baseline = read_baseline(data, path=place, read_document=read_document)
    return tuple(
        Known(entry.code, entry.path, entry.identity, entry.count) for entry in baseline.findings
    )


def _missing(named: str, at: str | None) -> UsageError:
    return UsageError(
        "baseline-missing",
        f"no such baseline{'' if at is None else f' in {at}'}: {named}",
        where=named,
        next_step=f"make one: assembler check --write-baseline {named}"
        + ("" if at is None else ", and add it there"),
    )

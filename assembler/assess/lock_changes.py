"""What of a repository's policy is not what its lock records.

Pure: entries in, changes and findings out. A chain whose files are told is not told again: it is
another one because they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assembler.model.finding import Finding, make_finding
from assembler.model.locked import LockChange, Locked

SHOWN_DIGITS = 12


def compare_lock(locked: Iterable[Locked], current: Iterable[Locked]) -> tuple[LockChange, ...]:
    """Every difference, by kind and name.

    Args:
        locked: the entries of the lock.
        current: what is there now.
    """
    before = {(item.kind, item.name): item for item in locked}
    after = {(item.kind, item.name): item for item in current}
    changes: list[LockChange] = []
    for key in sorted(before.keys() | after.keys()):
        old, new = before.get(key), after.get(key)
        if old is not None and new is not None and old.sha256 == new.sha256:
            continue
        changes.append(
            LockChange(
                state="A" if old is None else "D" if new is None else "M",
                kind=key[0],
                name=key[1],
                locked=None if old is None else old.sha256,
                current=None if new is None else new.sha256,
                place=None if new is None else new.place,
            )
        )
    return tuple(changes)


def tell_changes(changes: Sequence[LockChange]) -> tuple[LockChange, ...]:
    """The changes that are worth a line: without chains that others explain."""
    told = {change.name for change in changes if change.kind == "instruction"}
    explained = {
        change
        for change in changes
        if change.kind == "chain" and any(_lies_above(path, change.name) for path in told)
    }
    return tuple(change for change in changes if change not in explained)


def find_stale(
    changes: Sequence[LockChange], *, lock: str, judge: str | None = None
) -> tuple[Finding, ...]:
    """A finding for each change.

    Args:
        changes: all of them.
        lock: path of the lock file.
        judge: the revision whose lock it is, where that is another place than what it judges.
    """
    return tuple(
        make_finding(
            "ASM701",
            change.place or _gone_place(change, judge) or lock,
            f"{_subject(change)}{_spell(change, judge)}",
            fix=_fix(change, judge),
            data={
                "kind": change.kind,
                "name": change.name,
                "locked": change.locked,
                "current": change.current,
            },
        )
        for change in tell_changes(changes)
    )


def _lies_above(path: str, folder: str) -> bool:
    """Whether an instruction file stands in a folder or above it."""
    place = path.rpartition("/")[0]
    return not place or folder == place or folder.startswith(f"{place}/")


def _gone_place(change: LockChange, judge: str | None) -> str | None:
    """The file that somebody removed, where that somebody did not write the lock."""
    is_file = change.kind in ("instruction", "profile")
    return change.name if judge is not None and is_file else None


def _subject(change: LockChange) -> str:
    return "" if change.kind == "instruction" and change.place else f"{change.shown_name} "


def _spell(change: LockChange, judge: str | None) -> str:
    by = "" if judge is None else f" in {judge}"
    if change.locked is None:
        return f"is {_short(change.current)}, and is not locked{by}"
    if change.current is None:
        return f"is locked as {_short(change.locked)}{by}, and is not there"
    return f"is {_short(change.current)}, locked {_short(change.locked)}{by}"


def _short(digest: str | None) -> str:
    return (digest or "")[:SHOWN_DIGITS]


def _fix(change: LockChange, judge: str | None) -> str:
    if judge is not None:
        return f"review the change; it is locked once the lock of {judge} has it"
    if change.kind == "catalog":
        return f"look at it: assembler tools check {change.name}"
    return "look at what changed, then run `assembler lock` and commit what it wrote"

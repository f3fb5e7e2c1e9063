"""What a lock file records of a repository's policy, and how the policy differs from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

LockKind: TypeAlias = Literal["catalog", "chain", "instruction", "profile", "skill"]


class Locked(NamedTuple):
    """One thing with its digest: an entry of `.assembler/lock.json` (docs/formats/lock.md)."""

    kind: LockKind
    name: str
    """Of a skill its name, of a catalog its server, else a path; of a chain its folder."""
    sha256: str
    tokens: int | None = None
    """Recorded, decides nothing."""
    instructions: str | None = None
    """Of a skill: digest of its SKILL.md."""
    files: Mapping[str, str] | None = None
    """Of a skill: digest of each file by its path in the folder."""
    place: str | None = None
    """File that findings name; not in the lock."""

    @property
    def shown_name(self) -> str:
        """How a person is told of it."""
        return self.name if self.kind in ("instruction", "profile") else f"{self.kind}:{self.name}"

    def to_json(self) -> dict[str, Any]:
        """The entry, without members that say nothing."""
        entry: dict[str, Any] = {"kind": self.kind, "name": self.name, "sha256": self.sha256}
        more = {"tokens": self.tokens, "instructions": self.instructions}
        entry.update({name: value for name, value in more.items() if value is not None})
        if self.files is not None:
            entry["files"] = dict(sorted(self.files.items()))
        return entry


class LockChange(NamedTuple):
    """One thing that is not what is locked."""

    state: Literal["A", "D", "M"]
    """Not locked; locked and gone; another one."""
    kind: LockKind
    name: str
    locked: str | None
    """Its digest in the lock."""
    current: str | None
    """Its digest now."""
    place: str | None
    """The file that it is about, root-relative."""

    @property
    def shown_name(self) -> str:
        """How a person is told of it."""
        return Locked(self.kind, self.name, "").shown_name


def chain_name(folder: str) -> str:
    """The name of a folder's chain in the lock."""
    return folder or "."

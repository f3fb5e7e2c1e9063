"""`assembler/lock/1`: the digests that a repository's policy had when somebody looked at it.

In: the bytes of `.assembler/lock.json`. Out: its entries, and the pins of skills among them.
Rules: docs/formats/lock.md.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from assembler.config.decoding import config_error, decode
from assembler.config.defaults import LOCK
from assembler.config.records import Meta, Struct
from assembler.config.strict_file import ReadDocument, read_strict_file
from assembler.model.document import Document
from assembler.model.paths import normal_path
from assembler.model.skill import folder_sha256
from assembler.model.skill_pin import SkillPin

SCHEMA: Final = "assembler/lock/1"

Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]


class LockEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """One locked thing."""

    kind: Literal["instruction", "chain", "skill", "profile", "catalog"]
    """What it is."""
    name: Annotated[str, Meta(min_length=1)]
    """Of a skill its name, of a catalog its server, else a path or a name."""
    sha256: Digest
    """Of a skill that of its folder, of a chain that over its files, else of the file."""
    tokens: Annotated[int, Meta(ge=0, le=10**11)] | None = None
    """What it counted when it was locked; recorded, decides nothing."""
    instructions: Digest | None = None
    """Of a skill: that of its SKILL.md."""
    files: dict[str, Digest] | None = None
    """Of a skill: that of each file by its path in the folder, SKILL.md included."""


class Lock(Struct, frozen=True, forbid_unknown_fields=True, rename={"schema_": "schema"}):
    """What was locked."""

    schema_: Literal["assembler/lock/1"]
    entries: list[LockEntry]
    """One a kind and name."""

    @property
    def skill_pins(self) -> dict[str, SkillPin]:
        """The pins of skills, by name."""
        return {entry.name: _pin_of(entry) for entry in self.entries if entry.kind == "skill"}

    @property
    def catalogs(self) -> dict[str, str]:
        """`sha256:…` of each server's catalog, by server."""
        return {
            entry.name: f"sha256:{entry.sha256}"
            for entry in self.entries
            if entry.kind == "catalog"
        }


def _pin_of(entry: LockEntry) -> SkillPin:
    """The pin of an entry; digests of files that don't make the folder's are of another time.

    Somebody who corrects one digest by hand leaves the others as they were.
    """
    files = entry.files
    if files is not None and folder_sha256(files) != entry.sha256:
        return SkillPin(entry.sha256, LOCK)
    return SkillPin(entry.sha256, LOCK, entry.instructions, files)


def read_lock(data: bytes, *, path: str, read_document: ReadDocument) -> Lock:
    """The lock of a repository.

    Args:
        data: the bytes of the file.
        path: how messages name it.
        read_document: reads a document with the places of its parts.

    Raises:
        ConfigError: with `PATH:LINE:COLUMN`: it is no strict JSON, does not say what a lock
            says, or locks one thing twice.
    """
    read_strict_file(data, path=path, next_step="restore the file, or lock again after a review")
    document = read_document(data, path)
    lock = decode(document, Lock, path=path, schema=SCHEMA)
    _check(lock, document, path)
    return lock


def _check(lock: Lock, document: Document, path: str) -> None:
    seen: dict[tuple[str, str], int] = {}
    for index, entry in enumerate(lock.entries):
        at = ("entries", index)
        first = seen.setdefault((entry.kind, entry.name), index)
        if first != index:
            line = document.position(("entries", first))[0]
            problem = f"locks {entry.kind} {entry.name} again, after line {line}"
            raise config_error(document, path, at, problem)
        extras = {"instructions": entry.instructions, "files": entry.files}
        for name, value in extras.items():
            if value is not None and entry.kind != "skill":
                raise config_error(document, path, (*at, name), f"means nothing for {entry.kind}")
        for name in entry.files or ():
            if normal_path(name) != name:
                raise config_error(document, path, (*at, "files", name), "is no path in a folder")

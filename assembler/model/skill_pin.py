"""Pins of skills: which digest a folder must have, what it has, and how the two differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from assembler.model.names import first_few
from assembler.model.skill import folder_sha256
from assembler.model.skill_places import SKILL_FILE

PinState: TypeAlias = Literal["locked", "unlocked", "broken"]


class SkillPin(NamedTuple):
    """What one skill's folder must be."""

    sha256: str
    """Of the folder, as `folder_sha256` makes it."""
    place: str
    """Who says so: the lock file's path, or the host manifest."""
    instructions_sha256: str | None = None
    """Of SKILL.md, where the pin holds it."""
    files: Mapping[str, str] | None = None
    """Digest of each file by its path in the folder, where the pin holds them."""
    must_exist: bool = True
    """Whether a skill of that name has to be there: the host's word holds for many repositories."""


class FolderDigest(NamedTuple):
    """The files of one skill's folder, as far as they could be read."""

    files: Mapping[str, str]
    """Hex digest by path in the folder."""
    untold: tuple[tuple[str, str], ...]
    """Path and reason of what could not be read: while there is any, the folder has no digest."""
    sha256: str | None
    """The folder's digest; None where it can't be told."""


def make_folder_digest(
    files: Mapping[str, str], untold: tuple[tuple[str, str], ...] = ()
) -> FolderDigest:
    """The digest of a folder, made once: every row of the skill names it."""
    return FolderDigest(files, untold, None if untold else folder_sha256(files))


class PinCheck(NamedTuple):
    """What became of one skill's pin."""

    state: PinState
    pin: SkillPin | None = None
    folder_sha256: str | None = None
    """What the folder has now; None where it can't be told or is not there."""
    problem: str | None = None
    """Why it is broken, in words, without the files."""
    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    """Paths in the folder, sorted; empty where the pin does not hold its files."""

    def spell(self) -> str:
        """Why it is broken: the words, then the first files of each kind."""
        lists = (("changed", self.changed), ("added", self.added), ("removed", self.removed))
        parts = [f"{word} {', '.join(first_few(paths))}" for word, paths in lists if paths]
        return "; ".join([self.problem or self.state, *parts])


def compare_files(
    folder: FolderDigest, pin: SkillPin
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Which files are changed, added and removed, as far as the pin says; each sorted.

    A pin with the digest of SKILL.md alone tells of that file alone.
    """
    untold = {path for path, _ in folder.untold}
    if pin.files is not None:
        known = {*folder.files, *untold}
        both = sorted(known & pin.files.keys())
        changed = tuple(path for path in both if folder.files.get(path) != pin.files[path])
        return (
            changed,
            tuple(sorted(known - pin.files.keys())),
            tuple(sorted(pin.files.keys() - known)),
        )
    if pin.instructions_sha256 not in (None, folder.files.get(SKILL_FILE)):
        return (SKILL_FILE,), (), ()
    return (), (), ()

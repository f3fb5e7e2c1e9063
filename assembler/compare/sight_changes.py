"""Two places in time side by side: what an agent would be given differently, and where.

Pure. The same change in many folders is one change that names them. Turned round, the comparison
of two places is its own mirror.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from assembler.compare.packages import IDENTICAL, OTHER_CONTENT, OTHER_REASONS, OTHER_SELECTION
from assembler.compare.sights import FolderSight, ItemKind, SeenItem, Sight
from assembler.model.finding import Finding, finding_order

COUNTED: Final[tuple[ItemKind, ...]] = ("instruction", "skill", "tool")
"""What a run is given; the table of folders counts these."""
KINDS: Final[tuple[ItemKind, ...]] = (*COUNTED, "agent")
OTHER_SETTINGS: Final = "same input, other settings"
OTHER_FILES: Final = "same input, other files behind it"


_Key: TypeAlias = tuple[str, str | None, str | None]


class ItemChange(NamedTuple):
    """One item that differs.

    `what` is the first of these that holds: `added`, `removed`, `moved` (in or out of what the
    model reads), `content` (other words reach it), `reason`, `files` (what can be asked for later).
    """

    what: str
    id: str
    old: SeenItem | None
    new: SeenItem | None
    folders: tuple[str, ...]
    """Where an agent starts that sees the change, sorted."""

    @property
    def item(self) -> SeenItem:
        """The newer of the two."""
        item = self.new or self.old
        assert item is not None  # a change has one side at least
        return item


class FolderChange(NamedTuple):
    """The figures of one folder, in tokens: policy, skills, tools."""

    folder: str
    old: tuple[int, int, int]
    new: tuple[int, int, int]
    lost: int
    """Files, skills and tools that were read and are no longer."""
    gained: int
    """The other way round."""

    @property
    def total(self) -> int:
        """How many tokens more."""
        return sum(self.new) - sum(self.old)

    @property
    def is_same(self) -> bool:
        """Whether no figure differs and nothing moved."""
        return (self.old, self.lost, self.gained) == (self.new, 0, 0)


class SettingChange(NamedTuple):
    """One member of the profile that differs; None: it is not set."""

    name: str
    old: Any
    new: Any


class SightChanges(NamedTuple):
    """Everything that differs between two places."""

    verdict: str
    folders: tuple[FolderChange, ...]
    """Of every folder of either, by path."""
    changes: tuple[ItemChange, ...]
    """By kind, id and the first folder."""
    same: tuple[SeenItem, ...]
    """Tools that nothing changed, by id: that they did not is worth knowing."""
    settings: tuple[SettingChange, ...]
    profiles: tuple[tuple[str, str | None, str | None], ...]
    """Path, and the digests of both sides, of each profile file that differs."""
    findings_new: tuple[Finding, ...]
    """What a check of the newer place tells, and one of the older does not."""
    findings_fixed: tuple[Finding, ...]
    """The other way round, but for those that are still there and excepted."""
    findings_excepted: tuple[Finding, ...]
    """Told in the older place, and excepted by the profile of the newer."""

    @property
    def is_identical(self) -> bool:
        """Whether nothing at all differs."""
        return self.verdict == IDENTICAL


def compare_sights(old: Sight, new: Sight) -> SightChanges:
    """Compare two places in time.

    Args:
        old: the earlier one, or what is taken for it.
        new: the other.
    """
    folders = sorted({*old.folders, *new.folders})
    changes = _changes(old, new, folders)
    settings = tuple(
        SettingChange(name, old.settings.get(name), new.settings.get(name))
        for name in sorted({*old.settings, *new.settings})
        if old.settings.get(name) != new.settings.get(name)
    )
    profiles = tuple(
        (path, old.profiles.get(path), new.profiles.get(path))
        for path in sorted({*old.profiles, *new.profiles})
        if old.profiles.get(path) != new.profiles.get(path)
    )
    findings_new = _more(new.findings, old.findings)
    untold = _more(old.findings, new.findings)
    gone = {id(finding) for finding in _more(untold, new.excepted)}
    others = bool(settings or profiles)
    return SightChanges(
        verdict=_verdict(changes, others, bool(findings_new or untold)),
        folders=tuple(_figures(folder, old, new) for folder in folders),
        changes=changes,
        same=_same_tools(old, new, folders),
        settings=settings,
        profiles=profiles,
        findings_new=findings_new,
        findings_fixed=tuple(finding for finding in untold if id(finding) in gone),
        findings_excepted=tuple(finding for finding in untold if id(finding) not in gone),
    )


def _changes(old: Sight, new: Sight, folders: Sequence[str]) -> tuple[ItemChange, ...]:
    places: dict[tuple[str, SeenItem | None, SeenItem | None], list[str]] = {}
    for folder in folders:
        before, after = old.folder(folder).items, new.folder(folder).items
        for name in before.keys() | after.keys():
            pair = before.get(name), after.get(name)
            if not _is_same(*pair):
                places.setdefault((name, *pair), []).append(folder)
    changes = [
        ItemChange(_what(one, other), name, one, other, tuple(found))
        for (name, one, other), found in places.items()
    ]
    return tuple(sorted(changes, key=_order))


def _is_same(old: SeenItem | None, new: SeenItem | None) -> bool:
    """Whether nothing differs that both sides know: a commit tells no size of what is not read."""
    if old is None or new is None:
        return old is new
    if old.size_bytes is None or new.size_bytes is None:
        return old._replace(size_bytes=None) == new._replace(size_bytes=None)
    return old == new


def _order(change: ItemChange) -> tuple[int, str, str]:
    return KINDS.index(change.item.kind), change.id, change.folders[0]


def _what(old: SeenItem | None, new: SeenItem | None) -> str:
    if old is None or new is None:
        return "added" if old is None else "removed"
    if old.is_in != new.is_in:
        return "moved"
    if old.text_sha256 != new.text_sha256:
        return "content"
    if (old.state, old.reason, old.path) != (new.state, new.reason, new.path):
        return "reason"
    return "files"


def _figures(folder: str, old: Sight, new: Sight) -> FolderChange:
    before, after = old.folder(folder), new.folder(folder)
    was, now = _counted_in(before), _counted_in(after)
    policy, skills, tools = ((before.tokens(kind), after.tokens(kind)) for kind in COUNTED)
    return FolderChange(
        folder,
        (policy[0], skills[0], tools[0]),
        (policy[1], skills[1], tools[1]),
        lost=len(was - now),
        gained=len(now - was),
    )


def _counted_in(folder: FolderSight) -> set[str]:
    """What a run reads; what agents read is told beside it."""
    return {name for name, item in folder.items.items() if item.is_in and item.kind in COUNTED}


def _same_tools(old: Sight, new: Sight, folders: Sequence[str]) -> tuple[SeenItem, ...]:
    """Tools are the same ones wherever an agent starts."""
    if not folders:
        return ()
    before, after = old.folder(folders[0]).items, new.folder(folders[0]).items
    return tuple(
        before[name]
        for name in sorted(before.keys() & after.keys())
        if before[name].kind == "tool" and before[name] == after[name]
    )


def _more(these: Iterable[Finding], those: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings of the first that the second has not, by code and place; figures may differ."""
    known = Counter(key for finding in those for key in _keys(finding))
    words = {(finding.code, finding.path, finding.message) for finding in those}
    by_key: dict[_Key, list[Finding]] = {}
    for finding in these:
        for key in _keys(finding):
            by_key.setdefault(key, []).append(finding)
    found: dict[int, Finding] = {}
    for key, findings in by_key.items():
        surplus = len(findings) - known[key]
        if surplus > 0:
            # Those in other words first: one in the same words is most likely the old one.
            findings.sort(key=lambda one: (one.code, one.path, one.message) in words)
            found |= {id(finding): finding for finding in findings[:surplus]}
    return tuple(sorted(found.values(), key=finding_order))


def _keys(finding: Finding) -> list[_Key]:
    """Code and place, and each agent or lost file that it is about: one more of them is worse."""
    about = [*finding.agents, *finding.data.get("lost_files", ())]
    return [(finding.code, finding.path, one) for one in dict.fromkeys((None, *about))]


def _verdict(changes: Sequence[ItemChange], others: bool, findings: bool) -> str:
    selected = {"added", "removed", "moved"}
    if any(change.what in selected and _was_or_is_in(change) for change in changes):
        return OTHER_SELECTION
    if any(change.what == "content" for change in changes):
        return OTHER_CONTENT
    if any(change.what == "files" for change in changes):
        return OTHER_FILES
    if others:
        return OTHER_SETTINGS
    return OTHER_REASONS if changes or findings else IDENTICAL


def _was_or_is_in(change: ItemChange) -> bool:
    return any(item is not None and item.is_in for item in (change.old, change.new))


def count_by_severity(findings: Iterable[Finding]) -> Mapping[str, int]:
    """How many findings there are of each severity."""
    return Counter(finding.severity for finding in findings)

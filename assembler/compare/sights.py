"""What agents are given of a repository at one place in time, as plain values to compare.

A sight has the figures and items of every folder where an agent may start; texts stand beside
them, by digest, so that equal ones are held once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from assembler.model.chain import folders_down_to
from assembler.model.finding import Finding

ItemKind: TypeAlias = Literal["instruction", "skill", "tool", "agent"]
"""`agent`: a file as one of the declared agents meets it."""


class SeenPart(NamedTuple):
    """A file that comes with an item when it is asked for: SKILL.md, a resource."""

    name: str
    """In the folder of the item."""
    sha256: str | None
    """None: it can't be read."""
    tokens: int | None = None
    """None: nobody counts it."""


class SeenItem(NamedTuple):
    """One instruction file, skill or tool as an agent meets it; equal ones are one and the same."""

    id: str
    """A path, `skill:NAME`, `tool:NAME`, `tool:SERVER/NAME`, or `AGENT:PATH`."""
    kind: ItemKind
    state: str
    """`in`, `cut`, and the words of a chain's rows for the rest; of tools and skills `out`.

    `cut` is also a skill whose line is shortened.
    """
    path: str | None
    """The file that it comes from, root-relative."""
    reason: str = ""
    """Why it is not in, spelled as the slug of the finding where there is one."""
    note: str = ""
    tokens: int = 0
    """What it adds to every input."""
    size_bytes: int | None = None
    """Of the file as it is."""
    text_sha256: str | None = None
    """Of what the model reads."""
    lost: tuple[str, ...] = ()
    """Headings of what is not in."""
    parts: tuple[SeenPart, ...] = ()
    """By name."""

    @property
    def is_in(self) -> bool:
        """Whether the model reads it, or a part of it."""
        return self.state in ("in", "cut")

    def to_json(self) -> dict[str, Any]:
        """The members as the output formats have them."""
        return {
            "state": self.state,
            "path": self.path,
            "reason": self.reason,
            "note": self.note,
            "tokens": self.tokens,
            "size_bytes": self.size_bytes,
            "text_sha256": self.text_sha256,
            "headings_lost": list(self.lost),
            "parts": [part._asdict() for part in self.parts],
        }


class FolderSight(NamedTuple):
    """What an agent is given that starts in one folder."""

    items: Mapping[str, SeenItem]
    """By id; also those that are not in."""

    def tokens(self, kind: ItemKind) -> int:
        """What the items of a kind add together."""
        return sum(item.tokens for item in self.items.values() if item.kind == kind)


class Sight(NamedTuple):
    """A repository at one place in time."""

    name: str
    """As the user named the place."""
    at: str
    revision: str | None
    """Full id of the commit; of the worktree and the index that of HEAD."""
    profile: str
    counter: str
    folders: Mapping[str, FolderSight]
    """Of each folder with instructions or skills of its own, and of the root, `""`."""
    settings: Mapping[str, Any]
    """The profile's members by dotted name."""
    profiles: Mapping[str, str]
    """Digest of each profile file by path."""
    findings: tuple[Finding, ...]
    """What a check of this place tells."""
    excepted: tuple[Finding, ...]
    """What its profile has it not tell."""
    texts: Mapping[str, bytes]
    """What may be shown, by digest; a text with a secret in it is not here."""

    def folder(self, path: str) -> FolderSight:
        """What holds in a folder, which may have nothing of its own: then the nearest one above."""
        for way in reversed(folders_down_to(path)):
            if way in self.folders:
                return self.folders[way]
        return FolderSight({})

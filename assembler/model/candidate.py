"""A candidate: one piece of material that was offered to a run, and what is known of it.

Field names are those of `assembler/inventory/1` (docs/formats/inventory.md).
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

SECTIONS: Final = ("policy", "task", "tools", "evidence", "work")
"""The five sections of an input, in their order."""

TOOL_KINDS: Final = ("tool", "mcp-tool")


class Stored(NamedTuple):
    """Content whose bytes are at hand, by digest."""

    sha256: str
    size_bytes: int


class Absent(NamedTuple):
    """Content that is not there, and the one word that says why.

    `word` is `denied`, `turned-away`, `path-not-utf8`, `unread` or `unreadable`.
    """

    word: str
    rule: str | None = None
    """The rule that denied; with `denied` only."""
    code: str | None = None
    """The slug of the finding; with `turned-away` only."""
    where: str | None = None
    """The place that was turned away; with `turned-away` only."""


class Inline(NamedTuple):
    """Content that a host handed in whole."""

    data: bytes


class FromPath(NamedTuple):
    """Content that a host names by path; `lines` is first and last, 1-based, or all."""

    path: str
    lines: tuple[int, int] | None


Content = Stored | Absent | Inline | FromPath
"""In normal form only `Stored` and `Absent` occur."""


class Size(NamedTuple):
    """A size that somebody gave; `basis` is `declared` or `estimated`."""

    value: int
    unit: str
    basis: str


class FreshnessEntry(NamedTuple):
    """Digest of a source when it was used, and now; `current` is None when it can't be read."""

    source: str
    seen: str
    current: str | None


class Address(NamedTuple):
    """Where a quotation stands in its source."""

    source_id: str
    version: str
    line_start: int
    line_end: int


class Candidate(NamedTuple):
    """One offered piece of material; facts only, no decision."""

    id: str
    kind: str
    section: str
    trust: str
    content: Content
    source: str | None = None
    scope: str | None = None
    revision: str | None = None
    size: Size | None = None
    lineage: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    valid_from: str | None = None
    valid_to: str | None = None
    expires_at: str | None = None
    version: str | None = None
    discovered_by: str | None = None
    observed_at: str | None = None
    retrieved_at: str | None = None
    replaces: tuple[str, ...] = ()
    conflicts_with: tuple[str, ...] = ()
    refreshed_by: str | None = None
    refresh: str | None = None
    freshness: tuple[FreshnessEntry, ...] = ()
    decision_value: int | None = None
    decides: str | None = None
    group: str | None = None
    position: int = 0
    address: Address | None = None

    @property
    def sha256(self) -> str | None:
        """The content's digest, or None where there is no content."""
        return self.content.sha256 if isinstance(self.content, Stored) else None

    @property
    def size_bytes(self) -> int | None:
        """The content's length, or None where there is no content."""
        return self.content.size_bytes if isinstance(self.content, Stored) else None

    def to_json(self) -> dict[str, Any]:
        """The members of the normal form."""
        return {
            "id": self.id,
            "kind": self.kind,
            "section": self.section,
            "trust": self.trust,
            "content": content_to_json(self.content),
            "source": self.source,
            "scope": self.scope,
            "revision": self.revision,
            "size": size_to_json(self.size),
            "lineage": list(self.lineage),
            "topics": list(self.topics),
            "valid_from": self.valid_from,
            "valid_to": self.valid_to,
            "expires_at": self.expires_at,
            "version": self.version,
            "discovered_by": self.discovered_by,
            "observed_at": self.observed_at,
            "retrieved_at": self.retrieved_at,
            "replaces": list(self.replaces),
            "conflicts_with": list(self.conflicts_with),
            "refreshed_by": self.refreshed_by,
            "refresh": self.refresh,
            "freshness": [
                {"source": entry.source, "seen": entry.seen, "current": entry.current}
                for entry in self.freshness
            ],
            "decision_value": self.decision_value,
            "decides": self.decides,
            "group": self.group,
            "position": self.position,
            "address": address_to_json(self.address),
        }


def content_to_json(content: Content) -> dict[str, Any]:
    """The normal form of a content.

    Raises:
        TypeError: the content is still in a host's form.
    """
    match content:
        case Stored():
            return {"sha256": content.sha256, "bytes": content.size_bytes}
        case Absent(word="denied"):
            return {"absent": content.word, "rule": content.rule}
        case Absent(word="turned-away"):
            return {"absent": content.word, "code": content.code, "where": content.where}
        case Absent():
            return {"absent": content.word}
        case _:
            raise TypeError("content is not in normal form")


def size_to_json(size: Size | None) -> dict[str, Any] | None:
    """The normal form of a size."""
    if size is None:
        return None
    return {"value": size.value, "unit": size.unit, "basis": size.basis}


def address_to_json(address: Address | None) -> dict[str, Any] | None:
    """The normal form of an address."""
    if address is None:
        return None
    return {
        "source_id": address.source_id,
        "version": address.version,
        "line_start": address.line_start,
        "line_end": address.line_end,
    }

"""Whether a stored artifact still says what its sources say: by digest, never by date.

Same bytes at a newer revision are current; other bytes are stale; bytes that can't be read
leave it unknown, and unknown is not fresh.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from assembler.assess.excerpts import NoExcerpt, read_symbol
from assembler.assess.moved_lines import SectionSearch
from assembler.model.candidate import FreshnessEntry
from assembler.model.digest import sha256_hex
from assembler.model.evidence import Artifact, ArtifactSource
from assembler.model.lines import whole_lines
from assembler.model.symbols import LineRange, write_ranges
from assembler.model.tree import Entry
from assembler.ports import SymbolReader


def is_unchanged(source: ArtifactSource, entry: Entry) -> bool:
    """Whether git has the very blob that the source was made from: nothing needs to be read."""
    return source.blob is not None and source.blob == entry.blob_id


class Comparison(NamedTuple):
    """What became of the sources of an artifact."""

    freshness: tuple[FreshnessEntry, ...]
    """One entry a source, sorted by its name."""
    notes: tuple[str, ...] = ()
    """Where sections stand now that have moved, and which definitions are lost."""


class _Now(NamedTuple):
    digest: str | None
    note: str | None = None


def compare_sources(
    artifact: Artifact,
    entries: Mapping[str, Entry],
    current: Mapping[str, bytes | None],
    symbols: SymbolReader,
) -> Comparison:
    """Whether each source still has the bytes that the artifact was made from.

    Args:
        artifact: names each source with the digest it had.
        entries: what stands at each source's path.
        current: bytes of each source's file now, by path; None: could not be read. A source
            whose blob is unchanged needs none.
        symbols: finds the definitions that sources name.
    """
    found: dict[str, FreshnessEntry] = {}
    notes: dict[str, str] = {}
    sections = SectionSearch()
    # File by file, so that each is taken apart once.
    for source in sorted(artifact.sources, key=lambda item: item.path):
        now = _Now(source.sha256)
        if not is_unchanged(source, entries[source.path]):
            now = _look_at(source, current.get(source.path), symbols, sections)
        found[source.name] = FreshnessEntry(source.name, source.sha256, now.digest)
        if now.note is not None:
            notes[source.name] = now.note
    return Comparison(
        freshness=tuple(found[name] for name in sorted(found)),
        notes=tuple(notes[name] for name in sorted(notes)),
    )


def differing_sources(
    artifact: Artifact, freshness: tuple[FreshnessEntry, ...]
) -> tuple[ArtifactSource, ...]:
    """The sources whose bytes are others now, in the index's order."""
    differing = {
        entry.source
        for entry in freshness
        if entry.current is not None and entry.current != entry.seen
    }
    return tuple(source for source in artifact.sources if source.name in differing)


def _look_at(
    source: ArtifactSource, data: bytes | None, symbols: SymbolReader, sections: SectionSearch
) -> _Now:
    if data is None:
        return _Now(None)
    if source.lines is not None:
        return _look_at_lines(source, source.lines, data, sections)
    if source.symbol is not None:
        return _look_at_symbol(source, source.symbol, data, symbols)
    return _Now(sha256_hex(data))


def _look_at_lines(
    source: ArtifactSource, lines: LineRange, data: bytes, sections: SectionSearch
) -> _Now:
    """The section at its lines, else the one place that it has moved to."""
    named = whole_lines(data, *lines)
    # Lines past the end are bytes that differ: the section is no longer what it was.
    digest = sha256_hex(b"" if named is None else named)
    if digest == source.sha256:
        return _Now(digest)
    moved = sections.find(data, lines=lines[1] - lines[0] + 1, sha256=source.sha256)
    if moved is None:
        return _Now(digest)
    return _Now(source.sha256, f"{source.name} stands at {write_ranges([moved])} now")


def _look_at_symbol(
    source: ArtifactSource, symbol: str, data: bytes, symbols: SymbolReader
) -> _Now:
    """The lines of a definition, wherever they stand; one that is lost leaves it unknown."""
    found = read_symbol(source.path, data, symbol, symbols)
    if isinstance(found, NoExcerpt):
        return _Now(None, f"{source.name}: {found.why}")
    return _Now(sha256_hex(found.data))

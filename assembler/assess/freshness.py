"""Whether a stored artifact still says what its sources say: by digest, never by date.

Same bytes at a newer revision are current; other bytes are stale; bytes that can't be read
leave it unknown, and unknown is not fresh.
"""

from __future__ import annotations

from collections.abc import Mapping

from assembler.model.candidate import FreshnessEntry
from assembler.model.digest import sha256_hex
from assembler.model.evidence import Artifact, ArtifactSource
from assembler.model.lines import whole_lines
from assembler.model.tree import Entry


def is_unchanged(source: ArtifactSource, entry: Entry) -> bool:
    """Whether git has the very blob that the source was made from: nothing needs to be read."""
    return source.blob is not None and source.blob == entry.blob_id


def compare_sources(
    artifact: Artifact, entries: Mapping[str, Entry], current: Mapping[str, bytes | None]
) -> tuple[FreshnessEntry, ...]:
    """One entry a source, sorted by its name.

    Args:
        artifact: names each source with the digest it had.
        entries: what stands at each source's path.
        current: bytes of each source's file now, by path; None: could not be read. A source
            whose blob is unchanged needs none.
    """
    found = {}
    for source in artifact.sources:
        if is_unchanged(source, entries[source.path]):
            digest: str | None = source.sha256
        else:
            digest = _current_digest(source, current.get(source.path))
        found[source.name] = FreshnessEntry(source.name, source.sha256, digest)
    return tuple(found[name] for name in sorted(found))


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


def _current_digest(source: ArtifactSource, data: bytes | None) -> str | None:
    if data is None:
        return None
    named = data if source.lines is None else whole_lines(data, *source.lines)
    # Lines past the end are bytes that differ: the section is no longer what it was.
    return sha256_hex(b"" if named is None else named)

"""Whether a stored artifact still says what its sources say: by digest, never by date.

A digest is never taken over from the artifact, not even where git still has the blob that it
names: only what was read and hashed decides. Same bytes at a newer revision are current; other
bytes are stale; bytes that can't be read leave it unknown, and unknown is not fresh.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from assembler.assess.line_map import LineMaps
from assembler.assess.moved_lines import SectionSearch
from assembler.assess.sections import OldFile, Tools, Verdict, judge_section
from assembler.model.candidate import FreshnessEntry
from assembler.model.evidence import Artifact, Section
from assembler.ports import SymbolReader


class SourceFile(NamedTuple):
    """What is known of the file of one source."""

    data: bytes | None = None
    """Its bytes now; None: they could not be read."""
    path: str | None = None
    """Where it stands now, if that is another place than its source says."""
    old: OldFile | None = None
    """The file that the source was made from."""
    note: str | None = None
    """Why it can't be read, or how it was found at another place."""


class Comparison(NamedTuple):
    """What became of the sources of an artifact."""

    freshness: tuple[FreshnessEntry, ...]
    """One entry a source, sorted by its name."""
    notes: tuple[str, ...] = ()
    """Where sections stand now that have moved, and which definitions are lost."""
    again: tuple[Section, ...] = ()
    """What is to be read again, in the index's order."""
    lost: tuple[str, ...] = ()
    """Names of sources of which nothing is left, in the index's order."""


def compare_sources(
    artifact: Artifact,
    files: Mapping[str, SourceFile],
    symbols: SymbolReader,
    maps: LineMaps | None = None,
    moved: SectionSearch | None = None,
) -> Comparison:
    """Whether each source still has the bytes that the artifact was made from.

    Args:
        artifact: names each source with the digest it had.
        files: what is known of each source's file, by the source's name.
        symbols: finds the definitions that sources name.
        maps: compares old files with new ones, with the bound of the whole run.
        moved: looks for sections of unknown files, with the same.
    """
    tools = Tools(symbols, moved or SectionSearch(), maps or LineMaps())
    verdicts: dict[str, Verdict] = {}
    notes: dict[str, list[str]] = {}
    # File by file, so that each is taken apart once.
    for source in sorted(artifact.sources, key=lambda item: item.path):
        file = files.get(source.name, SourceFile())
        found = judge_section(source, file.data, tools, path=file.path, old=file.old)
        verdicts[source.name] = found
        notes[source.name] = [note for note in (found.note, file.note) if note is not None]
    seen = {source.name: source.sha256 for source in artifact.sources}
    again = [verdicts[source.name].again for source in artifact.sources]
    return Comparison(
        freshness=tuple(
            FreshnessEntry(name, seen[name], verdicts[name].digest) for name in sorted(verdicts)
        ),
        notes=tuple(dict.fromkeys(note for name in sorted(notes) for note in notes[name])),
        again=tuple(item for item in again if item is not None),
        lost=tuple(source.name for source in artifact.sources if verdicts[source.name].is_lost),
    )

"""Stored summaries: whether each is current, and what is read again in place of a stale one.

In: the artifact index, the tree of the run and the history. Out: candidates with their
freshness, the sections to read again, and what the work record says of lost ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from assembler.assess.freshness import Comparison, SourceFile, compare_sources
from assembler.assess.line_map import LineMaps
from assembler.assess.moved_lines import SectionSearch
from assembler.assess.sections import OldFile
from assembler.authorize.read_scope import authorize_evidence
from assembler.discover.evidence import discover_refreshed, join_words
from assembler.model.candidate import Absent, Candidate
from assembler.model.digest import sha256_hex
from assembler.model.evidence import Artifact, ArtifactSource, Discovered
from assembler.model.lines import whole_lines
from assembler.model.names import write_name
from assembler.model.tree import Authorized, Denied, Entry, EntryKind, Unreadable
from assembler.offers.known import Known
from assembler.offers.past import PastAnswer, PastFile, Wanted, find_past
from assembler.offers.reader import FileReader
from assembler.offers.renames import Moves
from assembler.ports import History, SymbolReader

DECIDES: Final = "the source of a stale summary"


class SummarySources(NamedTuple):
    """What is known of the sources of the wanted summaries."""

    artifacts: tuple[Artifact, ...]
    entries: Mapping[str, Entry]
    current: Mapping[str, bytes | None]
    """Bytes of each source's file, by path; None: they can't be read."""
    past: Mapping[Wanted, PastAnswer]

    @property
    def gone(self) -> list[PastFile]:
        """Old files of sources whose paths hold no file."""
        asked = (
            (source, wanted_of(artifact, source))
            for artifact in self.artifacts
            for source in artifact.sources
        )
        return [
            file
            for source, wanted in asked
            if self.entries[source.path].kind is not EntryKind.FILE
            and isinstance(file := self.past.get(wanted), PastFile)
        ]


def wanted_of(artifact: Artifact, source: ArtifactSource) -> Wanted:
    """The file that a source was made from."""
    return Wanted(source.path, artifact.revision, source.blob)


def look_at_sources(
    artifacts: Sequence[Artifact],
    entries: Mapping[str, Entry],
    reader: FileReader,
    history: History,
) -> SummarySources:
    """Read what the summaries were made from, now; find what it was where that matters."""
    current = _read_now(artifacts, entries, reader)
    wanted = {
        wanted_of(artifact, source)
        for artifact in artifacts
        for source in artifact.sources
        if _needs_old(source, entries[source.path], current.get(source.path))
    }
    past = find_past(sorted(wanted, key=str), history, reader.scope) if wanted else {}
    return SummarySources(tuple(artifacts), entries, current, past)


def _needs_old(source: ArtifactSource, entry: Entry, data: bytes | None) -> bool:
    """Whether it matters what the file was: it is gone, or other bytes stand at the lines."""
    if entry.kind is not EntryKind.FILE:
        return True
    if data is None or source.lines is None:
        return False
    return sha256_hex(whole_lines(data, *source.lines) or b"") != source.sha256


def _read_now(
    artifacts: Iterable[Artifact], entries: Mapping[str, Entry], reader: FileReader
) -> dict[str, bytes | None]:
    paths = {source.path for artifact in artifacts for source in artifact.sources}
    return read_paths(sorted(paths), entries, reader)


def read_paths(
    paths: Sequence[str], entries: Mapping[str, Entry], reader: FileReader
) -> dict[str, bytes | None]:
    """The bytes that each file has now; None where they may not or can't be read."""
    allowed = []
    for path in paths:
        permission = authorize_evidence(entries[path], reader.scope)
        if isinstance(permission, Authorized) and entries[path].kind is EntryKind.FILE:
            allowed.append(permission)
    contents = reader.read(allowed)
    return {
        path: found if isinstance(found := contents.get(path), bytes) else None for path in paths
    }


def judge_summaries(
    candidates: Sequence[Candidate],
    sources: SummarySources,
    moves: Moves,
    *,
    reader: FileReader,
    history: History,
    symbols: SymbolReader,
    maps: LineMaps,
    trust: str,
) -> Known:
    """The summaries with their freshness, and what is to be read in place of stale ones.

    Args:
        candidates: one an artifact of `sources`, in its order, with what could be read of it.
        sources: what is known of what they were made from.
        moves: where files stand now that are gone.
        reader: reads the tree of the run.
        history: reads old files.
        symbols: finds definitions.
        maps: compares old files with new ones.
        trust: of files.
    """
    new_paths = sorted({moves.found[file].path for file in sources.gone if file in moves.found})
    entries = {**sources.entries, **reader.tree.look_up(new_paths)}
    current = {**sources.current, **read_paths(new_paths, entries, reader)}
    old = history.read([file.file for file in sources.past.values() if isinstance(file, PastFile)])
    moved = SectionSearch()
    refreshed: list[Discovered] = []
    assessed: list[Candidate] = []
    told: dict[str, tuple[str, ...]] = {}
    for candidate, artifact in zip(candidates, sources.artifacts, strict=True):
        files = {
            source.name: _file_of(artifact, source, sources, moves, old=old, current=current)
            for source in artifact.sources
        }
        rule = _denied_source(artifact, files, entries, reader)
        rule = rule or _closed_source(artifact, sources, moves)
        if rule is not None:
            # What was made from denied material is denied with it, digests and all.
            content = Absent("denied", rule=f"source {rule}")
            assessed.append(candidate._replace(content=content))
            continue
        found = compare_sources(artifact, files, symbols, maps, moved)
        again = discover_refreshed(candidate.id, found.again, trust=trust, decides=DECIDES)
        refreshed.extend(again)
        assessed.append(_with_verdict(candidate, found, again))
        if found.lost:
            told[candidate.id] = tuple(_spell_lost(candidate.id, name) for name in found.lost)
    return Known(tuple(assessed), tuple(refreshed), told=told)


def _file_of(
    artifact: Artifact,
    source: ArtifactSource,
    sources: SummarySources,
    moves: Moves,
    *,
    old: Mapping[str, bytes | Unreadable],
    current: Mapping[str, bytes | None],
) -> SourceFile:
    """What is known of the file of a source, then and now."""
    past = sources.past.get(wanted_of(artifact, source))
    data = old.get(past.blob_id) if isinstance(past, PastFile) else None
    was = OldFile(data, artifact.revision) if isinstance(data, bytes) else None
    entry = sources.entries[source.path]
    if entry.kind is EntryKind.FILE:
        return SourceFile(current.get(source.path), old=was)
    if entry.kind is EntryKind.OTHER:
        return SourceFile(note=f"{source.path} is inside a submodule, or no regular file")
    if not isinstance(past, PastFile):
        return SourceFile()
    moved = moves.found.get(past)
    if moved is None:
        return SourceFile(note=moves.note(past))
    note = None if moved.similarity is None else moves.note(past)
    return SourceFile(current.get(moved.path), path=moved.path, old=was, note=note)


def _denied_source(
    artifact: Artifact,
    files: Mapping[str, SourceFile],
    entries: Mapping[str, Entry],
    reader: FileReader,
) -> str | None:
    """The rule that keeps one of an artifact's sources closed, also at its new path."""
    for source in artifact.sources:
        for path in (source.path, files[source.name].path):
            permission = None if path is None else authorize_evidence(entries[path], reader.scope)
            if isinstance(permission, Denied):
                return permission.rule
    return None


def _closed_source(artifact: Artifact, sources: SummarySources, moves: Moves) -> str | None:
    """The rule that closes the only path where the bytes of a source that is gone are now."""
    answers = (sources.past.get(wanted_of(artifact, source)) for source in artifact.sources)
    gone = (answer for answer in answers if isinstance(answer, PastFile))
    return next((moves.closed[file] for file in gone if file in moves.closed), None)


def _with_verdict(
    candidate: Candidate, found: Comparison, again: Sequence[Discovered]
) -> Candidate:
    return candidate._replace(
        freshness=found.freshness,
        refreshed_by=again[0].candidate.id if again else None,
        discovered_by=join_words(candidate.discovered_by, *found.notes),
    )


def _spell_lost(identifier: str, source: str) -> str:
    """A line of the work record; names are third-party text and spelled as such."""
    return f"Lost: nothing is left of {write_name(source)}, a source of {write_name(identifier)}."

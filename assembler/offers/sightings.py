"""What the task knows as it was at a revision: whether it still holds, and what holds now.

In: sections with a revision or a digest, the tree of the run and the history. Out: candidates
with the bytes that were seen, what is read again in place of stale ones, and the places of
files that were renamed. A rename is named and offered; it takes nobody's place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from assembler.assess.excerpts import Excerpt, NoExcerpt, cut_section
from assembler.assess.line_map import LineMaps
from assembler.assess.moved_lines import SectionSearch
from assembler.assess.sections import OldFile, Tools, Verdict, judge_section
from assembler.authorize.read_scope import ReadScope, authorize_evidence
from assembler.discover.evidence import UNREAD, discover_file, discover_refreshed, join_words
from assembler.model.candidate import Absent, Candidate, FreshnessEntry, Inline
from assembler.model.digest import git_blob_id, sha256_hex
from assembler.model.evidence import REVISION_UNAVAILABLE, ArtifactSource, Discovered, Section, Seen
from assembler.model.limits import MAX_ITEM_BYTES, MAX_WORDS_BYTES, bounded_name, bounded_place
from assembler.model.names import write_name
from assembler.model.symbols import write_ranges
from assembler.model.tree import Denied, Entry, EntryKind, Unreadable
from assembler.offers.known import Known
from assembler.offers.past import NotAtHand, PastAnswer, PastFile, Wanted, find_past
from assembler.offers.reader import FileReader
from assembler.offers.renames import Moves
from assembler.offers.summaries import read_paths
from assembler.ports import History, SymbolReader

DECIDES: Final = "the source of a stale item"


class Sightings(NamedTuple):
    """What is known of sections that were seen before, then and now."""

    items: tuple[Discovered, ...]
    entries: Mapping[str, Entry]
    current: Mapping[str, bytes | None]
    """Bytes of each file now, by path; None: they can't be read."""
    past: Mapping[Wanted, PastAnswer]

    @property
    def gone(self) -> list[PastFile]:
        """Old files whose paths hold no file."""
        return [
            file
            for item in self.items
            if self.entries[item.path].kind is not EntryKind.FILE
            and isinstance(file := self.past.get(_wanted(item)), PastFile)
        ]


def look_at_sightings(
    items: Sequence[Discovered],
    entries: Mapping[str, Entry],
    reader: FileReader,
    history: History,
) -> Sightings:
    """Read the files as they are now, and find them as they were."""
    paths = sorted({item.path for item in items})
    wanted = {_wanted(item) for item in items if _seen(item).revision is not None}
    past = find_past(sorted(wanted), history, reader.scope) if wanted else {}
    return Sightings(tuple(items), entries, read_paths(paths, entries, reader), past)


def judge_sightings(
    sightings: Sightings,
    moves: Moves,
    *,
    reader: FileReader,
    history: History,
    symbols: SymbolReader,
    maps: LineMaps,
    trust: str,
) -> Known:
    """Each section with the bytes that were seen, and its freshness.

    Args:
        sightings: what is known of them.
        moves: where files stand now that are gone.
        reader: reads the tree of the run.
        history: reads old files.
        symbols: finds definitions.
        maps: compares old files with new ones.
        trust: of files.
    """
    old = _read_old(sightings, history)
    tools = Tools(symbols, SectionSearch(), maps)
    nested = _inside_others(sightings, reader)
    judged: dict[int, _Judged] = {}
    # File by file, so that each is taken apart once.
    for number, item in sorted(enumerate(sightings.items), key=lambda pair: pair[1].path):
        was = _as_seen(item, sightings, old, tools.symbols, nested=nested)
        judged[number] = _judge(item, sightings, moves, was=was, scope=reader.scope, tools=tools)
    candidates: list[Candidate] = []
    refreshed: list[Discovered] = []
    for candidate, section, _ in (judged[number] for number in sorted(judged)):
        sections = [] if section is None else [section]
        again = discover_refreshed(candidate.id, sections, trust=trust, decides=DECIDES)
        refreshed.extend(again)
        refreshed_by = again[0].candidate.id if again else None
        candidates.append(candidate._replace(refreshed_by=refreshed_by))
    return Known(
        candidates=tuple(candidates),
        refreshed=tuple(refreshed),
        renamed=_offer_renamed(sightings, moves, trust),
        told={one.candidate.id: one.told for one in judged.values() if one.told},
    )


class _Judged(NamedTuple):
    candidate: Candidate
    again: Section | None = None
    told: tuple[str, ...] = ()


class _Was(NamedTuple):
    """A section at the revision that it was seen at."""

    file: PastFile
    data: bytes
    """The whole file."""
    section: Excerpt


_Old = _Was | Denied | NotAtHand | NoExcerpt | None
"""None: no revision was named."""


def _seen(item: Discovered) -> Seen:
    return item.seen or Seen()


def _wanted(item: Discovered) -> Wanted:
    return Wanted(item.path, _seen(item).revision)


def _inside_others(sightings: Sightings, reader: FileReader) -> frozenset[str]:
    """Paths of unknown revisions that lie in a repository inside this one.

    A commit of that repository is no commit of this one, and the row says so.
    """
    paths = {
        wanted.path
        for wanted, answer in sightings.past.items()
        if isinstance(answer, NotAtHand) and answer.why == "no-revision"
    }
    markers = {
        f"{'/'.join(parts[:depth])}/.git": path
        for path in sorted(paths)
        for parts in [path.split("/")]
        for depth in range(1, len(parts))
    }
    entries = reader.tree.look_up(sorted(markers)) if reader.tree.at == "worktree" else {}
    found = {
        path
        for path in paths
        for marker in entries
        if path.startswith(marker.removesuffix(".git"))
        and entries[marker].kind is not EntryKind.MISSING
    }
    return frozenset(
        found | {path for path in paths if sightings.entries[path].kind is EntryKind.OTHER}
    )


def _read_old(sightings: Sightings, history: History) -> dict[str, bytes | Unreadable]:
    """The old files by blob; one whose blob is that of a file as it is now is read already."""
    known: dict[str, bytes | Unreadable] = {
        git_blob_id(data, object_format=history.object_format): data
        for data in sightings.current.values()
        if data is not None
    }
    files = [file for file in sightings.past.values() if isinstance(file, PastFile)]
    unread = [file.file for file in files if file.blob_id not in known]
    return {**known, **history.read(unread)}


def _as_seen(
    item: Discovered,
    sightings: Sightings,
    old: Mapping[str, bytes | Unreadable],
    symbols: SymbolReader,
    *,
    nested: frozenset[str],
) -> _Old:
    """The section as it was seen."""
    past = sightings.past.get(_wanted(item))
    if isinstance(past, NotAtHand) and item.path in nested:
        return NotAtHand("submodule")
    if not isinstance(past, PastFile):
        return past
    data = old[past.blob_id]
    if isinstance(data, Unreadable):
        return NotAtHand("size-limit" if data.reason == "size-limit" else "no-object")
    section = cut_section(
        item.path,
        data,
        symbols,
        lines=item.lines,
        symbol=item.symbol,
        with_imports=item.imports,
    )
    return section if isinstance(section, NoExcerpt) else _Was(past, data, section)


def _judge(
    item: Discovered,
    sightings: Sightings,
    moves: Moves,
    *,
    was: _Old,
    scope: ReadScope,
    tools: Tools,
) -> _Judged:
    for answer in (authorize_evidence(sightings.entries[item.path], scope), was):
        if isinstance(answer, Denied):
            content = Absent("denied", rule=answer.rule)
            return _Judged(item.candidate._replace(content=content))
    digest = _seen(item).sha256
    if digest is None and isinstance(was, _Was):
        digest = sha256_hex(was.section.data)
    if digest is None:
        assert isinstance(was, NotAtHand | NoExcerpt)  # a revision alone was named
        return _turn_away(item, was)
    source = ArtifactSource(item.path, item.lines, digest, blob=None, symbol=item.symbol)
    verdict = judge_section(
        source,
        sightings.current.get(item.path),
        tools,
        old=OldFile(was.data, str(_seen(item).revision)) if isinstance(was, _Was) else None,
        with_imports=item.imports,
    )
    entry = sightings.entries[item.path]
    notes = _notes(item, was, verdict, digest, moves.note if entry.kind is not _FILE else None)
    excerpt = _shown(was, verdict, digest)
    candidate = item.candidate._replace(
        content=UNREAD if excerpt is None else Inline(excerpt.data),
        source=_address(item, excerpt) or item.candidate.source,
        freshness=(FreshnessEntry(source.name, digest, verdict.digest),),
        discovered_by=join_words(item.candidate.discovered_by, *notes),
    )
    lost = f"Lost: nothing is left of {write_name(candidate.id)}."
    return _Judged(candidate, verdict.again, (lost,) if verdict.is_lost else ())


def _shown(was: _Old, verdict: Verdict, digest: str) -> Excerpt | None:
    """The bytes that stand under the item's revision: never such as it is known not to have."""
    if isinstance(was, _Was):
        return was.section if sha256_hex(was.section.data) == digest else None
    has_none = isinstance(was, NoExcerpt) or (isinstance(was, NotAtHand) and was.why == "no-file")
    return None if has_none else verdict.section


def _notes(
    item: Discovered,
    was: _Old,
    verdict: Verdict,
    digest: str,
    note_move: Callable[[PastFile], str | None] | None,
) -> list[str]:
    """What the row says beside the facts."""
    notes = [verdict.note]
    if isinstance(was, _Was):
        if sha256_hex(was.section.data) != digest:
            notes.append(f"at {_seen(item).revision} it has other bytes than `sha256` says")
        notes.append(None if note_move is None else note_move(was.file))
    elif isinstance(was, NotAtHand | NoExcerpt):
        notes.append(_spell_missing(item, was))
    return [note for note in notes if note is not None]


def _address(item: Discovered, excerpt: Excerpt | None) -> str | None:
    """Where a symbol stood, which its id does not say."""
    if item.symbol is None or excerpt is None:
        return None
    place = f"{item.path}#{write_ranges(excerpt.ranges)}"
    return bounded_name(place, most_bytes=MAX_WORDS_BYTES)


def _turn_away(item: Discovered, was: NotAtHand | NoExcerpt) -> _Judged:
    """A section of which nothing is known: it is never fresh."""
    words = _spell_missing(item, was)
    found_by = join_words(item.candidate.discovered_by, words)
    if isinstance(was, NoExcerpt) or was.why == "no-file":
        content = Absent("unreadable")
        return _Judged(item.candidate._replace(content=content, discovered_by=found_by))
    code = "size-limit" if was.why == "size-limit" else REVISION_UNAVAILABLE
    content = Absent("turned-away", code=code, where=bounded_place(f"{item.path}: {words}"))
    told = (
        f"Unresolved: {write_name(item.candidate.id)} can't be checked, {_spell_safely(item, was)}."
    )
    return _Judged(item.candidate._replace(content=content, discovered_by=found_by), told=(told,))


def _spell_missing(item: Discovered, was: NotAtHand | NoExcerpt) -> str:
    if isinstance(was, NoExcerpt):
        return f"at {_seen(item).revision}: {was.why}"
    return _WORDS[was.why].format(revision=_seen(item).revision)


def _spell_safely(item: Discovered, was: NotAtHand) -> str:
    """The same for the work record, names spelled as third-party text."""
    return _WORDS[was.why].format(revision=write_name(str(_seen(item).revision)))


_FILE: Final = EntryKind.FILE
_WORDS: Final = {
    "no-revision": "revision {revision} is not in this clone",
    "no-object": "the file at revision {revision} is not in this clone",
    "no-file": "there is no such file at revision {revision}",
    "size-limit": f"the file at revision {{revision}} has over {MAX_ITEM_BYTES:,} bytes",
    "submodule": "it is inside a submodule, which revision {revision} does not describe",
}


def _offer_renamed(sightings: Sightings, moves: Moves, trust: str) -> tuple[Discovered, ...]:
    """The new places of files that are gone, each once; they decide nothing."""
    found = {
        moved.path: discover_file(moved.path, trust=trust, found_by=str(moves.note(file)))
        for file in sightings.gone
        if (moved := moves.found.get(file)) is not None
    }
    return tuple(found[path] for path in sorted(found))

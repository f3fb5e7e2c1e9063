"""Evidence: everything that a task asks for, with what became of it.

In: the terms of a run and the trees to read. Out: candidates with their contents, facts only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from assembler.assess.excerpts import NoExcerpt, cut_excerpt
from assembler.authorize.read_scope import authorize_evidence
from assembler.discover.apart import tell_apart
from assembler.discover.evidence import (
    ASKER,
    MAX_SEARCHED_BYTES,
    MAX_SEARCHED_FILES,
    discover_hits,
    discover_proof,
    discover_targets,
    join_words,
    match_names,
    merge_discovered,
    not_found,
    proof_not_found,
    proof_paths,
)
from assembler.discover.listed import discover_unnamable
from assembler.model.candidate import Absent, Candidate, Inline
from assembler.model.evidence import Discovered, SearchTerms
from assembler.model.limits import MAX_ITEM_BYTES, MAX_WORDS_BYTES, bounded_name, bounded_place
from assembler.model.run import EvidenceTerms, TaskTerms
from assembler.model.symbols import write_ranges
from assembler.model.tree import UNMERGED, Authorized, Denied, Entry, EntryKind, Unreadable
from assembler.offers.ignored import match_ignored, turn_away_ignored
from assembler.offers.known import judge_known
from assembler.offers.listed import list_names, name_listed
from assembler.offers.payload_revisions import compare_revisions
from assembler.offers.payloads import read_payload
from assembler.offers.reader import FileReader, TextHits, TextSearch
from assembler.offers.successors import find_successors, name_successors, read_again
from assembler.ports import History, Ignores, PatternSet, SymbolReader

MAX_SEARCHED_FILE_BYTES: Final = 1024 * 1024
MAX_HIT_FILE_BYTES: Final = 1024 * 1024
MAX_HIT_BYTES: Final = 16 * 1024 * 1024
"""Of all files that searches found and nothing else names."""
HITS_AT_ONCE: Final = 16

CompileGlob = Callable[[str], PatternSet]


class EvidenceOffer(NamedTuple):
    """Candidates of the evidence room, with what became of requirements."""

    candidates: tuple[Candidate, ...]
    paths: Mapping[str, str]
    """Path in the tree of each candidate whose bytes come from there, by id."""
    successors: Mapping[str, tuple[str, ...]]
    """Ids that were read again in place of a stale one."""
    missing: Mapping[str, str | None]
    """Ids that were wanted and that no source has; the reason, where a file is there without
    the wanted part."""
    told: Mapping[str, tuple[str, ...]] = {}
    """Lines that the work record has of an item beside those that its facts give, by id."""
    handed_in: Mapping[str, str] = {}
    """Path of each payload that was read, by id."""
    ignored: Mapping[str, str] = {}
    """Path of each file that a search would have found if git did not ignore it, by id."""


def offer_evidence(
    terms: EvidenceTerms,
    task: TaskTerms,
    *,
    reader: FileReader,
    payloads: FileReader,
    history: History,
    symbols: SymbolReader,
    compile_glob: CompileGlob,
    ignores: Ignores,
    may_read_again: Callable[[Candidate], bool],
) -> EvidenceOffer:
    """Everything the task asks for: named, targets, proof, summaries, search hits.

    Only for an item that `may_read_again` lets through something is read again in its place.
    """
    source_trust = terms.trust["source"]
    tree = reader.tree
    entries = tree.look_up(_paths_to_ask(terms, task))
    summaries = _read_all(terms.summaries, entries, reader, symbols)
    known = judge_known(
        terms, summaries, entries=entries, reader=reader, history=history, symbols=symbols
    )
    judged, refreshed = read_again(known.candidates, known.refreshed, may_read_again)
    named = [item for item in terms.named if not item.is_payload and item.seen is None]
    proof = [] if task.proof is None else discover_proof(task.proof, entries, source_trust)
    hits, rows, passed_over = _run_searches(terms, reader, compile_glob, source_trust, ignores)
    if task.proof is not None and not proof:
        rows.append(proof_not_found(task.proof))
    listed = list_names(terms, task.targets, entries, reader)
    rows += [row for row in listed.rows if row.id not in {known.id for known in rows}]
    targets = discover_targets(task.targets, [*named, *refreshed], entries, source_trust)
    refreshed, passed_over, *others = tell_apart(
        (item for item in terms.named if not item.is_payload),
        [refreshed, passed_over, targets, proof, hits, known.renamed, listed.items],
    )
    found = merge_discovered([*named, *refreshed, *(item for items in others for item in items)])
    opened = [item for item in found if not item.is_listed or item.candidate.id in terms.required]
    named_alone = [
        item for item in found if item.is_listed and item.candidate.id not in terms.required
    ]
    read_here = [
        *_read_all([item for item in opened if _decides(item, terms)], entries, reader, symbols),
        *_read_hits(
            [item for item in opened if not _decides(item, terms)], entries, reader, symbols
        ),
        *name_listed(named_alone, reader),
    ]
    handed_in = [item for item in terms.named if item.is_payload]
    there = payloads.tree.look_up(_paths(handed_in))
    read_payloads, told = compare_revisions(
        _read_all(handed_in, there, payloads, symbols), reader.tree.revision, history
    )
    named_ids = {item.candidate.id for item in [*found, *handed_in]}
    unnamed = [item for item in passed_over if item.candidate.id not in named_ids]
    ignored = turn_away_ignored(merge_discovered(unnamed), reader)
    successors = find_successors(judged, refreshed)
    judged = name_successors(judged, successors)
    candidates = [*read_here, *read_payloads, *judged, *terms.unfound, *rows, *ignored]
    return EvidenceOffer(
        candidates=tuple(candidates),
        paths={
            item.candidate.id: item.path
            for item in [*found, *terms.summaries, *terms.named]
            if not item.is_payload
        },
        successors=successors,
        missing={
            candidate.id: _why_missing(candidate)
            for candidate in candidates
            if candidate.content == Absent("unreadable")
        },
        told={**known.told, **told},
        handed_in={
            item.candidate.id: payloads.real_paths[item.path]
            for item in handed_in
            if item.path in payloads.contents
        },
        ignored={item.candidate.id: item.path for item in unnamed},
    )


def _why_missing(candidate: Candidate) -> str | None:
    asked, _, why = (candidate.discovered_by or "").partition(f"{ASKER}; ")
    return why if why and not asked else None


def _paths_to_ask(terms: EvidenceTerms, task: TaskTerms) -> list[str]:
    sources = [source.path for artifact in terms.artifacts.values() for source in artifact.sources]
    proof = [] if task.proof is None else proof_paths(task.proof)
    named = _paths(item for item in terms.named if not item.is_payload)
    asked = [*named, *_paths(terms.summaries), *sources, *task.targets, *proof]
    return list(dict.fromkeys(asked))


def _paths(items: Iterable[Discovered]) -> list[str]:
    return [item.path for item in items]


def _read_all(
    items: Sequence[Discovered],
    entries: Mapping[str, Entry],
    reader: FileReader,
    symbols: SymbolReader,
    *,
    limit_bytes: int = MAX_ITEM_BYTES,
) -> list[Candidate]:
    """Each piece with its bytes, or with the word that says why it has none."""
    unknown = [item.path for item in items if item.path not in entries]
    entries = {**entries, **reader.tree.look_up(unknown)} if unknown else entries
    permissions = {
        item.path: authorize_evidence(entries[item.path], reader.scope) for item in items
    }
    allowed = [
        permission
        for permission in permissions.values()
        if isinstance(permission, Authorized) and permission.entry.kind is EntryKind.FILE
    ]
    contents = reader.read(allowed, limit_bytes=limit_bytes)
    return [_read_one(item, permissions[item.path], contents, symbols) for item in items]


def _decides(item: Discovered, terms: EvidenceTerms) -> bool:
    """Whether an item may come in, so that its bytes are wanted."""
    return item.candidate.decision_value != 0 or item.candidate.id in terms.required


def _read_hits(
    items: Sequence[Discovered],
    entries: Mapping[str, Entry],
    reader: FileReader,
    symbols: SymbolReader,
) -> list[Candidate]:
    """What can decide nothing: read for its size alone, and so within bounds of its own."""
    rows: list[Candidate] = []
    left_bytes = MAX_HIT_BYTES
    for start in range(0, len(items), HITS_AT_ONCE):
        some = items[start : start + HITS_AT_ONCE]
        limit_bytes = min(MAX_HIT_FILE_BYTES, left_bytes)
        for row in _read_all(some, entries, reader, symbols, limit_bytes=limit_bytes):
            content = row.content
            if isinstance(content, Inline):
                left_bytes -= len(content.data)
                # What does not fit ends it, so that the rows are those of the first files.
                content = Absent("unread") if left_bytes < 0 else content
            elif isinstance(content, Absent) and content.code == "size-limit":
                content = Absent("unread")
            rows.append(row._replace(content=content))
        left_bytes = max(left_bytes, 0)
    return rows


def _read_one(
    item: Discovered,
    permission: Authorized | Denied,
    contents: Mapping[str, bytes | Unreadable],
    symbols: SymbolReader,
) -> Candidate:
    if isinstance(permission, Denied):
        return item.candidate._replace(content=Absent("denied", rule=permission.rule))
    if permission.entry.kind is EntryKind.OUTSIDE_LINK:
        where = bounded_place(item.path)
        content = Absent("turned-away", code="link-leaves-repository", where=where)
        return item.candidate._replace(content=content)
    if permission.entry.problem == UNMERGED:
        found_by = join_words(item.candidate.discovered_by, "a merge left it in conflict")
        return item.candidate._replace(content=Absent("unreadable"), discovered_by=found_by)
    data = contents.get(item.path, Unreadable("missing"))
    if isinstance(data, Unreadable):
        if data.reason == "size-limit":
            where = bounded_place(f"{item.path}: over {MAX_ITEM_BYTES:,} bytes, or one long blank")
            content = Absent("turned-away", code="size-limit", where=where)
            return item.candidate._replace(content=content)
        return item.candidate._replace(content=Absent("unreadable"))
    read = read_payload(item, data)
    return read if isinstance(read, Candidate) else _cut(read, data, symbols)


def _cut(item: Discovered, data: bytes, symbols: SymbolReader) -> Candidate:
    """The wanted part of a file that was read."""
    excerpt = cut_excerpt(item, data, symbols)
    if isinstance(excerpt, NoExcerpt):
        found_by = join_words(item.candidate.discovered_by, excerpt.why)
        return item.candidate._replace(content=Absent("unreadable"), discovered_by=found_by)
    source = item.candidate.source
    is_part = item.around is not None or item.symbol is not None
    # A payload says where it is from; of a file it is the more exact place that is told.
    if source is None if item.is_payload else is_part:
        lines = write_ranges(excerpt.ranges)
        place = f"{item.path}#{lines}" if lines else item.path
        source = bounded_name(place, most_bytes=MAX_WORDS_BYTES)
    more = () if excerpt.why is None else (excerpt.why,)
    return item.candidate._replace(
        content=Inline(excerpt.data),
        source=source,
        discovered_by=join_words(item.candidate.discovered_by, *more),
    )


def _run_searches(
    terms: EvidenceTerms,
    reader: FileReader,
    compile_glob: CompileGlob,
    trust: str,
    ignores: Ignores,
) -> tuple[list[Discovered], list[Candidate], list[Discovered]]:
    """The hits of each search, rows where there is no hit, and what git has it pass over.

    Rows stand for searches without a hit and for names that are no text.
    """
    if not terms.searches:
        return [], [], []
    listing = reader.tree.list_files()
    rows = [discover_unnamable(path, "listing of files") for path in listing.unnamable]
    texts = _search_texts(terms.searches, listing.entries, reader, compile_glob)
    hits: list[Discovered] = []
    passed_over: list[Discovered] = []
    for number, search in enumerate(terms.searches, start=1):
        note = ""
        if search.name is not None:
            paths = [entry.path for entry in listing.entries]
            scope, names = compile_glob(search.scope), compile_glob(search.name)
            found, more = match_names(search, paths, names, scope)
            unread = 0
            ignored, note = match_ignored(search, len(found), ignores.list_files(), names, scope)
            passed_over += discover_hits(search, ignored, False, trust, note=note)
        else:
            every, unread = texts[search]
            found, more = [*every[: search.limit]], len(every) > search.limit
        if found:
            hits.extend(discover_hits(search, found, more, trust, unread=unread, note=note))
        else:
            rows.append(not_found(search, number, unread=unread, note=note))
    return hits, rows, passed_over


def _search_texts(
    searches: Iterable[SearchTerms],
    entries: Sequence[Entry],
    reader: FileReader,
    compile_glob: CompileGlob,
) -> dict[SearchTerms, TextHits]:
    """Files inside scope and grant that hold each literal text; closed files can't be hits."""
    wanted = list(dict.fromkeys(search for search in searches if search.text is not None))
    asked: list[TextSearch] = []
    beyond: list[int] = []
    for search in wanted:
        scope = compile_glob(search.scope)
        paths = [entry.path for entry in entries if scope.match(entry.path) is not None]
        looked_up = reader.tree.look_up(paths[:MAX_SEARCHED_FILES])
        permissions = (authorize_evidence(entry, reader.scope) for entry in looked_up.values())
        files = [
            permission
            for permission in permissions
            if isinstance(permission, Authorized) and permission.entry.kind is EntryKind.FILE
        ]
        asked.append(TextSearch(files, str(search.text).encode("utf-8")))
        beyond.append(max(0, len(paths) - MAX_SEARCHED_FILES))
    found = reader.find_texts(
        asked, limit_bytes=MAX_SEARCHED_FILE_BYTES, most_bytes=MAX_SEARCHED_BYTES
    )
    return {
        search: hits._replace(unread=hits.unread + more)
        for search, hits, more in zip(wanted, found, beyond, strict=True)
    }

"""Evidence: everything that a task asks for, with what became of it.

In: the terms of a run and the trees to read. Out: candidates with their contents, facts only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from assembler.assess.excerpts import NoExcerpt, cut_excerpt
from assembler.assess.freshness import compare_sources, differing_sources, is_unchanged
from assembler.authorize.read_scope import authorize_evidence
from assembler.discover.evidence import (
    ASKER,
    MAX_SEARCHED_BYTES,
    MAX_SEARCHED_FILES,
    discover_hits,
    discover_proof,
    discover_refreshed,
    discover_targets,
    match_names,
    merge_discovered,
    not_found,
    proof_not_found,
    proof_paths,
)
from assembler.model.candidate import Absent, Candidate, Inline
from assembler.model.digest import sha256_hex
from assembler.model.evidence import Artifact, Discovered, SearchTerms
from assembler.model.limits import (
    MAX_ID_BYTES,
    MAX_ITEM_BYTES,
    MAX_WORDS_BYTES,
    bounded_name,
    bounded_place,
)
from assembler.model.names import escape_bytes
from assembler.model.run import EvidenceTerms, TaskTerms
from assembler.model.symbols import write_ranges
from assembler.model.tree import Authorized, Denied, Entry, EntryKind, Unreadable
from assembler.offers.payloads import read_payload
from assembler.offers.reader import FileReader, TextHits, TextSearch
from assembler.ports import PatternSet, SymbolReader

MAX_SEARCHED_FILE_BYTES: Final = 1024 * 1024

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


def offer_evidence(
    terms: EvidenceTerms,
    task: TaskTerms,
    *,
    reader: FileReader,
    payloads: FileReader,
    symbols: SymbolReader,
    compile_glob: CompileGlob,
) -> EvidenceOffer:
    """Everything the task asks for: named, targets, proof, summaries, search hits."""
    source_trust = terms.trust["source"]
    tree = reader.tree
    entries = tree.look_up(_paths_to_ask(terms, task))
    summaries, refreshed = _assess_summaries(terms, entries, reader, symbols)
    named = [item for item in terms.named if not item.is_payload]
    proof = [] if task.proof is None else discover_proof(task.proof, entries, source_trust)
    hits, rows = _run_searches(terms, reader, compile_glob, source_trust)
    if task.proof is not None and not proof:
        rows.append(proof_not_found(task.proof))
    found = merge_discovered(
        [
            *named,
            *refreshed,
            *discover_targets(task.targets, [*named, *refreshed], entries, source_trust),
            *proof,
            *hits,
        ]
    )
    read_here = _read_all(found, entries, reader, symbols)
    handed_in = [item for item in terms.named if item.is_payload]
    there = payloads.tree.look_up(_paths(handed_in))
    read_payloads = _read_all(handed_in, there, payloads, symbols)
    candidates = [*read_here, *read_payloads, *summaries, *terms.unfound, *rows]
    return EvidenceOffer(
        candidates=tuple(candidates),
        paths={item.candidate.id: item.path for item in [*found, *terms.summaries]},
        successors=_find_successors(summaries, refreshed),
        missing={
            candidate.id: _why_missing(candidate)
            for candidate in candidates
            if candidate.content == Absent("unreadable")
        },
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
    contents = reader.read(allowed)
    return [_read_one(item, permissions[item.path], contents, symbols) for item in items]


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
        found_by = _found_by(item.candidate, excerpt.why)
        return item.candidate._replace(content=Absent("unreadable"), discovered_by=found_by)
    source = item.candidate.source
    says_more = item.is_payload or item.around is not None or item.symbol is not None
    if source is None and says_more:
        lines = write_ranges(excerpt.ranges)
        place = f"{item.path}#{lines}" if lines else item.path
        source = bounded_name(place, most_bytes=MAX_WORDS_BYTES)
    more = () if excerpt.why is None else (excerpt.why,)
    return item.candidate._replace(
        content=Inline(excerpt.data),
        source=source,
        discovered_by=_found_by(item.candidate, *more),
    )


def _found_by(candidate: Candidate, *more: str) -> str:
    """How a candidate was found, and what was found then."""
    words = "; ".join([candidate.discovered_by or ASKER, *more])
    return bounded_name(words, most_bytes=MAX_WORDS_BYTES)


def _assess_summaries(
    terms: EvidenceTerms,
    entries: Mapping[str, Entry],
    reader: FileReader,
    symbols: SymbolReader,
) -> tuple[list[Candidate], list[Discovered]]:
    """The wanted summaries with their freshness, and what is to be read in place of stale ones."""
    wanted = [terms.artifacts[item.candidate.id] for item in terms.summaries]
    current = _read_sources(wanted, entries, reader)
    candidates = _read_all(terms.summaries, entries, reader, symbols)
    refreshed: list[Discovered] = []
    assessed: list[Candidate] = []
    for candidate, artifact in zip(candidates, wanted, strict=True):
        rule = _denied_source(artifact, entries, reader)
        if rule is not None:
            # What was made from denied material is denied with it, digests and all.
            content = Absent("denied", rule=f"source {rule}")
            assessed.append(candidate._replace(content=content))
            continue
        freshness, notes = compare_sources(artifact, entries, current, symbols)
        again = discover_refreshed(
            artifact, differing_sources(artifact, freshness), terms.trust["source"]
        )
        refreshed.extend(again)
        refreshed_by = again[0].candidate.id if again else None
        assessed.append(
            candidate._replace(
                freshness=freshness,
                refreshed_by=refreshed_by,
                discovered_by=_found_by(candidate, *notes),
            )
        )
    return assessed, refreshed


def _denied_source(
    artifact: Artifact, entries: Mapping[str, Entry], reader: FileReader
) -> str | None:
    """The rule that keeps one of an artifact's sources closed."""
    for source in artifact.sources:
        permission = authorize_evidence(entries[source.path], reader.scope)
        if isinstance(permission, Denied):
            return permission.rule
    return None


def _read_sources(
    artifacts: Sequence[Artifact], entries: Mapping[str, Entry], reader: FileReader
) -> dict[str, bytes | None]:
    """The bytes that each cited file has now; None where they may not or can't be read."""
    paths = {
        source.path
        for artifact in artifacts
        for source in artifact.sources
        if not is_unchanged(source, entries[source.path])
    }
    allowed = []
    for path in sorted(paths):
        permission = authorize_evidence(entries[path], reader.scope)
        if isinstance(permission, Authorized) and entries[path].kind is EntryKind.FILE:
            allowed.append(permission)
    contents = reader.read(allowed)
    current: dict[str, bytes | None] = {}
    for path in sorted(paths):
        found = contents.get(path)
        current[path] = found if isinstance(found, bytes) else None
    return current


def _find_successors(
    summaries: Sequence[Candidate], refreshed: Sequence[Discovered]
) -> dict[str, tuple[str, ...]]:
    """What is read again in place of each summary with a changed source."""
    return {
        summary.id: tuple(
            item.candidate.id for item in refreshed if summary.id in item.candidate.replaces
        )
        for summary in summaries
        if summary.refreshed_by is not None
    }


def _run_searches(
    terms: EvidenceTerms, reader: FileReader, compile_glob: CompileGlob, trust: str
) -> tuple[list[Discovered], list[Candidate]]:
    """The hits of each search, and rows for searches without one and names that are no text."""
    if not terms.searches:
        return [], []
    listing = reader.tree.list_files()
    rows = [_unnamable(path) for path in listing.unnamable]
    texts = _search_texts(terms.searches, listing.entries, reader, compile_glob)
    hits: list[Discovered] = []
    for number, search in enumerate(terms.searches, start=1):
        if search.name is not None:
            paths = [entry.path for entry in listing.entries]
            scope, names = compile_glob(search.scope), compile_glob(search.name)
            found, more = match_names(search, paths, names, scope)
            unread = 0
        else:
            every, unread = texts[search]
            found, more = [*every[: search.limit]], len(every) > search.limit
        if found:
            hits.extend(discover_hits(search, found, more, trust, unread=unread))
        else:
            rows.append(not_found(search, number, unread=unread))
    return hits, rows


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


def _unnamable(path: bytes) -> Candidate:
    """A file whose name is not UTF-8: offered, so that it is on record, and never opened."""
    identifier = f"bytes://{escape_bytes(path)}"
    if len(identifier.encode("utf-8")) > MAX_ID_BYTES:
        identifier = f"bytes://sha256:{sha256_hex(path)}"
    return Candidate(
        id=identifier,
        kind="source",
        section="evidence",
        trust="repository",
        content=Absent("path-not-utf8"),
        discovered_by="listing of files",
    )
